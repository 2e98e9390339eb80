/** One replica: whether it follows the primary, and what it has replayed, as it was last measured. */
import { errorText } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { ServerAway } from '../database-errors.ts'
import { createPool, type Pool, queryRow, queryValue } from '../pool.ts'
import { raw, sql } from '../sql.ts'
import { givenPosition, type Position } from './position.ts'

/** Where a server is. */
export type ReplicaAddress = {
  readonly connectionString: string
  /** Whether it leads to a pooler that assigns a session per transaction. */
  readonly isPooled: boolean
}

export type Replica = {
  /** Host and port, for operators. */
  readonly name: string
  readonly address: ReplicaAddress
  /** Asks what it has replayed, after the primary was asked. */
  readonly measure: (ofPrimary: Measured) => Promise<void>
  /** A connection to it has said what it has replayed. */
  readonly learn: (replayed: Position) => void
  /** What it has replayed at least; undefined while it is away. */
  readonly replayed: () => Position | undefined
  /** Why it is away. */
  readonly reason: () => string | undefined
  /** It did not answer: it is away until it is measured again. */
  readonly leave: (error: unknown) => void
  /** Throws a ServerAway while it is away. */
  readonly assertUp: () => void
  /** Calls whenever a measurement finds it away: what runs there may never be answered. Returns how to remove it. */
  readonly onFoundAway: (listener: (error: ServerAway) => void) => () => void
  readonly close: () => Promise<void>
}

/** What identifies the database of the primary, its position, and what the replica had replayed before. */
type Measured = {
  readonly identity: string
  readonly position: Position
  readonly earlier: Position | undefined
}

// The same for a primary and its standbys, and for no other database.
const identity = raw(`
  (SELECT system_identifier::text FROM pg_control_system()) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`)

/** Reads what identifies the database of the primary. */
export const readIdentity = async (primary: Pool): Promise<string> =>
  (await queryValue<string>(primary, sql`SELECT ${identity} AS identity`)) ?? ''

const measured = sql`
SELECT
  pg_is_in_recovery() AS is_standby,
  coalesce(pg_last_wal_replay_lsn(), '0/0')::text AS position,
  ${identity} AS identity`

type Row = { is_standby: boolean; position: string; identity: string }

type State = { readonly replayed: Position } | { readonly reason: string }

/** Its measurements have a connection of their own, so that they do not wait for reads. */
export const createReplica = (address: ReplicaAddress, observe: Observe): Replica => {
  const pool = createPool({
    ...address,
    size: 1,
    work: { kind: 'health' },
    waitMs: 2_000,
    // Its measurement reports what is wrong.
    observe: () => undefined,
  })
  let state: State = { reason: 'it has not been asked yet' }
  const name = serverName(address.connectionString)
  const listeners = new Set<(error: ServerAway) => void>()
  const awayFor = (reason: string) => new ServerAway(`The replica ${name} is away: ${reason}`)
  const enter = (next: State) => {
    const before = state
    state = next
    if ('reason' in next && ('replayed' in before || before.reason !== next.reason))
      observe({ kind: 'replicaAway', replica: name, reason: next.reason })
    if ('replayed' in next && 'reason' in before) observe({ kind: 'replicaBack', replica: name })
  }
  return {
    name,
    address,
    measure: async (ofPrimary) => {
      const next = await ask(pool, ofPrimary).catch((error: unknown) => ({
        reason: errorText(error),
      }))
      enter(next)
      if ('reason' in next) for (const listener of [...listeners]) listener(awayFor(next.reason))
    },
    learn: (replayed) => {
      if ('replayed' in state && state.replayed < replayed) state = { replayed }
    },
    replayed: () => ('replayed' in state ? state.replayed : undefined),
    reason: () => ('reason' in state ? state.reason : undefined),
    leave: (error) => {
      if ('replayed' in state) enter({ reason: errorText(error) })
    },
    assertUp: () => {
      if ('reason' in state) throw awayFor(state.reason)
    },
    onFoundAway: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => pool.endWithin(0),
  }
}

const ask = async (pool: Pool, ofPrimary: Measured): Promise<State> => {
  const row = await queryRow<Row>(pool, measured)
  if (!row?.is_standby) return { reason: 'it is not a standby, or was promoted' }
  if (row.identity !== ofPrimary.identity) return { reason: 'it is a standby of another database' }
  if (ofPrimary.earlier !== undefined && ofPrimary.earlier > ofPrimary.position)
    return { reason: 'it has changes that the primary does not have' }
  return { replayed: givenPosition(row.position) }
}

/** Host and port of an address, without the user and the password. */
export const serverName = (connectionString: string): string => {
  const url = new URL(connectionString)
  const host = url.searchParams.get('host') ?? url.hostname
  return `${host}:${url.searchParams.get('port') ?? (url.port || '5432')}`
}
