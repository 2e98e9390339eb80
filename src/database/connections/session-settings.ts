/**
 * Time limits of sessions by purpose. They are set by statements and not by connection options, which
 * poolers do not support (docs/operations.md).
 */
import type pg from 'pg'
import { joinUsers, useLock } from '../users-of-database.ts'

/** What a pool's connections are for. */
export type Work =
  /** Answers to HTTP requests. */
  | { readonly kind: 'requests'; readonly timeoutSeconds: number }
  /** Exports: one long COPY each, with a possibly slow reader. */
  | { readonly kind: 'exports'; readonly timeoutSeconds: number; readonly stallSeconds: number }
  /** Jobs and maintenance. */
  | { readonly kind: 'jobs' }
  /** Taking jobs and storing their results, which may be lost: such a job runs again. */
  | { readonly kind: 'queue' }
  /** Short statements of jobs that find few rows by id. */
  | { readonly kind: 'quick' }
  /** Health checks. */
  | { readonly kind: 'health' }
  /** Commands: schema changes and seeds have no time limit. */
  | { readonly kind: 'commands' }

/** Milliseconds; 0 is no limit. */
type Limits = {
  readonly statement: number
  readonly lock: number
  readonly idleInTransaction: number
  /** How long PostgreSQL waits for a client that does not acknowledge or read. */
  readonly unacknowledged: number
  /** How long the driver waits for an answer; undefined: without a limit of its own. */
  readonly answer?: number
}

// The locks of an unreachable client are released within this time.
const lostHostMs = 25_000
const jobMs = 300_000
// PostgreSQL reports the timeout of a statement before its caller stops waiting.
const beforeDeadline = 0.8

/** The limits of a session. */
export const limitsOf = (work: Work): Limits => {
  const defaults = { lock: 10_000, idleInTransaction: lostHostMs, unacknowledged: lostHostMs }
  switch (work.kind) {
    case 'requests': {
      const statement = Math.round(work.timeoutSeconds * 1000 * beforeDeadline)
      // Shorter, so that the error says whether a lock or the statement took too long.
      return { ...defaults, statement, lock: Math.min(defaults.lock, Math.round(statement / 2)) }
    }
    case 'exports': {
      // The socket of a slow export may be idle until the reader's limit.
      const stalled = work.stallSeconds * 1000 + lostHostMs
      return {
        ...defaults,
        statement: work.timeoutSeconds * 1000,
        idleInTransaction: stalled,
        unacknowledged: stalled,
      }
    }
    case 'jobs':
      return { ...defaults, statement: jobMs, lock: 60_000, answer: jobMs + 30_000 }
    case 'quick':
    case 'queue':
      return { ...defaults, statement: 25_000, lock: 5_000, answer: 30_000 }
    case 'health':
      return { ...defaults, statement: 2_000, lock: 2_000, answer: 3_000 }
    case 'commands':
      return { statement: 0, lock: 0, idleInTransaction: 0, unacknowledged: lostHostMs }
  }
}

/** A client host that does not answer is given up after 10 + 3 × 5 seconds. */
export const tcpSettings = (unacknowledgedMs = lostHostMs): string =>
  `SET tcp_keepalives_idle = 10;
   SET tcp_keepalives_interval = 5;
   SET tcp_keepalives_count = 3;
   SET tcp_user_timeout = ${unacknowledgedMs}`

// Planning such a statement takes longer than running it, and a plan made while a table is empty must be
// good when it is large.
const quickPlans = `SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off`
// A job starts without waiting for the disk; every job may run twice.
const mayBeLost = `SET synchronous_commit = off`
// Servers on macOS and Windows do not support this check.
const checkClient = `SET client_connection_check_interval = 500`

/**
 * What a session behind a pooler does not have, at the beginning of each of its transactions: another one may be in
 * another session. A restore has it wait, for the time of its locks.
 */
export const transactionSettings = (work: Work): string => {
  const { statement, lock, idleInTransaction } = limitsOf(work)
  const settings = [
    ['timezone', `'UTC'`],
    ['datestyle', `'ISO'`],
    ['statement_timeout', statement],
    ['lock_timeout', lock],
    ['idle_in_transaction_session_timeout', idleInTransaction],
  ]
  const local = settings.map(([name, value]) => `; SET LOCAL ${name} = ${value}`)
  return `${local.join('')}; SELECT pg_advisory_xact_lock_shared(${useLock})`
}

// Time limit for a server that stops answering while a session begins.
const setUpWithinMs = 10_000

/** Sets up a new session: UTC, ISO, its limits, and its share of the users' lock. */
export const setUpSession = async (client: pg.ClientBase, work: Work): Promise<void> => {
  const { statement, lock, idleInTransaction, unacknowledged } = limitsOf(work)
  const settings = [
    `SET timezone = 'UTC'; SET datestyle = 'ISO'`,
    `SET statement_timeout = ${statement}; SET lock_timeout = ${lock}`,
    `SET idle_in_transaction_session_timeout = ${idleInTransaction}`,
    tcpSettings(unacknowledged),
    ...(work.kind === 'quick' ? [quickPlans] : []),
    ...(work.kind === 'queue' ? [mayBeLost] : []),
  ]
  const run = (text: string) =>
    client.query({ text, query_timeout: setUpWithinMs } as pg.QueryConfig)
  await run(settings.join('; '))
  await run(checkClient).catch(() => undefined)
  await joinUsers(client)
}
