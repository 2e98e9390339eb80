/** What `docket doctor` examines. */
import type { Queryable } from '../../database/pool.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import type { Check } from '../check.ts'
import type { ConnectionDemand } from '../connection-demand.ts'

export type DoctorTarget = {
  readonly database: Queryable
  /** The definitions; undefined if the project has errors, or there is none. */
  readonly catalog: Catalog | undefined
  /** Of DATABASE_REPLICA_URL and DATABASE_EXPORT_URL. */
  readonly replicas: readonly OwnReplica[]
  readonly demand: ConnectionDemand
}

export type OwnReplica = {
  /** Host and port. */
  readonly name: string
  /** The text of the error if it cannot be opened. */
  readonly found: Queryable | string
}

export type DoctorCheck = Check<DoctorTarget>
