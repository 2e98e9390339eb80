/**
 * Exported ids = ids in the snapshot, while writers run. Writers take turns and log the whole table
 * after each of their transactions, so every committed state is known: an export must
 * equal one of those between its beginning and its end, never a mixture.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

type Row = { readonly id: number; readonly n: number | null; readonly gone: boolean }

const fieldTypes = [
  'string',
  'text',
  'integer',
  'bigint',
  'decimal',
  'boolean',
  'date',
  'timestamp',
  'json',
] as const

const scenario = fc.record({
  extras: fc.array(fc.constantFrom(...fieldTypes), { maxLength: 4 }),
  hasLink: fc.boolean(),
  rows: fc.integer({ min: 0, max: 400 }),
  least: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
  order: fc.constantFrom('n', '-n', undefined),
  limit: fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined }),
  page: fc.integer({ min: 1, max: 3 }),
  format: fc.constantFrom('csv', 'ndjson'),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never

const projectOf = ({ extras, hasLink }: Scenario) => ({
  'entities/owner.json': { key: 'owner', fields: [{ key: 'name', type: 'string' }] },
  'entities/item.json': {
    key: 'item',
    fields: [
      { key: 'n', type: 'integer' },
      ...extras.map((type, index) => ({ key: `f${index}`, type })),
      ...(hasLink ? [{ key: 'owner', type: 'manyToOne', entity: 'owner' }] : []),
    ],
    exportSettings: {
      columnDefs: [{ field: 'id' }, { field: 'n' }, ...(hasLink ? [{ field: 'owner.name' }] : [])],
    },
  },
})

const changes = [
  'INSERT INTO records.item (n) SELECT (random() * 9)::integer FROM generate_series(1, 5)',
  'UPDATE records.item SET n = (random() * 9)::integer WHERE id % 7 = (random() * 6)::integer',
  'UPDATE records.item SET _is_deleted = NOT _is_deleted WHERE id % 11 = (random() * 10)::integer',
  'DELETE FROM records.item WHERE id = (SELECT max(id) FROM records.item)',
]
const logState = `INSERT INTO public.state (rows) SELECT coalesce(json_agg(json_build_object('id', id, 'n', n, 'gone', _is_deleted) ORDER BY id), '[]') FROM records.item`

const write = async ({ database }: TestService, until: () => boolean) => {
  for (let turn = 0; !until(); turn++) {
    const connection = await database.pool.connect()
    try {
      await connection.query('BEGIN')
      await connection.query('SELECT pg_advisory_xact_lock(42)')
      await connection.query(changes[turn % changes.length] ?? '')
      await connection.query(logState)
      await connection.query('COMMIT')
    } finally {
      connection.release()
    }
  }
}

const expected = (rows: readonly Row[], { least, order, limit, page }: Scenario): number[] => {
  const kept = rows.filter(
    ({ n, gone }) => !gone && (least === undefined || (n !== null && n >= least)),
  )
  const sign = order === '-n' ? -1 : 1
  const sorted =
    order === undefined
      ? kept
      : kept.toSorted((a, b) => sign * ((a.n ?? 0) - (b.n ?? 0)) || a.id - b.id)
  const ids = sorted.map(({ id }) => id)
  return limit === undefined ? ids : ids.slice((page - 1) * limit, page * limit)
}

const exportIds = async (
  service: TestService,
  { least, order, limit, page, format }: Scenario,
): Promise<number[]> => {
  const body = {
    ...(least !== undefined && { $where: { n: { $gte: least } } }),
    ...(order && { $orderBy: [order] }),
  }
  const query = limit === undefined ? '' : `&limit=${limit}&page=${page}`
  const { status, text } = await service.ask('POST', `/item/export?format=${format}${query}`, {
    body,
  })
  assert.equal(status, 200, text)
  const lines = text
    .trimEnd()
    .split(/\r?\n/)
    .filter((line) => line !== '')
  return format === 'csv'
    ? lines.slice(1).map((line) => Number(line.split(',')[0]))
    : lines.map((line) => JSON.parse(line).id)
}

const versionOf = async ({ database }: TestService): Promise<number> => {
  const { rows } = await database.pool.query('SELECT max(version) AS version FROM public.state')
  return rows[0].version
}

test('an export equals one committed state of the table, over random definitions, data, filters and pages', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (chosen) => {
      const service = await startTestService(await writeProject(projectOf(chosen)))
      const { pool } = service.database
      let isOver = false
      try {
        await pool.query(
          'CREATE TABLE public.state (version integer GENERATED ALWAYS AS IDENTITY, rows json)',
        )
        await pool.query(
          'INSERT INTO records.item (n) SELECT i % 10 FROM generate_series(1, $1::integer) i',
          [chosen.rows],
        )
        await pool.query(logState)
        const writers = [write(service, () => isOver), write(service, () => isOver)]
        for (let round = 0; round < 4; round++) {
          const first = await versionOf(service)
          const ids = await exportIds(service, chosen)
          const states = await pool.query('SELECT rows FROM public.state WHERE version >= $1', [
            first,
          ])
          const possible = states.rows.map(({ rows }) =>
            JSON.stringify(expected(JSON.parse(rows), chosen)),
          )
          assert.ok(
            possible.includes(JSON.stringify(ids)),
            `${ids.length} ids equal none of ${possible.length} states`,
          )
        }
        isOver = true
        await Promise.all(writers)
      } finally {
        isOver = true
        await service.stop()
      }
    }),
    { numRuns: 10 },
  )
})
