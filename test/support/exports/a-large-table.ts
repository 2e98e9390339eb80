/** A table that is large enough to be exported in ranges, with gaps between its ids, and what runs for its exports. */
import { addUser } from '../a-project.ts'
import { exporting, roleFile } from '../definitions/files.ts'
import { exportOf, openExport } from '../export-request.ts'
import { type ProjectFiles, startTestService, type TestService } from '../service.ts'
import { until } from '../wait.ts'

const project: ProjectFiles = {
  'entities/depot.json': { key: 'depot', fields: [{ key: 'name', type: 'string' }] },
  'entities/entry.json': {
    key: 'entry',
    ownership: true,
    fields: [
      { key: 'code', type: 'string', unique: true },
      { key: 'amount', type: 'decimal', precision: 20, scale: 2, indexed: true },
      { key: 'moment', type: 'timestamp', indexed: true },
      { key: 'kind', type: 'string', indexed: true },
      { key: 'rank', type: 'integer' },
      { key: 'note', type: 'text' },
      { key: 'extra', type: 'json' },
      { key: 'depot', type: 'manyToOne', entity: 'depot' },
    ],
    exportSettings: exporting(
      'id',
      'code',
      'amount',
      'moment',
      'kind',
      'note',
      'extra',
      'depot.name',
    ),
  },
  ...roleFile('clerk', {
    entry: { read: 'own', export: true, hiddenFields: ['amount'] },
    depot: { read: true },
  }),
}

/** The user who reads every second record, and no amounts. */
export const clerk = 'clerk@example.com'

/** Starts the service with so many records that the administrator reads; an export may have three connections. */
export const startLargeTable = async (records: number): Promise<TestService> => {
  const service = await startTestService(project, { EXPORT_CONNECTIONS: '3' })
  const { pool } = service.database
  await addUser(service.database, clerk)
  await pool.query(
    `INSERT INTO records.depot (name) SELECT 'Depot ' || n FROM generate_series(1, 20) n`,
  )
  // A unique code in another order than the ids; amounts that are equal or missing; removed records. The fewer records,
  // the longer their notes: a small table is not divided.
  await pool.query(
    `INSERT INTO records.entry (id, code, amount, moment, kind, rank, note, extra, depot_id, _created_by, _is_deleted)
     SELECT CASE WHEN n < $2 * 4 / 10 THEN n WHEN n < $2 * 8 / 10 THEN n * 7 ELSE 1000000000 + n END,
       md5(n::text), CASE WHEN n % 10 = 0 THEN NULL ELSE (n * 7919 % 5000) / 4.0 END,
       CASE WHEN n % 50 = 0 THEN NULL ELSE timestamptz '2020-01-01 00:00:00.123456Z' + n % 9973 * interval '7 hours' END,
       CASE n % 2 WHEN 0 THEN 'even' ELSE 'odd' END, n * 31 % 1009,
       CASE n % 7 WHEN 0 THEN '=1+1' WHEN 1 THEN NULL WHEN 2 THEN E'a "line", \\n another' ELSE repeat(md5((n * 3)::text), 860000 / $2) END,
       json_build_object('n', n), n % 21 + CASE WHEN n % 21 = 0 THEN NULL ELSE 0 END,
       CASE WHEN n % 2 = 0 THEN (SELECT id FROM records."user" WHERE email = $1) ELSE 1 END, n % 11 = 0
     FROM generate_series(1, $2::integer * 11 / 10) n`,
    [clerk, records],
  )
  await pool.query('VACUUM (ANALYZE) records.entry, records.depot')
  return service
}

/** The sessions of exports that are in a transaction: what each does and waits for. */
export const exportSessions = async ({ database }: Pick<TestService, 'database'>) => {
  const { rows } = await database.pool.query<{ pid: number; state: string; isCopying: boolean }>(
    `SELECT pid, state, state = 'active' AND query LIKE 'COPY (%' AS "isCopying"
     FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND state <> 'idle'
       AND (query LIKE 'COPY (%' OR query LIKE 'COMMIT' OR query LIKE '%t."%' OR query LIKE 'SET LOCAL %')
       AND pid <> pg_backend_pid()`,
  )
  return rows
}

const nothingRuns = (service: TestService) =>
  until('no export is in a transaction', async () => (await exportSessions(service)).length === 0)

export type Asked = { readonly query?: string; readonly body?: unknown; readonly as?: string }

/**
 * How many sessions copy for an export since a time, or have copied: a range that waits for its turn may be in memory already, so
 * that its connection is idle again before anybody looks.
 */
const copiersSince = async ({ database }: TestService, begun: string): Promise<number> => {
  const { rowCount } = await database.pool.query(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND (query LIKE 'COPY (%' OR query = 'COMMIT') AND query_start > $1`,
    [begun],
  )
  return rowCount ?? 0
}

/** Exports of the large table. */
export const exportsOf = (service: TestService) => ({
  /** Opens one that is not read before several connections copy for it. */
  openDivided: async ({ query = 'format=csv', ...options }: Asked = {}) => {
    const { rows } = await service.database.pool.query('SELECT clock_timestamp()::text AS begun')
    const response = await openExport(service, `/entry/export?${query}`, options)
    await until(
      'several connections copy',
      async () => (await copiersSince(service, rows[0].begun)) > 1,
    )
    return response
  },
  /** A page is one statement. */
  undivided: ({ query = 'format=csv', ...options }: Asked = {}) =>
    exportOf(service, `/entry/export?${query}&limit=1000000000`, options),
  nothingRuns: () => nothingRuns(service),
})
