/**
 * Whether a database sends, or is a copy. The sending database stores an identity that copies do not
 * share: the system identifier of its server and its oid. A promoted standby shares both, and continues;
 * a restored dump or a clone on the same server does not.
 */
import type { Queryable } from './pool.ts'

const identity = `SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || oid AS identity
  FROM pg_database WHERE datname = current_database()`
// For providers that hide the system identifier: restored objects have other oids.
const weakIdentity = `SELECT datname || '/' || oid || '/' || 'docket.sending_database'::regclass::oid AS identity
  FROM pg_database WHERE datname = current_database()`

/** Whether this database sends; one without a stored identity becomes the sending one. */
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

/** Lets this database send, and none of its copies. */
export const makeSendingDatabase = async (database: Queryable): Promise<void> => {
  await note(database, await identityOf(database))
}

/** Marks a restored database: it does not send until a user allows it. */
export const makeHeldDatabase = async (database: Queryable): Promise<void> => {
  // An old backup may lack this table.
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
