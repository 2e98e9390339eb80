/**
 * Triggers by which PostgreSQL notifies every process that a user, a membership, a role, a role of a user, an API key or a
 * session has changed, and by which it ends the sessions of users who may not sign in any more.
 */
import { execute, hasRows, type Pool, type Queryable } from '../../database/pool.ts'
import { sql, tableName, text } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'

/** The channel on which processes are notified that a caller may have changed, by the name of the table. */
export const callerChangedChannel = 'docket_caller_changed'
// An existing trigger is not replaced, because that waits for every writer: a trigger with another meaning
// needs another name.
const trigger = 'docket_caller_changed'

const watched = [
  { table: tableName('user'), events: 'INSERT OR UPDATE OR DELETE OR TRUNCATE', each: 'STATEMENT' },
  {
    table: tableName('security_role'),
    events: 'INSERT OR UPDATE OR DELETE OR TRUNCATE',
    each: 'STATEMENT',
  },
  {
    table: tableName('user_group_member'),
    events: 'INSERT OR UPDATE OR DELETE OR TRUNCATE',
    each: 'STATEMENT',
  },
  {
    table: tableName('user_role'),
    events: 'INSERT OR UPDATE OR DELETE OR TRUNCATE',
    each: 'STATEMENT',
  },
  {
    table: 'docket.api_key',
    // The time of the last use changes every minute and is irrelevant.
    events: 'INSERT OR UPDATE OF user_id, digest, revoked_at OR DELETE OR TRUNCATE',
    each: 'STATEMENT',
  },
  {
    table: 'docket.session',
    // A new session is no cached caller, and most removals of old ones find none.
    events: 'UPDATE OF user_id, digest, api_key_id, expires_at, may_switch OR DELETE',
    each: 'ROW',
  },
]

const told = watched.map(({ table, events, each }) => ({
  name: trigger,
  table,
  definition: `${events} ON ${table} FOR EACH ${each} EXECUTE FUNCTION docket.tell_caller_changed()`,
}))

/** However a user is blocked, their sessions end: a stolen one must not go on when the user is let in again. */
const ending = {
  name: 'docket_user_shut_out',
  table: tableName('user'),
  definition: `UPDATE OF is_active, is_blocked, _is_deleted ON ${tableName('user')} FOR EACH ROW
    WHEN (NEW.is_blocked OR NOT NEW.is_active OR NEW._is_deleted) EXECUTE FUNCTION docket.end_sessions_of_user()`,
}

const triggers = [...told, ending]

// In the order of `endSessionsOf`.
const functions = `
  CREATE OR REPLACE FUNCTION docket.tell_caller_changed() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN PERFORM pg_catalog.pg_notify('${callerChangedChannel}', TG_TABLE_NAME); RETURN NULL; END $$;
  CREATE OR REPLACE FUNCTION docket.end_sessions_of_user() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN
    DELETE FROM docket.sign_in_step WHERE user_id = NEW.id;
    DELETE FROM docket.session WHERE user_id = NEW.id OR acting_user_id = NEW.id;
    DELETE FROM docket.known_browser WHERE user_id = NEW.id;
    RETURN NULL;
  END $$`

/** Creates the missing triggers; any number of processes may do so at the same time. */
export const installCallerTriggers = (pool: Pool): Promise<void> =>
  transaction(pool, async (connection) => {
    await execute(
      connection,
      sql`SELECT pg_advisory_xact_lock(hashtextextended(${text(trigger)}, 0))`,
    )
    await connection.query(functions)
    for (const one of triggers)
      if (!(await hasTrigger(connection, one)))
        await connection.query(`CREATE TRIGGER ${one.name} AFTER ${one.definition}`)
  })

/** Whether every trigger exists. */
export const hasCallerTriggers = async (pool: Pool): Promise<boolean> => {
  for (const one of triggers) if (!(await hasTrigger(pool, one))) return false
  return true
}

type Named = { readonly name: string; readonly table: string }

const hasTrigger = (database: Queryable, { name, table }: Named): Promise<boolean> =>
  hasRows(
    database,
    sql`
      SELECT FROM pg_trigger
      WHERE tgname = ${text(name)} AND tgrelid = to_regclass(${text(table)})`,
  )
