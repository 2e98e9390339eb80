/** What `docket doctor --server` examines: a server that a database may be moved to. */
import type pg from 'pg'
import type { Check } from '../check.ts'

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
