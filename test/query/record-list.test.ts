/** The list of whole records: it is kept for a sight, and never carries what follows from who asks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Access, fullAccess, type RecordScope } from '../../src/query/access.ts'
import { noCriteria } from '../../src/query/criteria/criteria.ts'
import { planSelect } from '../../src/query/plan-select.ts'
import { recordList } from '../../src/query/record-list.ts'
import { catalog, item } from './a-catalog.ts'

const wish = { catalog, entity: item, timeZone: 'UTC' }
const maker = catalog.entities.get('maker')
assert.ok(maker)
const includes = [{ path: 'maker', entity: maker }]

const joinScopes = (access: Access): RecordScope[] => {
  const columns = recordList({ ...wish, access, includes })
  const plan = planSelect({
    ...{ ...wish, access, columns, criteria: noCriteria },
    scope: 'all',
    page: undefined,
  })
  return plan.joins.map(({ scope }) => scope)
}

test('the records that a list joins are those in reach of who asks, whoever asked first', () => {
  const { maySee } = fullAccess
  const ofUser = (ownedBy: number): Access => ({
    ...fullAccess,
    maySee,
    readScope: () => ({ ownedBy }),
  })
  assert.deepEqual(joinScopes(ofUser(1)), [{ ownedBy: 1 }])
  assert.deepEqual(joinScopes(ofUser(2)), [{ ownedBy: 2 }])
  assert.deepEqual(joinScopes(fullAccess), ['all'])
})

test('a list that is asked for again is the one that was made', () => {
  const list = () => recordList({ ...wish, access: { ...fullAccess }, includes })
  assert.equal(list(), list())
})

test('another sight of the same entity has a list of its own', () => {
  const blind: Access = { ...fullAccess, maySee: (_, column) => column.name !== 'amount' }
  const names = (access: Access) =>
    recordList({ ...wish, access, includes: [] }).columns.map(({ path }) => path)
  const all = names(fullAccess)
  assert.ok(all.includes('amount'))
  assert.deepEqual(
    names(blind),
    all.filter((path) => path !== 'amount'),
  )
  assert.deepEqual(names(fullAccess), all)
})

test('each choice of associations has a list of its own', () => {
  const paths = (some: typeof includes) =>
    recordList({ ...wish, access: fullAccess, includes: some }).columns.map(({ path }) => path)
  assert.ok(paths(includes).includes('maker.name'))
  assert.ok(!paths([]).includes('maker.name'))
})
