/** The parts of a plan: joins with their scope, order, removed records and columns. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Access } from '../../../src/query/access.ts'
import type { SelectPlan } from '../../../src/query/select-plan.ts'
import { planOf } from '../../support/query/a-catalog.ts'
import { criteriaIssues } from './criteria-issues.ts'

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

test('paths lead through at most 100 associations in all', () => {
  const path = (steps: number) => `${'parent.'.repeat(steps)}code`
  assert.equal(planOf({ $where: { [path(100)]: 'x' } }).joins.length, 100)
  const long = path(200)
  assert.deepEqual(
    criteriaIssues(() => planOf({ $orderBy: [long, path(3)] })),
    [{ path: '$orderBy[0]', message: 'leads through more than 100 associations in total' }],
  )
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
