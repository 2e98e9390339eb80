/** Plans: names become columns, values get their types, and hidden columns are unknown; joins with their scope, and the order. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, nothing } from '../../../src/database/sql.ts'
import type { Access } from '../../../src/query/access.ts'
import { compileConditions } from '../../../src/query/conditions/compile-conditions.ts'
import { parseWhere } from '../../../src/query/criteria/parse-criteria.ts'
import type { SelectPlan } from '../../../src/query/select-plan.ts'
import { catalog, criteriaIssues, item, planOf } from '../../support/query/a-catalog.ts'

const plannedValues = (where: object) => {
  const plan = planOf({ $where: where })
  assert.ok(plan.where?.kind === 'compare')
  return plan.where.values
}

const values: readonly [where: object, value: unknown][] = [
  [{ code: 'x' }, 'x'],
  // The constraints of a field apply to values that are written, not to values that are searched for.
  [{ code: 'LONGER THAN FIVE' }, 'LONGER THAN FIVE'],
  [{ count: -5 }, -5],
  [{ mail: 'no address' }, 'no address'],
  [{ big: '9007199254740993' }, '9007199254740993'],
  [{ amount: 0.1 }, '0.1'],
  [{ at: '2026-05-04 10:30:00' }, '2026-05-04T08:30:00.000Z'],
  [{ level: 'high' }, 'high'],
  [{ level: { $contains: 'ig' } }, 'ig'],
  [{ mail: { $like: '%@example.com' } }, '%@example.com'],
  [{ maker: 5 }, 5],
  [{ maker_id: 5 }, 5],
  [{ extra: { $null: false } }, false],
  [{ count: [1, null, 2] }, [1, null, 2]],
  [{ code: { $nin: ["'; --"] } }, ["'; --"]],
]
test('values are planned with the type of their field', () => {
  for (const [where, value] of values)
    assert.deepEqual(plannedValues(where), [value].flat(), JSON.stringify(where))
})

const nul = 'contains the control character NUL at position 0'
const unknown = (name: string, entity = 'item') => `"${name}" is not a field of ${entity}`
const noPath = '"code" of item is not an association, so the path cannot continue through it'
const many =
  '"parts" of item is a one-to-many field: it has many records, not one value; conditions ask these with "$some" and "$none"'
const invalid: readonly [body: object, path: string, message: string][] = [
  [{ $where: { cuont: 1 } }, '$where.cuont', `${unknown('cuont')}; did you mean "count"?`],
  [{ $where: { constructor: 1 } }, '$where.constructor', unknown('constructor')],
  [{ $where: JSON.parse('{"__proto__":1}') }, '$where.__proto__', unknown('__proto__')],
  [{ $where: { 'id" OR --': 1 } }, '$where.id" OR --', unknown('id" OR --')],
  [{ $where: { 'maker.nm': 1 } }, '$where.maker.nm', unknown('nm', 'maker')],
  [{ $where: { 'code.name': 'x' } }, '$where.code.name', noPath],
  [{ $where: { parts: 1 } }, '$where.parts', many],
  [{ $where: { count: '5' } }, '$where.count', 'must be a whole number, not a string'],
  [{ $where: { count: [1, 'x'] } }, '$where.count[1]', 'must be a whole number, not a string'],
  [{ $where: { flag: 'true' } }, '$where.flag', 'must be true or false, not a string'],
  [
    { $where: { code: { $eq: { $today: 0 } } } },
    '$where.code.$eq',
    '"$today" is a day or a moment, which a field of type string does not hold',
  ],
  [{ $where: { day: { $today: 1, $gt: 5 } } }, '$where.day', 'must have "$today" and nothing else'],
  [
    { $where: { day: { $tody: 1 } } },
    '$where.day.$tody',
    'is not an operator; did you mean "$today"?',
  ],
  [
    { $where: { day: { $in: ['2026-05-04', { $startOf: 'mnoth' }] } } },
    '$where.day.$in[1]',
    'must begin with a period, as { "$startOf": "month" }; periods are week, month, quarter and year; did you mean "month"?',
  ],
  [
    { $where: { day: { $lt: { $today: 1e9 } } } },
    '$where.day.$lt',
    'must have a whole number of days from -36525 to 36525, as { "$today": -30 }',
  ],
  [
    { $where: { at: Array.from({ length: 101 }, () => ({ $today: 0 })) } },
    '$where.at',
    'brings the values that move with the clock to 101 in total; at most 100 are allowed',
  ],
  [
    { $where: { at: Array.from({ length: 101 }, () => '2026-05-04') } },
    '$where.at',
    'has 101 days, which are compared with moments; at most 100 are allowed',
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
  [{ $orderBy: ['extra'] }, '$orderBy[0]', '"extra" has a type that cannot be sorted'],
  [{ $orderBy: ['-cuont'] }, '$orderBy[0]', `${unknown('cuont')}; did you mean "count"?`],
]
test('what does not fit the fields of an entity has an issue at its place', () => {
  for (const [body, path, message] of invalid)
    assert.deepEqual(
      criteriaIssues(() => planOf(body)),
      [{ path, message }],
    )
})

test('a moment is compared with at most 100 days', () => {
  const days = Array.from({ length: 100 }, () => '2026-05-04')
  assert.doesNotThrow(() => planOf({ $where: { at: days } }))
})

/** Conditions on one field, and whether PostgreSQL may be busy with one record for too long. */
const searches = (field: string, operand: object, count = 1) => ({
  $or: Array.from({ length: count }, () => ({ [field]: operand })),
})
const long = 'a'.repeat(979)
const slow: readonly [where: object, isRefused: boolean][] = [
  [searches('note', { $ilike: `%${long}` }), false],
  [searches('note', { $ilike: `%${long}` }, 2), false],
  [searches('note', { $ilike: `%${long}` }, 3), true],
  [searches('note', { $like: `%${long}` }, 50), true],
  [searches('note', { $contains: long }, 50), true],
  [{ $not: searches('note', { $contains: long }, 50) }, true],
  // Its characters have two bytes each.
  [searches('note', { $contains: 'é'.repeat(990) }, 2), true],
  [searches('parent.note', { $ilike: `%${long}` }, 3), true],
  [searches('note', { $ilike: '%invoice%' }, 50), false],
  [searches('code', { $ilike: `%${long}` }, 50), false],
  [searches('note', { $startsWith: long }, 50), false],
  [searches('extra', { $contains: { tags: ['new'] } }, 50), false],
  [searches('extra', { $contains: Array.from({ length: 99 }, (_, at) => at) }, 5), true],
]
for (const [where, isRefused] of slow)
  test(`a query has a limit of work in one record: ${JSON.stringify(where).slice(0, 60)}`, () => {
    const issues = criteriaIssues(() => planOf({ $where: where }))
    assert.equal(issues.length, isRefused ? 1 : 0)
    if (isRefused)
      assert.match(
        issues[0]?.message ?? '',
        /^needs up to \d+ comparisons of characters in one record/,
      )
    const compile = () =>
      compileConditions({
        catalog,
        entity: item,
        timeZone: 'UTC',
        user: nothing,
        conditions: [parseWhere(where).condition ?? assert.fail()],
      })
    assert.deepEqual(
      criteriaIssues(compile),
      issues,
      'conditions of definitions have the same limit',
    )
  })

