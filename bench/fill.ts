/** Fills tables quickly, with SQL statements. */
import pg from 'pg'
import type { Environment } from './environment.ts'
import { note } from './report.ts'

/** A statement, or one that fills a large table, whose indexes are built afterwards. */
type Filling = string | { readonly largeTable: string; readonly statement: string }

/** Runs the statements one after the other on one connection. */
export const fill = async (
  { databaseUrl }: Environment,
  what: string,
  fillings: readonly Filling[],
): Promise<void> => {
  note(`Filling ${what} …\n`)
  const client = new pg.Client({ connectionString: databaseUrl })
  // If the server ends, the running statement fails too; without a listener the process would end.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '1GB'`)
    for (const one of fillings)
      if (typeof one === 'string') await client.query(one)
      else await fillLarge(client, one.largeTable, one.statement)
    await client.query('CHECKPOINT')
  } finally {
    await client.end()
  }
}

// Building an index at the end is much faster than updating it.
const fillLarge = async (client: pg.Client, table: string, statement: string): Promise<void> => {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index WHERE indrelid = $1::regclass AND NOT indisprimary`,
    [table],
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  await client.query(statement)
  for (const { definition } of rows) await client.query(definition)
}

/** Adds administrators in the order of their numbers; their names in tokens are `${prefix}1` and so on. */
export const insertUsers = (prefix: string, count: number): string => `
  INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
  SELECT '${prefix}' || n, 'Person', n::text AS last_name, 'Person ' || n, '${prefix}' || n || '@example.com', '${prefix}' || n || '@example.com', r.id
  FROM generate_series(1, ${count}) n, records.security_role r WHERE r.key = 'administrator' ORDER BY n`

/** Adds the users with a prefix to one group. */
export const insertGroup = (prefix: string): string => `
  WITH everyone AS (
    INSERT INTO records.user_group (code, name, _created_by, _updated_by)
    VALUES ('everyone', 'Everyone', 1, 1) RETURNING id
  )
  INSERT INTO records.user_group_member (user_group_id, user_id, _created_by, _updated_by)
  SELECT g.id, u.id, 1, 1 FROM everyone g, records."user" u
  WHERE u.identity_provider_user_id LIKE '${prefix}%'`
