/** Limits of query criteria: nesting, conditions, lists, texts, names and reported issues. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCriteria } from '../../../src/query/criteria/parse-criteria.ts'
import { criteriaIssues } from './criteria-issues.ts'

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
    [{ $or: groups(1_000_000) }, '$where.$or[1000]'],
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
