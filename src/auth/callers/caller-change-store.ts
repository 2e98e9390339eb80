/**
 * Triggers by which PostgreSQL notifies every process that a user, a membership, a role, a role of a user, an API key or a
 * session has
 * changed.
 */
import { execute, type Pool, type Queryable, queryRows } from '../../database/pool.ts'
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

/** Creates the missing triggers; any number of processes may do so at the same time. */
export const installCallerTriggers = (pool: Pool): Promise<void> =>
  transaction(pool, async (connection) => {
    await execute(
      connection,
      sql`SELECT pg_advisory_xact_lock(hashtextextended(${text(trigger)}, 0))`,
    )
    await connection.query(`
      CREATE OR REPLACE FUNCTION docket.tell_caller_changed() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_catalog.pg_notify('${callerChangedChannel}', TG_TABLE_NAME); RETURN NULL; END $$`)
    for (const { table, events, each } of watched)
      if (!(await hasTrigger(connection, table)))
        await connection.query(`
          CREATE TRIGGER ${trigger} AFTER ${events} ON ${table}
          FOR EACH ${each} EXECUTE FUNCTION docket.tell_caller_changed()`)
  })

/** Whether every trigger exists. */
export const hasCallerTriggers = async (pool: Pool): Promise<boolean> => {
  for (const { table } of watched) if (!(await hasTrigger(pool, table))) return false
  return true
}

const hasTrigger = async (database: Queryable, table: string): Promise<boolean> => {
  const found = await queryRows(
    database,
    sql`
      SELECT FROM pg_trigger
      WHERE tgname = ${text(trigger)} AND tgrelid = to_regclass(${text(table)})`,
  )
  return found.length > 0
}
