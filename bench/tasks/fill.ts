/** The tasks that are measured: ten to a record, shared evenly between people. */
import { withClient } from '../database.ts'

/** People and records for a number of tasks: 5,000,000 make 50,000 people and 500,000 records. */
export const sizesOf = (rows: number) => ({
  people: Math.max(10, Math.round(rows / 100)),
  records: Math.max(100, Math.round(rows / 10)),
})

/** Every third task is done. */
export const isDoneAtFirst = (task: number): boolean => task % 3 === 0

/** Opens again what was completed meanwhile, so that completing has something to do. */
export const reopenTasks = (databaseUrl: string): Promise<unknown> =>
  withClient(databaseUrl, (client) =>
    client.query('UPDATE records.task SET is_completed = false WHERE is_completed AND id % 3 <> 0'),
  )

/** Fills users, tasks and their links: each record has ten tasks of its own and ten linked ones. */
export const fillTasks = (databaseUrl: string, rows: number): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    const { people, records } = sizesOf(rows)
    await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '1GB'`)
    await client.query(
      `INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
       SELECT 'p' || n, 'Person', n::text, 'Person ' || n, 'p' || n || '@example.com', 'p' || n || '@example.com', 1 FROM generate_series(2, ${people}) n`,
    )
    const { rows: kept } = await client.query<{ indexname: string; indexdef: string }>(
      `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'records' AND tablename = 'task' AND indexname <> 'task_pkey'`,
    )
    // Building an index at the end takes a fraction of keeping it up to date.
    for (const { indexname } of kept) await client.query(`DROP INDEX records."${indexname}"`)
    await client.query(
      `INSERT INTO records.task (entity_id, key, description, is_completed, due_date, assigne_id, type, payload, _created_by, _updated_by)
       SELECT n % ${records} + 1, 'invoice', 'Call the customer, ' || n, n % 3 = 0, now() + (n % 2000 - 1000) * interval '1 hour', n % ${people} + 1, 'native', '{"n":' || n || '}', 1, n % ${people} + 1 FROM generate_series(1, ${rows}) n`,
    )
    for (const { indexdef } of kept) await client.query(indexdef)
    await client.query(
      `INSERT INTO docket.task_link (task_id, key, entity_id) SELECT id, 'invoice', (entity_id + 7) % ${records} + 1 FROM records.task`,
    )
    await client.query('VACUUM (ANALYZE) records.task, docket.task_link, records."user"')
    await client.query('CHECKPOINT')
  })
