/** Asks a connection to a replica whether its server has replayed a position, and waits a moment for it. */
import { setTimeout as delay } from 'node:timers/promises'
import { databaseError, isUnavailable } from '../database-errors.ts'
import { type Queryable, queryRow } from '../pool.ts'
import { sql } from '../sql.ts'
import { givenPosition, type Position } from './position.ts'

const waitMs = 100
const askEveryMs = 10
const behindCode = 'replica-behind'

/** The replica did not replay what a read requires in time. */
class ReplicaBehind extends Error {
  override name = 'ReplicaBehind'
  /** It is kept when the error is posted between threads. */
  readonly code = behindCode
}

const replayed = sql`SELECT coalesce(pg_last_wal_replay_lsn(), '0/0')::text AS position`

/**
 * Returns what the server has replayed, at least the required position; throws ReplicaBehind. It is asked in a
 * statement before the read: the snapshot of the same statement would be older than the answer.
 */
export const untilReplayed = async (
  connection: Queryable,
  required: Position,
): Promise<Position> => {
  const end = performance.now() + waitMs
  for (;;) {
    const row = await queryRow<{ position: string }>(connection, replayed)
    const position = givenPosition(row?.position ?? '')
    if (position >= required) return position
    if (performance.now() >= end)
      throw new ReplicaBehind('The replica has not replayed what the caller requires.')
    await delay(askEveryMs)
  }
}

// A replica is the only server on which these have a reason that another server does not share.
const ofReplica = new Set<string>([
  // A conflict with recovery.
  'request.contended',
  // A column or table that it has not replayed yet.
  'database.changed',
  // So is a record.
  'record.unknown',
])

const codeOf = (error: unknown) => String((error as { readonly code?: unknown } | null)?.code)

/** Whether the replica lacks what the caller requires, and nothing is wrong with it. */
export const isBehind = (error: unknown): boolean => codeOf(error) === behindCode

/** Whether another server may answer what a replica did not. */
export const mayAnswerElsewhere = (error: unknown): boolean =>
  isBehind(error) ||
  isUnavailable(error) ||
  ofReplica.has(databaseError(error)?.code ?? codeOf(error))

// All connections of the pool are busy; a server that does not answer is found by its measurement.
const noFreeConnection = /timeout exceeded when trying to connect/

/** Whether the error says that the replica itself is away, and not that it answers one read too late. */
export const isAway = (error: unknown): boolean =>
  isUnavailable(error) && !noFreeConnection.test(String(error))
