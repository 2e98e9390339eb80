/**
 * How long PostgreSQL lets a session wait, by what the session is for. They are set by statements and
 * not by options of the connection, for poolers in between take no options (docs/operations.md).
 */
import type pg from 'pg'
import { joinUsers } from '../locks/users-of-database.ts'

/** What a pool's connections are for. */
export type Work =
  /** Answers to HTTP requests. */
  | { readonly kind: 'requests'; readonly timeoutSeconds: number }
  /** Exports: one long COPY each, whose reader may be slow. */
  | { readonly kind: 'exports'; readonly timeoutSeconds: number; readonly stallSeconds: number }
  /** Jobs and maintenance. */
  | { readonly kind: 'jobs' }
  /** Jobs' statements that find few rows by their ids, and that many wait for. */
  | { readonly kind: 'quick' }
  /** Health checks. */
  | { readonly kind: 'health' }
  /** Commands: schema changes and seeds take as long as they take. */
  | { readonly kind: 'commands' }
  /** A part of a restore, which has the database alone. */
  | { readonly kind: 'restore' }

/** Milliseconds; 0 is no limit. */
type Limits = {
  readonly statement: number
  readonly lock: number
  readonly idleInTransaction: number
  /** How long PostgreSQL waits for a client that acknowledges nothing, or reads nothing. */
  readonly unacknowledged: number
  /** How long the driver waits for an answer; undefined: as long as PostgreSQL does. */
  readonly answer?: number
}

// A host that is lost without a word frees its locks within this time.
const lostHostMs = 25_000
const jobMs = 300_000
// PostgreSQL is to say itself that a statement took too long, before its caller stops waiting.
const beforeDeadline = 0.8

/** The limits of a session. */
export const limitsOf = (work: Work): Limits => {
  const usual = { lock: 10_000, idleInTransaction: lostHostMs, unacknowledged: lostHostMs }
  switch (work.kind) {
    case 'requests': {
      const statement = Math.round(work.timeoutSeconds * 1000 * beforeDeadline)
      // Less, so that a caller is told whether a lock or the statement took the time.
      return { ...usual, statement, lock: Math.min(usual.lock, Math.round(statement / 2)) }
    }
    case 'exports': {
      // The socket of a slow reader's export stands still for as long as the reader is let to.
      const stalled = work.stallSeconds * 1000 + lostHostMs
      return {
        ...usual,
        statement: work.timeoutSeconds * 1000,
        idleInTransaction: stalled,
        unacknowledged: stalled,
      }
    }
    case 'jobs':
      return { ...usual, statement: jobMs, lock: 60_000, answer: jobMs + 30_000 }
    case 'quick':
      return { ...usual, statement: 25_000, lock: 5_000, answer: 30_000 }
    case 'health':
      return { ...usual, statement: 2_000, lock: 2_000, answer: 3_000 }
    case 'commands':
    case 'restore':
      return { statement: 0, lock: 0, idleInTransaction: 0, unacknowledged: lostHostMs }
  }
}

/** Of a server that hears nothing from its client's host: lost after 10 + 3 × 5 seconds. */
export const tcpSettings = (unacknowledgedMs = lostHostMs): string =>
  `SET tcp_keepalives_idle = 10;
   SET tcp_keepalives_interval = 5;
   SET tcp_keepalives_count = 3;
   SET tcp_user_timeout = ${unacknowledgedMs}`

// Planning such a statement takes longer than running it, and a plan that is made while a table is empty
// is to be good when it is large.
const quickPlans = `SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off`
// Servers on macOS and Windows cannot check whether a client is still there; they refuse this one.
const checkClient = `SET client_connection_check_interval = 500`

// A server that falls silent while a session begins.
const setUpWithinMs = 10_000

/** Sets up a new session: UTC, ISO, its limits, and that it uses the database. */
export const setUpSession = async (client: pg.ClientBase, work: Work): Promise<void> => {
  const { statement, lock, idleInTransaction, unacknowledged } = limitsOf(work)
  const settings = [
    `SET timezone = 'UTC'; SET datestyle = 'ISO'`,
    `SET statement_timeout = ${statement}; SET lock_timeout = ${lock}`,
    `SET idle_in_transaction_session_timeout = ${idleInTransaction}`,
    tcpSettings(unacknowledged),
    ...(work.kind === 'quick' ? [quickPlans] : []),
  ]
  const run = (text: string) =>
    client.query({ text, query_timeout: setUpWithinMs } as pg.QueryConfig)
  await run(settings.join('; '))
  await run(checkClient).catch(() => undefined)
  if (work.kind !== 'restore') await joinUsers(client)
}
