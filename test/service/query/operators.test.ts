/**
 * Every operator on PostgreSQL selects exactly the matching records, also where values are null; $not selects the exact
 * complement, and literals what parameters select.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { textIssue } from '../../../src/definitions/values/check-text.ts'
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
  [{ code: null }, [5]],
  [{ code: { $ne: 'a' } }, [2, 3, 4, 5]],
  [{ code: { $ne: null } }, [1, 2, 3, 4]],
  [{ count: { $gt: 1 } }, [2, 3]],
  [{ count: { $gte: 1 } }, [1, 2, 3]],
  [{ count: { $lt: 1 } }, [4]],
  [{ count: { $lte: 1 } }, [1, 4]],
  [{ count: [1, 3, 99] }, [1, 3]],
  [{ count: [1, null] }, [1, 5]],
  [{ count: [] }, []],
  [{ count: [null] }, [5]],
  [{ count: { $nin: [1, 3] } }, [2, 4, 5]],
  [{ count: { $nin: [1, null] } }, [2, 3, 4]],
  [{ big: '9223372036854775807' }, [1]],
  [{ amount: '0.1' }, [1]],
  [{ amount: { $gt: '0.1', $lt: '0.2000001' } }, [2]],
  [{ amount: ['-1', '10'] }, [3, 4]],
  [{ flag: false }, [2, 3]],
  [{ flag: { $ne: false } }, [1, 4, 5]],
  [{ day: { $gte: '2026-01-01' } }, [1, 2]],
  [{ at: { $gt: '2026-01-01T00:00:00Z' } }, [2, 3]],
  [{ at: '2026-01-01 01:00:00' }, [1]],
  [{ level: ['low', 'high'] }, [1, 2]],
  [{ extra: { $null: true } }, [3, 4, 5]],
  [{ extra: { $null: false } }, [1, 2]],
  [{ extra: { $contains: {} } }, [1]],
  [{ extra: { $contains: { tags: ['new'] } } }, [1]],
  [{ extra: { $contains: { tags: ['a', 'new', 'a'] } } }, [1]],
  [{ extra: { $contains: { size: { h: 2.5 } } } }, [1]],
  [{ extra: { $contains: { size: { h: '2.5' } } } }, []],
  [{ extra: { $contains: { n: null } } }, [1]],
  [{ extra: { $contains: [{ tags: ['a'] }] } }, [2]],
  [{ extra: { $contains: 'new' } }, [2]],
  [{ extra: { $contains: 'ne' } }, []],
  [{ $not: { extra: { $contains: {} } } }, [2, 3, 4, 5]],
  [{ 'parent.extra': { $contains: { size: { w: 10 } } } }, [2]],
  [{ code: { $like: '_' } }, [1, 2]],
  [{ code: { $like: '50\\%\\_\\\\' } }, [3]],
  [{ code: { $ilike: 'b' } }, [2]],
  [{ note: { $ilike: 'ŽŽ%' } }, [4]],
  [{ code: { $startsWith: '' } }, [1, 2, 3, 4]],
  [{ code: { $startsWith: '50%' } }, [3]],
  [{ code: { $startsWith: '_' } }, []],
  [{ code: { $contains: '%_' } }, [3]],
  [{ code: { $contains: '\\' } }, [3]],
  [{ note: { $contains: '\u{1F98A}' } }, [4]],
  [{ code: { $contains: 'A' } }, []],
  [{ maker_id: { $null: true } }, [4, 5]],
  [{ 'maker.name': { $gte: 'B' } }, [2, 3]],
  [{ 'maker.country.code': { $ne: 'HR' } }, [2, 3, 4, 5]],
  [{ 'parent.maker.country.code': 'HR' }, [2]],
  [{ 'parent.parent.code': 'a' }, [3]],
  [{ $and: [{ $or: [{ count: 1 }, { count: 2 }] }, { flag: true }] }, [1]],
  [{ $not: { count: { $gt: 0 } } }, [4, 5]],
  [{ $not: { 'maker.name': 'Ana' } }, [2, 3, 4, 5]],
  [{ $not: {} }, []],
  [{ count: { $gt: { $field: 'amount' } } }, [1, 2, 4]],
  [{ amount: { $lt: { $field: 'count' } } }, [1, 2, 4]],
  [{ count: { $gte: { $field: 'big' } } }, [3, 4]],
  [{ count: { $ne: { $field: 'amount' } } }, [1, 2, 3, 4]],
  [{ count: { $field: 'big' } }, [4]],
  [{ mail: { $ne: { $field: 'code' } } }, [1, 2]],
  [{ day: { $lte: { $field: 'day' } } }, [1, 2, 3]],
  [{ id: { $gt: { $field: 'parent' } } }, [2, 3]],
  [{ 'parent.maker': { $ne: { $field: 'maker' } } }, [2, 3]],
  [{ $or: [{ count: { $gt: { $field: 'amount' } } }, { code: null }] }, [1, 2, 4, 5]],
  [{ _is_deleted: true }, [6]],
  [{ _is_deleted: [true, false], code: 'a' }, [1, 6]],
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

describe('of all criteria', () => {
  let database: TestDatabase

  // Texts that break incorrect quoting, LIKE patterns and array literals.
  const difficultTexts = [
    ...['', "'", '"', '\\', "\\'", "'';--", '%', '_', '{}', '{a,"b"}', 'NULL', '$1', '$$', 'a\nb'],
    ...["E'\\x41'", 'ž', '\u{1F98A}'],
  ]
  const all = difficultTexts.map((_, index) => index + 1).concat(difficultTexts.length + 1)

  before(async () => {
    database = await createItems()
    await insert(database, 'maker', [{ name: "'" }, { name: null }])
    await insert(database, 'item', [
      ...difficultTexts.map((code, index) => ({
        code,
        count: index % 3 === 0 ? null : index % 5,
        flag: index % 4 === 0 ? null : index % 2 === 0,
        maker_id: index % 3 === 1 ? null : (index % 2) + 1,
      })),
      { code: null },
    ])
  })
  after(() => database.drop())

  const piece = fc.constantFrom(...difficultTexts, 'a')
  const text = fc
    .oneof(
      fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
      fc.string({ unit: 'grapheme' }),
      piece,
    )
    .filter((value) => textIssue(value) === undefined)
  const pattern = text.filter((value) => (/\\*$/.exec(value)?.[0].length ?? 0) % 2 === 0)
  const field = fc.constantFrom('code', 'maker.name')
  const comparison = fc.oneof(
    text,
    fc.constant(null),
    fc.array(fc.option(text), { maxLength: 5 }),
    fc.record({ $ne: text }),
    fc.record({ $gt: text, $lte: text }, { requiredKeys: ['$gt'] }),
    fc.record({ $nin: fc.array(fc.option(text), { maxLength: 5 }) }),
    fc.record({ $like: pattern }),
    fc.record({ $ilike: pattern }),
    fc.record({ $startsWith: text }),
    fc.record({ $contains: text }),
    fc.record({ $null: fc.boolean() }),
  )
  const leaf: fc.Arbitrary<object> = fc.oneof(
    fc.tuple(field, comparison).map(([name, value]) => ({ [name]: value })),
    fc.record({ count: fc.option(fc.integer({ min: 0, max: 5 })) }),
    fc.record({ flag: fc.option(fc.boolean()) }),
  )
  const { where } = fc.letrec<{ where: object }>((tie) => ({
    where: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.record({ $not: tie('where') }),
      fc.record({ $or: fc.array(tie('where'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ $and: fc.array(tie('where'), { minLength: 1, maxLength: 3 }) }),
    ),
  }))

  test('every record matches either a condition or its $not, never both', async () => {
    await fc.assert(
      fc.asyncProperty(where, async (condition) => {
        const [matching, others] = await Promise.all([
          idsOf(database, { $where: condition }),
          idsOf(database, { $where: { $not: condition } }),
        ])
        assert.deepEqual(
          [...matching, ...others].toSorted((a, b) => a - b),
          all,
        )
      }),
      { numRuns: 200 },
    )
  })

  test('literals select the same records as bound parameters', async () => {
    await fc.assert(
      fc.asyncProperty(where, async (condition) => {
        const body = { $where: condition }
        assert.deepEqual(await idsWithLiterals(database, body), await idsOf(database, body))
      }),
      { numRuns: 200 },
    )
  })

  test('every difficult text is found by an equal value, as parameter and as literal', async () => {
    for (const [index, code] of difficultTexts.entries()) {
      assert.deepEqual(await idsOf(database, { $where: { code } }), [index + 1])
      assert.deepEqual(await idsWithLiterals(database, { $where: { code: [code] } }), [index + 1])
    }
  })
})
