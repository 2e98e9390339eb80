/** A body of query criteria is parsed into a tree of conditions, or every issue of its shape and its size is reported. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operator } from '../../../src/definitions/values/rules/operators.ts'
import { type Condition, noCriteria } from '../../../src/query/criteria/criteria.ts'
import { parseCriteria, parseWhere } from '../../../src/query/criteria/parse-criteria.ts'
import { criteriaIssues, planOf } from '../../support/query/a-catalog.ts'

const compare = (field: string, operator: Operator, value: unknown, at: string): Condition => ({
  kind: 'compare',
  field,
  operator,
  value,
  at,
})
const some = (list: string, condition: Condition, name: string): Condition => ({
  kind: 'some',
  list,
  condition,
  at: `$where.${list}.${name}`,
})
const all = (...conditions: Condition[]): Condition => ({ kind: 'and', conditions })
const any = (...conditions: Condition[]): Condition => ({ kind: 'or', conditions })

const trees: readonly [where: object, tree: Condition][] = [
  [{}, all()],
  [{ a: 5 }, compare('a', '$eq', 5, '$where.a')],
  [{ a: null }, compare('a', '$eq', null, '$where.a')],
  [{ a: [1, null] }, compare('a', '$in', [1, null], '$where.a')],
  [{ a: [] }, compare('a', '$in', [], '$where.a')],
  [{ 'a.b.c': 'x' }, compare('a.b.c', '$eq', 'x', '$where.a.b.c')],
  [{ a: { $gt: '1' } }, compare('a', '$gt', '1', '$where.a.$gt')],
  [
    { a: { $gt: 1, $lt: 9 } },
    all(compare('a', '$gt', 1, '$where.a.$gt'), compare('a', '$lt', 9, '$where.a.$lt')),
  ],
  [{ a: 1, b: 2 }, all(compare('a', '$eq', 1, '$where.a'), compare('b', '$eq', 2, '$where.b'))],
  [
    { $or: [{ a: 1 }, { b: { $null: true } }] },
    any(
      compare('a', '$eq', 1, '$where.$or[0].a'),
      compare('b', '$null', true, '$where.$or[1].b.$null'),
    ),
  ],
  [{ $and: [{}] }, all(all())],
  [{ $not: { a: 1 } }, { kind: 'not', condition: compare('a', '$eq', 1, '$where.$not.a') }],
  [{ $not: {} }, { kind: 'not', condition: all() }],
  [
    { 'a.b': { $some: { c: 1 } } },
    some('a.b', compare('c', '$eq', 1, '$where.a.b.$some.c'), '$some'),
  ],
  [{ 'a.b': { $none: {} } }, { kind: 'not', condition: some('a.b', all(), '$none') }],
  // Values that look like SQL and names of JavaScript built-ins get no special treatment.
  [{ '"; DELETE': 1 }, compare('"; DELETE', '$eq', 1, '$where."; DELETE')],
  [JSON.parse('{"__proto__":1}'), compare('__proto__', '$eq', 1, '$where.__proto__')],
]
test('conditions are parsed into a tree', () => {
  for (const [where, tree] of trees) {
    assert.deepEqual(parseCriteria({ $where: where }).where, tree)
    assert.deepEqual(parseWhere(where), { condition: tree, issues: [] })
  }
})

test('no body, null and an empty object mean all records', () => {
  for (const body of [undefined, null, {}]) assert.deepEqual(parseCriteria(body), noCriteria)
})

test('$orderBy, $select and $count are parsed', () => {
  const body = { $orderBy: ['-a', '+b', 'c.d'], $select: ['a', 'c.d'], $count: true }
  assert.deepEqual(parseCriteria(body), {
    where: undefined,
    search: [],
    orderBy: [
      { field: 'a', descending: true, at: '$orderBy[0]' },
      { field: 'b', descending: false, at: '$orderBy[1]' },
      { field: 'c.d', descending: false, at: '$orderBy[2]' },
    ],
    select: ['a', 'c.d'],
    count: true,
    turn: undefined,
    totals: undefined,
  })
})

const invalid: readonly [body: unknown, path: string, message: string][] = [
  [[], '', 'must be an object, not an array'],
  [{ where: {} }, 'where', 'is not a key of query criteria; did you mean "$where"?'],
  [{ $limit: 5 }, '$limit', 'is not a key of query criteria'],
  [JSON.parse('{"__proto__":{}}'), '__proto__', 'is not a key of query criteria'],
  [{ $where: null }, '$where', 'must be an object, not null'],
  [{ $where: 'a = 1' }, '$where', 'must be an object, not a string'],
  [{ $where: { a: {} } }, '$where.a', 'must name an operator, such as { "$gt": 10 }'],
  [{ $where: { a: { b: 1 } } }, '$where.a.b', 'is not an operator'],
  [{ $where: { a: { $gr: 1 } } }, '$where.a.$gr', 'is not an operator; did you mean "$gt"?'],
  [{ $where: { a: JSON.parse('{"__proto__":1}') } }, '$where.a.__proto__', 'is not an operator'],
  [{ $where: { $ro: [] } }, '$where.$ro', 'is not an operator; did you mean "$or"?'],
  [
    { $where: { $gt: 5 } },
    '$where.$gt',
    'must be inside a field, such as { "total": { "$gt": "10" } }',
  ],
  [{ $where: { $or: { a: 1 } } }, '$where.$or', 'must be an array, not an object'],
  [{ $where: { $or: [] } }, '$where.$or', 'must not be empty'],
  [{ $where: { $and: [5] } }, '$where.$and[0]', 'must be an object, not a number'],
  [{ $where: { $not: [{ a: 1 }] } }, '$where.$not', 'must be an object, not an array'],
  [{ $where: { a: { $in: 'x' } } }, '$where.a.$in', 'must be an array, not a string'],
  [{ $where: { a: { $null: 1 } } }, '$where.a.$null', 'must be true or false, not a number'],
  [{ $where: { a: { $like: 5 } } }, '$where.a.$like', 'must be a string, not a number'],
  [
    { $where: { a: { $contains: null } } },
    '$where.a.$contains',
    'must be the value to search for, not null',
  ],
  [
    { $where: { a: { $contains: Array.from({ length: 11 }, () => Array(10).fill(1)) } } },
    '$where.a.$contains',
    'holds more than 100 values to look for',
  ],
  [{ $where: { a: { $eq: {} } } }, '$where.a.$eq', 'must be one value, not an object'],
  [{ $where: { a: { $gt: [1] } } }, '$where.a.$gt', 'must be one value, not an array'],
  ...['$gt', '$gte', '$lt', '$lte'].map((name): [object, string, string] => [
    { $where: { a: { [name]: null } } },
    `$where.a.${name}`,
    'must be one value, not null; find empty values with { "$null": true }',
  ]),
  [
    { $where: { a: { $like: 'x\\' } } },
    '$where.a.$like',
    'must not end with a single backslash, which escapes the character after it',
  ],
  [{ $orderBy: 'a' }, '$orderBy', 'must be an array of field names, not a string'],
  [{ $orderBy: [] }, '$orderBy', 'must not be empty'],
  [{ $orderBy: ['a', { b: 1 }] }, '$orderBy[1]', 'must be the name of a field, not an object'],
  [{ $select: [] }, '$select', 'must not be empty'],
  [{ $select: [''] }, '$select[0]', 'must be the name of a field, not a string'],
  [{ $select: null }, '$select', 'must be an array of field names, not null'],
  [{ $count: 'true' }, '$count', 'must be true or false, not a string'],
]
test('what is no criterion has an issue at its place', () => {
  for (const [body, path, message] of invalid) assert.deepEqual(issuesOf(body), [{ path, message }])
})

test('a pattern may end with an escaped backslash, other text with a single one', () => {
  assert.deepEqual(issuesOf({ $where: { a: { $like: 'x\\\\' }, b: { $startsWith: 'x\\' } } }), [])
})

test('all issues of a body are reported together', () => {
  const body = { $wher: 1, $where: { a: { $gr: 1 }, $or: 5 }, $orderBy: [5], $count: 'yes' }
  assert.deepEqual(
    issuesOf(body).map(({ path }) => path),
    ['$wher', '$where.a.$gr', '$where.$or', '$orderBy[0]', '$count'],
  )
})

const issuesOf = (body: unknown) => criteriaIssues(() => parseCriteria(body))

const nested = (levels: number): object =>
  levels === 0
    ? { a: 1 }
    : levels % 2
      ? { $not: nested(levels - 1) }
      : { $or: [nested(levels - 1)] }

test('conditions may nest at most 20 levels deep', () => {
  assert.deepEqual(issuesOf({ $where: nested(20) }), [])
  const [issue, ...more] = issuesOf({ $where: nested(21) })
  assert.deepEqual(more, [])
  assert.equal(issue?.message, 'is nested deeper than 20 levels')
  assert.equal(issuesOf({ $where: nested(5000) }).length, 1)
})

const inside = (levels: number): object =>
  levels === 0 ? {} : { a: { $some: inside(levels - 1) } }
test('$some and $none nest at most 3 levels deep, and count as groups and as conditions', () => {
  assert.deepEqual(issuesOf({ $where: inside(3) }), [])
  const path = '$where.a.$some.a.$some.a.$some.a.$some'
  for (const levels of [4, 1000])
    assert.deepEqual(issuesOf({ $where: inside(levels) }), [
      { path, message: 'is inside of 3 others of "$some" and "$none"; at most 3 are allowed' },
    ])
  const groups = { a: { $some: nested(20) } }
  assert.equal(issuesOf({ $where: groups })[0]?.message, 'is nested deeper than 20 levels')
  const lists = (length: number) => ({ $or: Array.from({ length }, () => ({ a: { $none: {} } })) })
  assert.deepEqual(issuesOf({ $where: lists(500) }), [])
  assert.deepEqual(issuesOf({ $where: lists(10_000) }), [
    {
      path: '$where.$or[500].a.$none',
      message: 'is condition number 1001; at most 1000 are allowed',
    },
  ])
})

test('what is no condition on the records of a list has an issue', () => {
  for (const where of [
    { parts: { $some: [] } },
    { parts: { $none: null } },
    { parts: { $some: {}, $null: true } },
    { parts: { $some: { amount: { $caller: 'id' } } } },
    { 'maker.__proto__': { $some: {} } },
    { '': { $some: {} } },
    { '.': { $some: {} } },
    { $some: {} },
  ])
    assert.notEqual(
      criteriaIssues(() => planOf({ $where: where })).length,
      0,
      JSON.stringify(where),
    )
})

const fieldOf = { a: { $some: { b: { $gt: { $field: 'c' } } } } }
const callerOf = { a: { $some: { b: { $caller: 'id' } } } }
test('what is not asked of a record must not hold for an empty value of the caller', () => {
  const issuesWith = (where: object) =>
    parseWhere(where, { namesCaller: true }).issues.map(({ path }) => path)
  assert.deepEqual(issuesWith({ $and: [fieldOf, callerOf, { $not: fieldOf }] }), [])
  assert.deepEqual(issuesWith({ a: { $none: { b: { $gt: { $field: 'c' } } } } }), [])
  assert.deepEqual(issuesWith({ $not: callerOf }), ['$where.$not'])
  assert.deepEqual(issuesWith({ a: { $none: { b: { $caller: 'id' } } } }), ['$where.a.$none'])
  assert.deepEqual(issuesWith({ a: { $none: callerOf } }), ['$where.a.$none'])
})

const conditions = (count: number) => ({
  $or: Array.from({ length: count }, (_, index) => ({ a: index })),
})

test('a body has at most 1,000 conditions', () => {
  assert.deepEqual(issuesOf({ $where: conditions(1000) }), [])
  assert.deepEqual(issuesOf({ $where: conditions(5000) }), [
    {
      path: '$where.$or[1000].a',
      message: 'is condition number 1001; at most 1000 are allowed',
    },
  ])
})

test('a list has at most 10,000 entries', () => {
  const list = (length: number) => ({ $where: { a: { $in: Array.from({ length }, () => 1) } } })
  assert.deepEqual(issuesOf(list(10_000)), [])
  assert.deepEqual(issuesOf(list(10_001)), [
    { path: '$where.a.$in', message: 'has 10001 entries, at most 10000 are allowed' },
  ])
})

test('an empty group counts as a condition at any place', () => {
  const groups = (length: number) => Array.from({ length }, () => ({}))
  assert.deepEqual(issuesOf({ $where: { $or: groups(1000) } }), [])
  for (const [where, path] of [
    [{ $or: groups(20_000) }, '$where.$or[1000]'],
    [{ $and: groups(1001) }, '$where.$and[1000]'],
    [{ $and: groups(1001).map(() => ({ $not: {} })) }, '$where.$and[1000].$not'],
  ] as const)
    assert.deepEqual(issuesOf({ $where: where }), [
      { path, message: 'is condition number 1001; at most 1000 are allowed' },
    ])
})

test('all lists together have at most 10,000 entries', () => {
  const list = (length: number) => ({ a: Array.from({ length }, () => 1) })
  assert.deepEqual(issuesOf({ $where: { $or: [list(5000), list(5000)] } }), [])
  assert.deepEqual(issuesOf({ $where: { $or: [list(5000), list(5001)] } }), [
    {
      path: '$where.$or[1].a',
      message: 'brings the listed values to 10001 in total; at most 10000 are allowed',
    },
  ])
})

test('texts have limits, and are accepted up to them', () => {
  for (const [operator, operand, message] of [
    ['$like', 'x'.repeat(1001), 'has 1001 characters, at most 1000 are allowed here'],
    ['$contains', 'x'.repeat(1001), 'has 1001 characters, at most 1000 are allowed here'],
    ['$ilike', '%'.repeat(21), 'contains "%" 21 times; at most 20 are allowed'],
    ['$eq', 'x'.repeat(10_001), 'has 10001 characters, at most 10000 are allowed'],
    ['$nin', ['x'.repeat(10_001)], 'has 10001 characters, at most 10000 are allowed'],
  ] as const)
    assert.deepEqual(issuesOf({ $where: { a: { [operator]: operand } } }), [
      { path: `$where.a.${operator}`, message },
    ])
  const search = `${'%'.repeat(20)}${'x'.repeat(980)}`
  const value = 'x'.repeat(10_000)
  assert.deepEqual(issuesOf({ $where: { a: { $like: search, $contains: search }, b: value } }), [])
})

test('a body has at most 50 text searches', () => {
  const searches = (count: number) => ({
    $or: Array.from({ length: count }, () => ({ a: { $contains: 'x' } })),
  })
  assert.deepEqual(issuesOf({ $where: searches(50) }), [])
  assert.deepEqual(issuesOf({ $where: searches(51) }), [
    {
      path: '$where.$or[50].a.$contains',
      message: 'is text search number 51; at most 50 are allowed',
    },
  ])
})

test('at most 100 issues are reported, the first 20 with a suggestion, followed by a note that there are more', () => {
  const where = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, index) => [`f${index}`, { $gtt: 1 }]),
  )
  const issues = issuesOf({ $where: where })
  assert.equal(issues.length, 101)
  assert.match(issues[19]?.message ?? '', /did you mean "\$gt"/)
  assert.equal(issues[20]?.message, 'is not an operator')
  assert.deepEqual(issues[100], {
    path: '',
    message: 'there are more issues than these; fix these first',
  })
})

test('long names are shortened in paths and messages', () => {
  const [issue] = issuesOf({ [`${'x'.repeat(4_000_000)}`]: 1 })
  assert.equal(issue?.path, `${'x'.repeat(199)}…`)
  const [field] = issuesOf({ $where: { ['y'.repeat(4_000_000)]: 1 } })
  assert.deepEqual(field, {
    path: `$where.${'y'.repeat(79)}…`,
    message: 'is longer than 10000 characters, so it names no field',
  })
})

test('$orderBy and $select have at most 500 names', () => {
  const names = (length: number) => Array.from({ length }, () => 'a')
  assert.deepEqual(issuesOf({ $orderBy: names(500), $select: names(500) }), [])
  const message = 'has 501 entries, at most 500 are allowed'
  assert.deepEqual(issuesOf({ $orderBy: names(501), $select: names(501) }), [
    { path: '$orderBy', message },
    { path: '$select', message },
  ])
})
