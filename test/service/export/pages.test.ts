/** The records of an export, their order, and its pages. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { emptyTables, insertRecords, shareExports } from '../../support/an-export-project.ts'
import { exportOf, readCells } from '../../support/export-request.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await shareExports()
  await emptyTables(service, 'supplier', 'item')
  await insertRecords(service, 'supplier', [{ name: 'b' }, { name: 'a' }])
  await insertRecords(
    service,
    'item',
    Array.from({ length: 57 }, (_, index) => ({
      code: `c${index}`,
      count: index % 3 === 0 ? null : index % 2,
      supplier_id: index % 5 === 0 ? null : (index % 2) + 1,
      _is_deleted: index % 10 === 9,
    })),
  )
})

const idsOf = async (query: string, body: object = {}): Promise<number[]> => {
  const { status, text } = await exportOf(service, `/item/export${query}`, {
    body: { $select: ['id'], ...body },
  })
  assert.equal(status, 200, text)
  return readCells(text)
    .slice(1)
    .map(([id]) => Number(id))
}

const kept = Array.from({ length: 57 }, (_, index) => index + 1).filter((id) => id % 10 !== 0)

test('without limit all matching records are exported, ordered by id', async () => {
  assert.deepEqual(await idsOf(''), kept)
})

test('an empty body, no body and an empty object are the same criteria', async () => {
  const token = await service.tokenOf()
  const response = await fetch(`${service.url}/item/export`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
  })
  assert.equal(response.status, 200)
  assert.equal(readCells(await response.text()).length, kept.length + 1)
})

test('limit without page is the first page', async () => {
  assert.deepEqual(await idsOf('?limit=4'), kept.slice(0, 4))
})

for (const query of [
  '?page=2',
  '?limit=0',
  '?limit=-1',
  '?limit=1.5',
  '?limit=ten',
  '?limit=5&page=0',
  '?limit=',
  '?limit=5&limit=6',
  '?offset=3',
  '?bom=1',
])
  test(`${query} is a 400 that names the parameter`, async () => {
    const reply = await service.ask('POST', `/item/export${query}`, { body: {} })
    assert.equal(reply.status, 400)
    const [issue] = (reply.json() as { errors: { path: string }[] }).errors
    assert.match(issue?.path ?? '', /^(limit|page|offset|bom)$/)
  })

test('a page after the last is empty except for its header', async () => {
  const { text } = await exportOf(service, '/item/export?limit=1000000000&page=1000000000', {
    body: { $select: ['id'] },
  })
  assert.equal(text, 'id\r\n')
})

const orders = [
  undefined,
  ['count'],
  ['-count'],
  ['supplier.name', '-count'],
  ['-_is_deleted'],
  ['-id'],
  ['supplier'],
]
for (const $orderBy of orders)
  for (const limit of [1, 7, 50])
    test(`pages never overlap: by ${$orderBy?.join() ?? 'id'}, ${limit} per page, they contain every record`, async () => {
      const whole = await idsOf('', $orderBy && { $orderBy })
      const pages: number[][] = []
      for (let page = 1; page === 1 || pages.at(-1)?.length === limit; page++)
        pages.push(await idsOf(`?limit=${limit}&page=${page}`, $orderBy && { $orderBy }))
      assert.deepEqual(pages.flat(), whole)
      assert.deepEqual(
        whole.toSorted((a, b) => a - b),
        kept,
      )
    })

test('records with equal values in $orderBy are ordered by id', async () => {
  const ids = await idsOf('', { $orderBy: ['-count'] })
  const countOf = (id: number) => ((id - 1) % 3 === 0 ? Number.POSITIVE_INFINITY : (id - 1) % 2)
  assert.deepEqual(
    ids,
    kept.toSorted((a, b) => (countOf(a) === countOf(b) ? a - b : countOf(b) - countOf(a))),
  )
})

test('a $where key with an object of field conditions selects the matching records', async () => {
  assert.deepEqual(await idsOf('', { $where: { code: 'c7' } }), [8])
  assert.deepEqual(
    await idsOf('', { $where: { 'supplier.name': 'a', count: 1 } }),
    kept.filter((id) => {
      const index = id - 1
      return index % 5 !== 0 && index % 2 === 1 && index % 3 !== 0
    }),
  )
  assert.deepEqual(await idsOf('', { $where: { code: 'nowhere' } }), [])
})

test('removed records are exported only when $where contains _is_deleted', async () => {
  const removed = [10, 20, 30, 40, 50]
  assert.deepEqual(await idsOf('', { $where: { _is_deleted: true } }), removed)
  assert.equal((await idsOf('', { $where: { _is_deleted: [true, false] } })).length, 57)
  assert.deepEqual(await idsOf('', { $where: { $not: { _is_deleted: false } } }), removed)
  assert.deepEqual(await idsOf('', { $where: { code: 'c9' } }), [])
})

test('an export rejects $count and names where the number of rows is returned', async () => {
  const { status, text } = await exportOf(service, '/item/export', { body: { $count: true } })
  assert.equal(status, 400)
  assert.match(text, /"path":"\$count".*manifest=true/)
})

test('an entity without records returns the header only', async () => {
  await emptyTables(service, 'keyed')
  assert.equal((await exportOf(service, '/keyed/export')).text, 'name,supplier.name\r\n')
})
