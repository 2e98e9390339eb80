/** Conditions that compare two fields: what cannot be compared has an issue at its place, that says what to do. Each operator is in `service/query/operators`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int } from '../../../src/database/sql.ts'
import { criteriaIssues, planOf } from '../../support/query/a-catalog.ts'

const rows: readonly [where: object, path: string, message: RegExp][] = [
  [
    { count: { $gt: { $field: 'day' } } },
    '$where.count.$gt',
    /^cannot be compared with "day", a date; compare a number with a field of the same kind$/,
  ],
  [{ day: { $lt: { $field: 'at' } } }, '$where.day.$lt', /a timestamp/],
  [{ maker: { $field: 'parent' } }, '$where.maker', /an id of another entity; compare/],
  [{ count: { $field: 'id' } }, '$where.count', /"id", an id of another entity;/],
  [{ flag: { $field: 'flag' } }, '$where.flag', /a field of type boolean/],
  [{ amount: { $field: 'amuont' } }, '$where.amount', /did you mean "amount"\?$/],
  [{ amount: { $field: 'parts.count' } }, '$where.amount', /one-to-many/],
  [{ amount: { $eq: { $field: 5 } } }, '$where.amount.$eq', /^must name one field or path/],
  [{ amount: { $field: 'count', $gt: 5 } }, '$where.amount', /and nothing else/],
  [{ amount: { $field: 'x'.repeat(10_001) } }, '$where.amount', /10000 characters/],
  [{ code: { $in: { $field: 'note' } } }, '$where.code.$in', /compare by "\$eq", "\$ne",/],
  [{ code: { $like: { $field: 'note' } } }, '$where.code.$like', /does not take "\$field"/],
  [{ $not: { amount: { $field: 'count' } } }, '$where.$not', /use the opposite operator/],
  [{ extra: { $field: 'extra' } }, '$where.extra', /json does not take \$eq/],
]
for (const [where, path, message] of rows)
  test(JSON.stringify(where).slice(0, 80), () => {
    const issues = criteriaIssues(() => planOf({ $where: where }))
    assert.deepEqual(
      issues.map((issue) => issue.path),
      [path],
    )
    assert.match(issues[0]?.message ?? '', message)
  })

test('JSON may contain a member of that name', () => {
  const where = { extra: { $contains: { $field: 'amount' } } }
  assert.deepEqual(
    criteriaIssues(() => planOf({ $where: where })),
    [],
  )
})

test('a path to the other field leads through records that the caller may read', () => {
  const scope = { ownedBy: int(7) }
  const where = { amount: { $gt: { $field: 'parent.amount' } } }
  const { joins } = planOf({ $where: where }, { access: { readScope: () => scope } })
  assert.deepEqual(
    joins.map((join) => join.scope),
    [scope],
  )
})

test('a cursor belongs to the compared field, and to a time that moves as it was written', () => {
  const cursorOf = (where: object) =>
    planOf({ $where: where, $after: null }, { page: { limit: 1, offset: 0 } }).cursor?.fingerprint
  for (const [one, other] of [
    [{ count: { $gt: { $field: 'amount' } } }, { count: { $gt: { $field: 'big' } } }],
    [{ at: { $eq: { $today: 0 } } }, { at: { $eq: { $today: 1 } } }],
  ] as const) {
    assert.equal(cursorOf(one), cursorOf({ ...one }))
    assert.notEqual(cursorOf(one), cursorOf(other))
  }
})
