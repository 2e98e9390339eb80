/** Plans: names become columns, values get their types, what may not be seen is unknown. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type Issue } from '../../src/errors.ts'
import type { Access } from '../../src/query/access.ts'
import type { SelectPlan } from '../../src/query/select-plan.ts'
import { planOf } from './a-catalog.ts'

const issuesOf = (work: () => unknown): readonly Issue[] => {
  try {
    work()
    return []
  } catch (error) {
    assert.ok(error instanceof ApiError)
    assert.equal(error.code, 'criteria.invalid')
    return error.errors
  }
}

const plannedValues = (where: object) => {
  const plan = planOf({ $where: where })
  assert.ok(plan.where?.kind === 'compare')
  return plan.where.values
}

const values: readonly [where: object, value: unknown][] = [
  [{ code: 'x' }, 'x'],
  // The rules of a field bind what is written, not what is searched for.
  [{ code: 'LONGER THAN FIVE' }, 'LONGER THAN FIVE'],
  [{ code: '' }, ''],
  [{ count: -5 }, -5],
  [{ mail: 'no address' }, 'no address'],
  [{ big: '9007199254740993' }, '9007199254740993'],
  [{ amount: '12.345' }, '12.345'],
  [{ amount: 0.1 }, '0.1'],
  [{ flag: false }, false],
  [{ day: '2026-05-04' }, '2026-05-04'],
  [{ at: '2026-05-04 10:30:00' }, '2026-05-04T08:30:00.000Z'],
  [{ level: 'high' }, 'high'],
  [{ level: { $contains: 'ig' } }, 'ig'],
  [{ mail: { $like: '%@example.com' } }, '%@example.com'],
  [{ maker: 5 }, 5],
  [{ maker_id: 5 }, 5],
  [{ maker: null }, null],
  [{ extra: { $null: false } }, false],
  [{ count: [1, null, 2] }, [1, null, 2]],
  [{ code: { $nin: ["'; --"] } }, ["'; --"]],
]
for (const [where, value] of values)
  test(`the value of ${JSON.stringify(where)}`, () => {
    assert.deepEqual(plannedValues(where), [value].flat())
  })

const nul = 'contains the control character NUL at position 0'
const wrong: readonly [body: object, path: string, message: string][] = [
  [
    { $where: { cuont: 1 } },
    '$where.cuont',
    '"cuont" is not a field of item; did you mean "count"?',
  ],
  [{ $where: { constructor: 1 } }, '$where.constructor', '"constructor" is not a field of item'],
  [
    { $where: JSON.parse('{"__proto__":1}') },
    '$where.__proto__',
    '"__proto__" is not a field of item',
  ],
  [
    { $where: { 'id" OR 1=1 --': 1 } },
    '$where.id" OR 1=1 --',
    '"id" OR 1=1 --" is not a field of item',
  ],
  [
    { $where: { 'maker.nmae': 'x' } },
    '$where.maker.nmae',
    '"nmae" is not a field of maker; did you mean "name"?',
  ],
  [
    { $where: { 'code.name': 'x' } },
    '$where.code.name',
    '"code" of item is not an association, so the path cannot continue through it',
  ],
  [
    { $where: { parts: 1 } },
    '$where.parts',
    '"parts" of item is a one-to-many field: it has many records, not one value',
  ],
  [{ $where: { count: '5' } }, '$where.count', 'must be a whole number, not a string'],
  [{ $where: { count: [1, 'x'] } }, '$where.count[1]', 'must be a whole number, not a string'],
  [
    { $where: { count: { $nin: [[]] } } },
    '$where.count.$nin[0]',
    'must be a whole number, not an array',
  ],
  [{ $where: { flag: 'true' } }, '$where.flag', 'must be true or false, not a string'],
  [
    { $where: { amount: '1; --' } },
    '$where.amount',
    'must be a decimal number as a string, such as "12.50", not "1; --"',
  ],
  [
    { $where: { day: '2026-02-30' } },
    '$where.day',
    'must be an existing day as YYYY-MM-DD, not "2026-02-30"',
  ],
  [
    { $where: { level: 'hihg' } },
    '$where.level',
    'must be one of "low", "normal", "high"; did you mean "high"?',
  ],
  [{ $where: { code: '\0' } }, '$where.code', nul],
  [{ $where: { level: { $like: '\0' } } }, '$where.level.$like', nul],
  [{ $where: { mail: { $contains: '\0' } } }, '$where.mail.$contains', nul],
  [
    { $where: { code: '\uD800' } },
    '$where.code',
    'contains half of a surrogate pair, which is not a character',
  ],
  [
    { $where: { count: { $like: '5%' } } },
    '$where.count.$like',
    'a field of type integer does not take $like',
  ],
  [
    { $where: { flag: { $gt: true } } },
    '$where.flag.$gt',
    'a field of type boolean does not take $gt',
  ],
  [{ $where: { extra: 'x' } }, '$where.extra', 'a field of type json does not take $eq'],
  [{ $orderBy: ['extra'] }, '$orderBy[0]', '"extra" has no order'],
  [
    { $orderBy: ['-cuont'] },
    '$orderBy[0]',
    '"cuont" is not a field of item; did you mean "count"?',
  ],
  [
    { $orderBy: ['id; DROP TABLE item'] },
    '$orderBy[0]',
    '"id; DROP TABLE item" is not a field of item',
  ],
]
for (const [body, path, message] of wrong)
  test(`${JSON.stringify(body)} is refused`, () => {
    assert.deepEqual(
      issuesOf(() => planOf(body)),
      [{ path, message }],
    )
  })

test('every mistake is told at once', () => {
  const body = { $where: { $or: [{ a: 1 }, { flag: 1 }] }, $orderBy: ['b'] }
  const found = issuesOf(() => planOf(body, { columns: ['c'] }))
  assert.deepEqual(
    found.map(({ path }) => path),
    ['$where.$or[0].a', '$where.$or[1].flag', '$orderBy[0]', '$select[0]'],
  )
})

const hiding = (...names: string[]): Partial<Access> => ({
  maySee: (entity, column) => !names.includes(`${entity.key}.${column.name}`),
})

test('a hidden column is unknown wherever it is named, and is never suggested', () => {
  const access = hiding('item.amount', 'item.count', 'item.maker_id')
  const unknown = (name: string, entity = 'item') => `"${name}" is not a field of ${entity}`
  const messages = (body: object, columns: string[] = []) =>
    issuesOf(() => planOf(body, { access, columns })).map(({ message }) => message)
  assert.deepEqual(messages({ $where: { amount: '1' } }), [unknown('amount')])
  assert.deepEqual(messages({ $where: { amuont: '1' } }), [unknown('amuont')])
  assert.deepEqual(messages({ $orderBy: ['amount'] }), [unknown('amount')])
  assert.deepEqual(messages({}, ['amount']), [unknown('amount')])
  assert.deepEqual(messages({ $where: { maker: 1 } }), [unknown('maker')])
  assert.deepEqual(messages({ $where: { 'maker.country.code': 'HR' } }), [
    '"maker" is not an association of item',
  ])
  assert.deepEqual(messages({ $where: { 'parent.amount': '1' } }), [unknown('amount')])
})

const joinsOf = ({ joins }: SelectPlan) =>
  joins.map(({ alias, from, entity, isDecisive }) => [
    alias,
    `${from.alias}.${from.column.name}`,
    entity.key,
    isDecisive,
  ])

test('paths share their joins; those of conditions and order are decisive', () => {
  const plan = planOf(
    { $where: { 'maker.name': 'x' }, $orderBy: ['maker.country.code'] },
    { columns: ['maker.country.code', 'parent.maker.name', 'parent.code', 'maker'] },
  )
  assert.deepEqual(joinsOf(plan), [
    ['j1', 't.maker_id', 'maker', true],
    ['j2', 'j1.country_id', 'country', true],
    ['j3', 't.parent_id', 'item', false],
    ['j4', 'j3.maker_id', 'maker', false],
  ])
  assert.deepEqual(
    plan.columns.map(({ path, ref }) => [path, `${ref.alias}.${ref.column.name}`]),
    [
      ['maker.country.code', 'j2.code'],
      ['parent.maker.name', 'j4.name'],
      ['parent.code', 'j3.code'],
      ['maker', 't.maker_id'],
    ],
  )
})

test('joined records keep to the scope in which they may be read', () => {
  const readScope: Access['readScope'] = ({ key }) => (key === 'maker' ? { ownedBy: 7 } : 'none')
  const { joins, scope } = planOf(
    { $where: { 'maker.country.code': 'HR' } },
    { access: { readScope } },
  )
  assert.equal(scope, 'all')
  assert.deepEqual(
    joins.map((join) => join.scope),
    [{ ownedBy: 7 }, 'none'],
  )
})

test('paths lead over a hundred associations, no more', () => {
  const path = (steps: number) => `${'parent.'.repeat(steps)}code`
  assert.equal(planOf({ $where: { [path(100)]: 'x' } }).joins.length, 100)
  const long = path(200)
  assert.deepEqual(
    issuesOf(() => planOf({ $orderBy: [long, path(3)] })),
    [{ path: '$orderBy[0]', message: 'leads over more than 100 associations in all' }],
  )
})

test('the order ends with the id, unless the id is in it', () => {
  const orderOf = (body: object) =>
    planOf(body).orderBy.map(({ ref, descending }) => `${descending ? '-' : ''}${ref.column.name}`)
  assert.deepEqual(orderOf({}), ['id'])
  assert.deepEqual(orderOf({ $orderBy: ['-code'] }), ['-code', 'id'])
  assert.deepEqual(orderOf({ $orderBy: ['-id', 'code'] }), ['-id', 'code'])
  assert.deepEqual(orderOf({ $orderBy: ['maker.id'] }), ['id', 'id'])
})

test('removed records are left out unless they are asked for', () => {
  const withRemoved = ($where: object) => planOf({ $where }).withRemoved
  assert.equal(planOf({}).withRemoved, false)
  assert.equal(withRemoved({ code: 'x' }), false)
  assert.equal(withRemoved({ 'parent._is_deleted': true }), false)
  assert.equal(withRemoved({ _is_deleted: true }), true)
  assert.equal(
    withRemoved({ $or: [{ code: 'x' }, { $not: { _is_deleted: { $ne: true } } }] }),
    true,
  )
})

test('a column is asked for once, by whatever path', () => {
  const message = (name: string) => `names the column "${name}" again`
  assert.deepEqual(
    issuesOf(() => planOf({ $orderBy: ['count', 'maker.name', '-count', 'maker.name'] })),
    [
      { path: '$orderBy[2]', message: message('count') },
      { path: '$orderBy[3]', message: message('name') },
    ],
  )
  const columns = ['maker', 'maker.name', 'parent.maker.name', 'maker_id']
  assert.deepEqual(
    issuesOf(() => planOf({ $select: columns }, { columns })),
    [{ path: '$select[3]', message: message('maker_id') }],
  )
})

test('a definition may repeat a column', () => {
  assert.equal(planOf({}, { columns: ['count', 'count'] }).columns.length, 2)
})
