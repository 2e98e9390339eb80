/** Triggers by which PostgreSQL notifies every process that a user, a role or an API key has changed. */
import { execute, type Pool, type Queryable, queryRows } from '../../database/pool.ts'
import { sql, tableName, text } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'

/** The channel on which processes are notified that a caller may have changed. */
export const callerChangedChannel = 'docket_caller_changed'
// An existing trigger is not replaced, because that waits for every writer: a trigger with another meaning
// needs another name.
const trigger = 'docket_caller_changed'

const watched = [
  { table: tableName('user'), update: 'UPDATE' },
  { table: tableName('security_role'), update: 'UPDATE' },
  // The time of the last use changes every minute and is irrelevant.
  { table: 'docket.api_key', update: 'UPDATE OF user_id, digest, revoked_at' },
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
      $$ BEGIN PERFORM pg_catalog.pg_notify('${callerChangedChannel}', ''); RETURN NULL; END $$`)
    for (const { table, update } of watched)
      if (!(await hasTrigger(connection, table)))
        await connection.query(`
          CREATE TRIGGER ${trigger} AFTER INSERT OR ${update} OR DELETE OR TRUNCATE ON ${table}
          FOR EACH STATEMENT EXECUTE FUNCTION docket.tell_caller_changed()`)
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
