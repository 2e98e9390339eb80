/** What `docket doctor` examines. */
import type { Queryable } from '../../database/pool.ts'
import type { Check } from '../check.ts'
import type { ConnectionDemand } from '../connection-demand.ts'

export type DoctorTarget = {
  readonly database: Queryable
  /** The server of DATABASE_REPLICA_URL; the text of the error if it cannot be opened. */
  readonly replica: Queryable | string | undefined
  readonly demand: ConnectionDemand
}

export type DoctorCheck = Check<DoctorTarget>
