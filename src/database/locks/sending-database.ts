/**
 * Whether a database is the one that sends, or a copy of it. The one that sends is noted in itself, by
 * what no copy shares: the identifier of its server's data and its own number there. A standby that takes
 * over shares both, and goes on; a restored dump does not, and neither does a clone on the same server.
 */
import type { Queryable } from '../pool.ts'

const identity = `SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || oid AS identity
  FROM pg_database WHERE datname = current_database()`
// Where a provider keeps the identifier to itself: objects that are restored have other numbers.
const weakIdentity = `SELECT datname || '/' || oid || '/' || 'docket.sending_database'::regclass::oid AS identity
  FROM pg_database WHERE datname = current_database()`

/** Answers whether it is the one that sends; a database that never noted one becomes it. */
export const isSendingDatabase = async (database: Queryable): Promise<boolean> => {
  const own = await identityOf(database)
  await database.query(
    'INSERT INTO docket.sending_database (identity) VALUES ($1) ON CONFLICT DO NOTHING',
    [own],
  )
  const { rows } = await database.query<{ identity: string }>(
    'SELECT identity FROM docket.sending_database',
  )
  return rows[0]?.identity === own
}

/** From now on this one sends, and no copy of it does. */
export const makeSendingDatabase = async (database: Queryable): Promise<void> => {
  await note(database, await identityOf(database))
}

/** For a database that was restored: it is nobody's until somebody says so, also where it was before. */
export const makeHeldDatabase = async (database: Queryable): Promise<void> => {
  // A backup may be of before there was such a table.
  await database.query(
    `CREATE TABLE IF NOT EXISTS docket.sending_database (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
       identity text NOT NULL, since timestamptz(3) NOT NULL DEFAULT now())`,
  )
  await note(database, 'restored from a backup')
}

const note = (database: Queryable, text: string) =>
  database.query(
    `INSERT INTO docket.sending_database (identity) VALUES ($1)
     ON CONFLICT (is_only) DO UPDATE SET identity = EXCLUDED.identity, since = now()`,
    [text],
  )

// SQLSTATE insufficient_privilege and undefined_function.
const refused = new Set(['42501', '42883'])

const identityOf = async (database: Queryable): Promise<string> => {
  const ask = async (text: string) =>
    (await database.query<{ identity: string }>(text)).rows[0]?.identity ?? ''
  return ask(identity).catch((error: { code?: string }) => {
    if (refused.has(error.code ?? '')) return ask(weakIdentity)
    throw error
  })
}
