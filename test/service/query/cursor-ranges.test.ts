/** What PostgreSQL reads for a page behind a cursor: a range of the index, whatever comes before. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { raw, toLiteralText } from '../../../src/database/sql.ts'
import { compileCount, compilePage } from '../../../src/query/compile-select.ts'
import { cursorValues, printCursor } from '../../../src/query/cursor/cursor.ts'
import { opened } from '../../support/afterwards.ts'
import { planOf } from '../../support/query/a-catalog.ts'
import { createItems } from './items.ts'

const records = 20_000
const limit = 50

const database = opened(() => createItems())
before(async () => {
  await database.pool.query(`
    INSERT INTO records.maker (name) SELECT 'maker ' || n FROM generate_series(1, ${records}) n;
    INSERT INTO records.item (code, count, level, maker_id)
    SELECT n::text, n % 7, (ARRAY['low', 'normal', 'high'])[1 + n % 3], CASE WHEN n % 10 > 0 THEN n END FROM generate_series(1, ${records}) n;
    ANALYZE records.item; ANALYZE records.maker;`)
})

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** The nodes that read a table, as they ran. */
const scansOf = async (statement: string, relation: string): Promise<PlanNode[]> => {
  const { rows } = await database.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`)
  const all = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(all)]
  const content = rows[0]['QUERY PLAN']
  const [{ Plan }] = typeof content === 'string' ? JSON.parse(content) : content
  return all(Plan).filter((node) => node['Relation Name'] === relation)
}

const rowsRead = (nodes: readonly PlanNode[]): number =>
  nodes.reduce(
    (sum, node) =>
      sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    0,
  )

/** The page that follows the record at a depth. */
const pageAt = async (orderBy: readonly string[], depth: number, key: '$after' | '$before') => {
  const body = orderBy.length > 0 ? { $orderBy: orderBy } : {}
  const page = { limit: 1, offset: depth }
  const plan = planOf({ ...body, [key]: null }, { columns: ['id'], page })
  const select = compilePage(plan, raw(`${cursorValues(plan.orderBy)} AS place`))
  const { rows } = await database.pool.query(toLiteralText(select))
  const cursor = printCursor(plan.cursor?.fingerprint ?? '', rows[0].place)
  const next = planOf({ ...body, [key]: cursor }, { columns: ['id'], page: { limit, offset: 0 } })
  return toLiteralText(compilePage(next, raw('t."id"')))
}

describe('A page behind a cursor', () => {
  for (const orderBy of [[], ['-maker'], ['maker', '-code'], ['level'], ['-level']])
    for (const key of ['$after', '$before'] as const)
      test(`order ${orderBy.join() || 'id'} ${key}: reads some pages of the index`, async () => {
        const statement = await pageAt(orderBy, records * 0.85, key)
        const scans = await scansOf(statement, 'item')
        assert.ok(scans.length > 0)
        assert.deepEqual(
          scans.filter((node) => node['Node Type'] === 'Seq Scan'),
          [],
        )
        // One page for each range, and each of its records again by id.
        assert.ok(rowsRead(scans) <= 8 * limit, `${rowsRead(scans)} rows were read`)
      })
})

for (const order of ['level', '-level'])
  test(`the first page in the order ${order} reads some pages of the index`, async () => {
    const plan = planOf({ $orderBy: [order] }, { columns: ['id'], page: { limit, offset: 0 } })
    const scans = await scansOf(toLiteralText(compilePage(plan, raw('t."id"'))), 'item')
    assert.ok(rowsRead(scans) <= 8 * limit, `${rowsRead(scans)} rows were read`)
  })

test('a count with a limit reads one record more than that', async () => {
  const statement = toLiteralText(compileCount(planOf({}), 100))
  assert.equal(rowsRead(await scansOf(statement, 'item')), 101)
})