test('all issues of a query are reported together', () => {
  const body = { $where: { $or: [{ a: 1 }, { flag: 1 }] }, $orderBy: ['b'] }
  const found = criteriaIssues(() => planOf(body, { columns: ['c'] }))
  assert.deepEqual(
    found.map(({ path }) => path),
    ['$where.$or[0].a', '$where.$or[1].flag', '$orderBy[0]', '$select[0]'],
  )
})

const hiding = (...names: string[]): Partial<Access> => ({
  maySee: (entity, column) => !names.includes(`${entity.key}.${column.name}`),
})

test('a hidden column is unknown at every place and is never suggested', () => {
  const access = hiding('item.amount', 'item.count', 'item.maker_id')
  const messages = (body: object, columns: string[] = []) =>
    criteriaIssues(() => planOf(body, { access, columns })).map(({ message }) => message)
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

test('paths share joins, and joins of conditions and order are marked as needed before the page is cut', () => {
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

test('each join is limited to the records that the caller may read', () => {
  const readScope: Access['readScope'] = ({ key }) =>
    key === 'maker' ? { ownedBy: int(7) } : 'none'
  const { joins, scope } = planOf(
    { $where: { 'maker.country.code': 'HR' } },
    { access: { readScope } },
  )
  assert.equal(scope, 'all')
  assert.deepEqual(
    joins.map((join) => join.scope),
    [{ ownedBy: int(7) }, 'none'],
  )
})

const tooMany =
  'leads through more than 100 associations in total; ask for fewer of them, or for fewer columns'

test('paths lead through at most 100 associations in all', () => {
  const path = (steps: number) => `${'parent.'.repeat(steps)}code`
  assert.equal(planOf({ $where: { [path(100)]: 'x' } }).joins.length, 100)
  const long = path(200)
  assert.deepEqual(
    criteriaIssues(() => planOf({ $orderBy: [long, path(3)] })),
    [{ path: '$orderBy[0]', message: tooMany }],
  )
})

test('the records of $some are limited to those that the caller may read, and their fields to those seen', () => {
  const where = { 'parent.parts': { $some: { 'maker.name': 'x', parts: { $none: {} } } } }
  const scope = { ownedBy: int(7) }
  const plan = planOf({ $where: where }, { access: { readScope: () => scope } })
  assert.ok(plan.where?.kind === 'some' && plan.where.condition.kind === 'and')
  const [, inner] = plan.where.condition.conditions
  assert.ok(inner?.kind === 'not' && inner.condition.kind === 'some')
  const scopes = [plan, plan.where, inner.condition].flatMap((one) => [
    one.scope,
    ...one.joins.map((join) => join.scope),
  ])
  assert.deepEqual(scopes, ['all', scope, scope, scope, scope])
  const issuesWith = ($where: object, access: Partial<Access> = {}) =>
    criteriaIssues(() => planOf({ $where }, { access })).map(({ path, message }) => [path, message])
  const unknownParts = '"parts" is not a one-to-many field of item'
  assert.deepEqual(issuesWith({ count: { $some: {} } }), [
    ['$where.count.$some', '"count" is not a one-to-many field of item'],
  ])
  assert.deepEqual(issuesWith({ 'maker.prats': { $some: {} }, prats: { $none: {} } }), [
    ['$where.maker.prats.$some', '"prats" is not a one-to-many field of maker'],
    ['$where.prats.$none', '"prats" is not a one-to-many field of item; did you mean "parts"?'],
  ])
  for (const hidden of ['item.parts', 'item.parent_id'])
    assert.deepEqual(issuesWith({ parts: { $some: {} } }, hiding(hidden)), [
      ['$where.parts.$some', unknownParts],
    ])
  assert.deepEqual(
    issuesWith({ parts: { $some: { amount: '1' } } }, hiding('item.amount', 'item.count')),
    [['$where.parts.$some.amount', unknown('amount')]],
  )
  assert.deepEqual(issuesWith({ parts: { $some: { parts: 1 } } }), [
    ['$where.parts.$some.parts', many],
  ])
})

test('all of $some counts in the limits of one query', () => {
  const lists = (length: number, inner: object) => ({
    $or: Array.from({ length }, () => ({ parts: { $some: inner } })),
  })
  const issues = (where: object) => criteriaIssues(() => planOf({ $where: where }))
  assert.deepEqual(issues(lists(100, {})), [])
  assert.deepEqual(issues(lists(50, { 'maker.name': 'x' })), [])
  for (const where of [lists(101, {}), lists(51, { 'maker.name': 'x' })])
    assert.deepEqual(
      issues(where).map(({ message }) => message),
      [tooMany],
    )
  assert.equal(issues(lists(3, { note: { $ilike: `%${long}` } })).length, 1)
})

test('the order ends with the id unless it already contains the id', () => {
  const orderOf = (body: object) =>
    planOf(body).orderBy.map(({ ref, descending }) => `${descending ? '-' : ''}${ref.column.name}`)
  assert.deepEqual(orderOf({}), ['id'])
  assert.deepEqual(orderOf({ $orderBy: ['-code'] }), ['-code', 'id'])
  assert.deepEqual(orderOf({ $orderBy: ['-id', 'code'] }), ['-id', 'code'])
  assert.deepEqual(orderOf({ $orderBy: ['maker.id'] }), ['id', 'id'])
})

test('removed records are excluded unless a condition names _is_deleted', () => {
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

test('a request may name a column only once, by any path', () => {
  const message = (name: string) => `names the column "${name}" again`
  assert.deepEqual(
    criteriaIssues(() => planOf({ $orderBy: ['count', 'maker.name', '-count', 'maker.name'] })),
    [
      { path: '$orderBy[2]', message: message('count') },
      { path: '$orderBy[3]', message: message('name') },
    ],
  )
  const columns = ['maker', 'maker.name', 'parent.maker.name', 'maker_id']
  assert.deepEqual(
    criteriaIssues(() => planOf({ $select: columns }, { columns })),
    [{ path: '$select[3]', message: message('maker_id') }],
  )
})

test('columns of a definition may repeat', () => {
  assert.equal(planOf({}, { columns: ['count', 'count'] }).columns.length, 2)
})
