/** Every operator on PostgreSQL selects exactly the matching records, also where values are null. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestDatabase } from '../../support/database.ts'
import { createItems, idsOf, idsWithLiterals, insert } from './items.ts'

let database: TestDatabase

before(async () => {
  database = await createItems()
  await insert(database, 'country', [{ code: 'HR' }, { code: 'DE' }])
  await insert(database, 'maker', [
    { name: 'Ana', country_id: 1 },
    { name: 'Bo', country_id: 2 },
    { name: 'Cy', country_id: null },
  ])
  await insert(database, 'item', [
    {
      code: 'a',
      count: 1,
      big: '9223372036854775807',
      amount: '0.10',
      flag: true,
      day: '2026-01-01',
      at: '2026-01-01T00:00:00.000Z',
      level: 'low',
      extra: '{"tags":["new","a"],"size":{"w":10,"h":2.50},"n":null}',
      mail: 'a@x.hr',
      maker_id: 1,
    },
    {
      code: 'B',
      count: 2,
      big: '9223372036854775806',
      amount: '0.20',
      flag: false,
      day: '2026-01-02',
      at: '2026-01-01T00:00:00.001Z',
      level: 'high',
      extra: '[1,"new",{"tags":["a"]}]',
      mail: 'b@x.hr',
      maker_id: 2,
      parent_id: 1,
    },
    {
      code: '50%_\\',
      count: 3,
      big: '-1',
      amount: '10.00',
      flag: false,
      day: '0001-01-01',
      at: '9999-12-31T23:59:59.999Z',
      level: 'normal',
      maker_id: 3,
      parent_id: 2,
    },
    { code: '', count: 0, big: '0', amount: '-1.00', note: 'žŽ\n\t\u{1F98A}' },
    { code: null },
    { code: 'a', count: 1, _is_deleted: true },
  ])
})
after(() => database.drop())

const cases: readonly [where: object, ids: number[]][] = [
  [{}, [1, 2, 3, 4, 5]],
  [{ code: 'a' }, [1]],
  [{ code: 'A' }, []],
  [{ code: '' }, [4]],
  [{ code: null }, [5]],
  [{ code: { $eq: null } }, [5]],
  [{ code: { $ne: 'a' } }, [2, 3, 4, 5]],
  [{ code: { $ne: null } }, [1, 2, 3, 4]],
  [{ count: { $gt: 1 } }, [2, 3]],
  [{ count: { $gte: 1 } }, [1, 2, 3]],
  [{ count: { $lt: 1 } }, [4]],
  [{ count: { $lte: 1 } }, [1, 4]],
  [{ count: { $gt: 0, $lt: 3 } }, [1, 2]],
  [{ count: [1, 3, 99] }, [1, 3]],
  [{ count: [1, null] }, [1, 5]],
  [{ count: [] }, []],
  [{ count: [null] }, [5]],
  [{ count: { $nin: [1, 3] } }, [2, 4, 5]],
  [{ count: { $nin: [1, null] } }, [2, 3, 4]],
  [{ count: { $nin: [] } }, [1, 2, 3, 4, 5]],
  [{ big: '9223372036854775807' }, [1]],
  [{ big: { $lt: 0 } }, [3]],
  [{ amount: '0.1' }, [1]],
  [{ amount: '0.10000' }, [1]],
  [{ amount: { $gt: '0.1', $lt: '0.2000001' } }, [2]],
  [{ amount: ['-1', '10'] }, [3, 4]],
  [{ flag: false }, [2, 3]],
  [{ flag: { $ne: false } }, [1, 4, 5]],
  [{ flag: [true, null] }, [1, 4, 5]],
  [{ day: '0001-01-01' }, [3]],
  [{ day: { $gte: '2026-01-01' } }, [1, 2]],
  [{ at: { $gt: '2026-01-01T00:00:00Z' } }, [2, 3]],
  [{ at: '2026-01-01 01:00:00' }, [1]],
  [{ level: ['low', 'high'] }, [1, 2]],
  [{ level: { $contains: 'o' } }, [1, 3]],
  [{ mail: { $startsWith: 'b@' } }, [2]],
  [{ mail: 'nobody' }, []],
  [{ extra: { $null: true } }, [3, 4, 5]],
  [{ extra: { $null: false } }, [1, 2]],
  [{ extra: { $contains: {} } }, [1]],
  [{ extra: { $contains: { tags: ['new'] } } }, [1]],
  [{ extra: { $contains: { tags: ['a', 'new', 'a'] } } }, [1]],
  [{ extra: { $contains: { tags: 'new' } } }, []],
  [{ extra: { $contains: { size: { h: 2.5 } } } }, [1]],
  [{ extra: { $contains: { size: { h: '2.5' } } } }, []],
  [{ extra: { $contains: { n: null } } }, [1]],
  [{ extra: { $contains: [] } }, [2]],
  [{ extra: { $contains: [{ tags: ['a'] }] } }, [2]],
  [{ extra: { $contains: 'new' } }, [2]],
  [{ extra: { $contains: 1 } }, [2]],
  [{ extra: { $contains: 'ne' } }, []],
  [{ $not: { extra: { $contains: {} } } }, [2, 3, 4, 5]],
  [{ 'parent.extra': { $contains: { size: { w: 10 } } } }, [2]],
  [{ code: { $null: true } }, [5]],
  [{ code: { $like: '_' } }, [1, 2]],
  [{ code: { $like: '%' } }, [1, 2, 3, 4]],
  [{ code: { $like: '50\\%\\_\\\\' } }, [3]],
  [{ code: { $ilike: 'b' } }, [2]],
  [{ note: { $ilike: 'ŽŽ%' } }, [4]],
  [{ code: { $startsWith: '' } }, [1, 2, 3, 4]],
  [{ code: { $startsWith: '50%' } }, [3]],
  [{ code: { $startsWith: '_' } }, []],
  [{ code: { $contains: '%_' } }, [3]],
  [{ code: { $contains: '\\' } }, [3]],
  [{ note: { $contains: '\u{1F98A}' } }, [4]],
  [{ code: { $contains: '' } }, [1, 2, 3, 4]],
  [{ code: { $startsWith: '50%_\\' } }, [3]],
  [{ code: { $contains: 'A' } }, []],
  [{ maker: 1 }, [1]],
  [{ maker_id: { $null: true } }, [4, 5]],
  [{ 'maker.name': { $gte: 'B' } }, [2, 3]],
  [{ 'maker.name': null }, [4, 5]],
  [{ 'maker.country.code': 'HR' }, [1]],
  [{ 'maker.country.code': { $ne: 'HR' } }, [2, 3, 4, 5]],
  [{ 'parent.maker.country.code': 'HR' }, [2]],
  [{ 'parent.parent.code': 'a' }, [3]],
  [{ $or: [{ code: 'a' }, { count: 2 }] }, [1, 2]],
  [{ $and: [{ $or: [{ count: 1 }, { count: 2 }] }, { flag: true }] }, [1]],
  [{ $not: { code: 'a' } }, [2, 3, 4, 5]],
  [{ $not: { count: { $gt: 0 } } }, [4, 5]],
  [{ $not: { $not: { count: { $gt: 0 } } } }, [1, 2, 3]],
  [{ $not: { 'maker.name': 'Ana' } }, [2, 3, 4, 5]],
  [{ $not: {} }, []],
  [{ count: { $gt: { $field: 'amount' } } }, [1, 2, 4]],
  [{ amount: { $lt: { $field: 'count' } } }, [1, 2, 4]],
  [{ count: { $ne: { $field: 'amount' } } }, [1, 2, 3, 4]],
  [{ count: { $field: 'big' } }, [4]],
  [{ mail: { $ne: { $field: 'code' } } }, [1, 2]],
  [{ level: { $ne: { $field: 'code' } } }, [1, 2, 3]],
  [{ day: { $lte: { $field: 'day' } } }, [1, 2, 3]],
  [{ id: { $gt: { $field: 'parent' } } }, [2, 3]],
  [{ 'parent.maker': { $ne: { $field: 'maker' } } }, [2, 3]],
  [{ 'maker.country.code': { $field: 'parent.maker.country.code' } }, []],
  [{ $or: [{ count: { $gt: { $field: 'amount' } } }, { code: null }] }, [1, 2, 4, 5]],
  [{ _is_deleted: true }, [6]],
  [{ _is_deleted: [true, false], code: 'a' }, [1, 6]],
  [{ code: "' OR 'a' = 'a" }, []],
  [{ code: { $in: ["a') OR true --"] } }, []],
]
for (const [where, ids] of cases)
  test(`$where ${JSON.stringify(where)} selects ${ids.join(', ') || 'nothing'}`, async () => {
    assert.deepEqual(await idsOf(database, { $where: where }), ids)
    assert.deepEqual(await idsWithLiterals(database, { $where: where }), ids)
  })

const orders: readonly [orderBy: string[], ids: number[]][] = [
  [['-id'], [5, 4, 3, 2, 1]],
  [['count'], [4, 1, 2, 3, 5]],
  [['-count'], [5, 3, 2, 1, 4]],
  [
    ['flag', '-id'],
    [3, 2, 1, 5, 4],
  ],
  [
    ['-maker.country.code', 'code'],
    [4, 3, 5, 1, 2],
  ],
]
for (const [$orderBy, ids] of orders)
  test(`$orderBy ${$orderBy.join(', ')} returns ${ids.join(', ')}`, async () => {
    assert.deepEqual(await idsOf(database, { $orderBy }), ids)
  })
