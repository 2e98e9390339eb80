/** What `docket doctor` examines: the database in use, or with `--server` a server that a database may be moved to. */
import type pg from 'pg'
import type { Config } from '../config/load-config.ts'
import type { Queryable } from '../database/pool.ts'
import type { Calculating } from '../schema-sync/calculations/calculation-sql.ts'
import type { Check } from './check.ts'
import type { ConnectionDemand } from './connection-demand.ts'

export type DoctorTarget = {
  readonly database: Queryable
  /** The definitions; undefined if the project has errors, or there is none. */
  readonly definitions: Calculating | undefined
  /** Of DATABASE_REPLICA_URL and DATABASE_EXPORT_URL. */
  readonly replicas: readonly OwnReplica[]
  readonly demand: ConnectionDemand
  readonly config: Config
}

export type OwnReplica = {
  /** Host and port. */
  readonly name: string
  /** The text of the error if it cannot be opened. */
  readonly found: Queryable | string
}

export type DoctorCheck = Check<DoctorTarget>

export type ServerTarget = {
  readonly database: pg.Client
  /** A second connection to the same address. */
  readonly other: pg.Client
  /** Whether the address leads to a pooler that assigns a session per transaction. */
  readonly isPooled: boolean
  /** The host of the address. */
  readonly host: string
  /** How many connections one process may open. */
  readonly demand: number
}

/** With a schema of its own, which is dropped afterwards. */
export type TrialTarget = ServerTarget & { readonly schema: string }

export type TargetCheck = Check<ServerTarget>
export type TrialCheck = Check<TrialTarget>
