/** The records of an export, their order, and its pages. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import { emptyTables, insertRecords, shareExports } from '../../support/an-export-project.ts'
import { exportOf, readCells } from '../../support/export-request.ts'

const service = await shareExports()
const indexes = Array.from({ length: 57 }, (_, index) => index)
/** The ids of those that are not removed. */
const kept = indexes.map((index) => index + 1).filter((id) => id % 10 !== 0)

before(async () => {
  await emptyTables(service, 'supplier', 'item', 'keyed')
  await insertRecords(service, 'supplier', [{ name: 'b' }, { name: 'a' }])
  const items = indexes.map((index) => ({
    code: `c${index}`,
    count: index % 3 === 0 ? null : index % 2,
    supplier_id: index % 5 === 0 ? null : (index % 2) + 1,
    _is_deleted: index % 10 === 9,
  }))
  await insertRecords(service, 'item', items)
})

const idsOf = async (query: string, body: object = {}): Promise<number[]> => {
  const asked = { body: { $select: ['id'], ...body } }
  const { status, text } = await exportOf(service, `/item/export${query}`, asked)
  assert.equal(status, 200, text)
  return readCells(text)
    .slice(1)
    .map(([id]) => Number(id))
}

test('without limit or a body all matching records are exported, ordered by id', async () => {
  assert.deepEqual(await idsOf(''), kept)
  const headers = { Authorization: `Bearer ${await service.tokenOf()}` }
  const response = await fetch(`${service.url}/item/export`, { method: 'POST', headers })
  assert.equal(response.status, 200)
  assert.equal(readCells(await response.text()).length, kept.length + 1)
})

test('limit without page is the first page; a page after the last is empty except for its header', async () => {
  assert.deepEqual(await idsOf('?limit=4'), kept.slice(0, 4))
  assert.deepEqual(await idsOf('?limit=1000000000&page=1000000000'), [])
  assert.equal((await exportOf(service, '/keyed/export')).text, 'name,supplier.name\r\n')
})

test('a page without a limit is a 400 that names it', async () => {
  const reply = await service.ask('POST', '/item/export?page=2', { body: {} })
  assert.deepEqual(invalidPaths(reply, 400), ['page'])
})

const orders: readonly (readonly [order: string, limit: number])[] = [
  ['', 7],
  ['', 50],
  ['-count', 1],
  ['supplier.name -count', 7],
  ['-id', 7],
]
for (const [order, limit] of orders)
  test(`pages never overlap: by ${order || 'id'}, ${limit} per page, they contain every record`, async () => {
    const body = order === '' ? {} : { $orderBy: order.split(' ') }
    const whole = await idsOf('', body)
    const pages: number[][] = []
    for (let page = 1; page === 1 || pages.at(-1)?.length === limit; page++)
      pages.push(await idsOf(`?limit=${limit}&page=${page}`, body))
    assert.deepEqual(pages.flat(), whole)
    assert.deepEqual(
      whole.toSorted((a, b) => a - b),
      kept,
    )
  })

test('records with equal values in $orderBy are ordered by id', async () => {
  const countOf = (id: number) => ((id - 1) % 3 === 0 ? Number.POSITIVE_INFINITY : (id - 1) % 2)
  const expected = kept.toSorted((a, b) =>
    countOf(a) === countOf(b) ? a - b : countOf(b) - countOf(a),
  )
  assert.deepEqual(await idsOf('', { $orderBy: ['-count'] }), expected)
})

test('$where selects the matching records, and removed ones only when it contains _is_deleted', async () => {
  const ofSupplier = kept.filter((id) => (id - 1) % 5 !== 0 && id % 2 === 0 && (id - 1) % 3 !== 0)
  const removed = [10, 20, 30, 40, 50]
  for (const [$where, ids] of [
    [{ code: 'c7' }, [8]],
    [{ 'supplier.name': 'a', count: 1 }, ofSupplier],
    [{ code: 'nowhere' }, []],
    [{ _is_deleted: true }, removed],
    [{ _is_deleted: [true, false] }, indexes.map((index) => index + 1)],
    [{ $not: { _is_deleted: false } }, removed],
    [{ code: 'c9' }, []],
  ] as const)
    assert.deepEqual(await idsOf('', { $where }), ids, JSON.stringify($where))
})

test('an export rejects $count and names where the number of rows is returned', async () => {
  const { status, text } = await exportOf(service, '/item/export', { body: { $count: true } })
  assert.equal(status, 400)
  assert.match(text, /"path":"\$count".*manifest=true/)
})
