/** A body of query criteria is parsed into a tree of conditions, or every issue of its shape is reported. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Condition, noCriteria } from '../../../src/query/criteria/criteria.ts'
import type { Operator } from '../../../src/query/criteria/operators.ts'
import { parseCriteria, parseWhere } from '../../../src/query/criteria/parse-criteria.ts'
import { criteriaIssues } from './criteria-issues.ts'

const compare = (field: string, operator: Operator, value: unknown, at: string): Condition => ({
  kind: 'compare',
  field,
  operator,
  value,
  at,
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
  // Values that look like SQL and names of JavaScript built-ins get no special treatment.
  [{ '"; DELETE': 1 }, compare('"; DELETE', '$eq', 1, '$where."; DELETE')],
  [JSON.parse('{"__proto__":1}'), compare('__proto__', '$eq', 1, '$where.__proto__')],
]
test('conditions are parsed into a tree', () => {
  for (const [where, tree] of trees) {
    assert.deepEqual(parseCriteria({ $where: where }).where, tree)
    assert.deepEqual(parseWhere(where, '$where'), { condition: tree, issues: [] })
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

const issuesOf = (body: unknown) => criteriaIssues(() => parseCriteria(body))

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
