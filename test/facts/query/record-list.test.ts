/** The columns of whole records: lists that are kept by what callers see and what they expand, with joins of their own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int } from '../../../src/database/sql.ts'
import { type Access, fullAccess, type RecordScope } from '../../../src/query/access.ts'
import { noCriteria } from '../../../src/query/criteria/criteria.ts'
import { planSelect } from '../../../src/query/plan-select.ts'
import { recordList } from '../../../src/query/record-list.ts'
import { catalog, item } from '../../support/query/a-catalog.ts'

const listed = { catalog, entity: item, timeZone: 'UTC' }
const maker = catalog.entities.get('maker')
assert.ok(maker)
const includes = [{ path: 'maker', entity: maker }]

const joinScopes = (access: Access): RecordScope[] => {
  const columns = recordList({ ...listed, access, includes })
  const plan = planSelect({
    ...listed,
    access,
    columns,
    criteria: noCriteria,
    scope: 'all',
    page: undefined,
  })
  return plan.joins.map(({ scope }) => scope)
}

test('joins use the scope of the current caller, also when the list was cached for another', () => {
  const { maySee } = fullAccess
  const ofUser = (id: number): Access => ({
    ...fullAccess,
    maySee,
    readScope: () => ({ ownedBy: int(id) }),
  })
  assert.deepEqual(joinScopes(ofUser(1)), [{ ownedBy: int(1) }])
  assert.deepEqual(joinScopes(ofUser(2)), [{ ownedBy: int(2) }])
  assert.deepEqual(joinScopes(fullAccess), ['all'])
})

test('the same request gets the cached list', () => {
  const list = () => recordList({ ...listed, access: { ...fullAccess }, includes })
  assert.equal(list(), list())
})

test('each set of visible columns has its own list', () => {
  const restricted: Access = { ...fullAccess, maySee: (_, column) => column.name !== 'amount' }
  const names = (access: Access) =>
    recordList({ ...listed, access, includes: [] }).columns.map(({ path }) => path)
  const all = names(fullAccess)
  assert.ok(all.includes('amount'))
  assert.deepEqual(
    names(restricted),
    all.filter((path) => path !== 'amount'),
  )
  assert.deepEqual(names(fullAccess), all)
})

test('each set of included associations has its own list', () => {
  const paths = (some: typeof includes) =>
    recordList({ ...listed, access: fullAccess, includes: some }).columns.map(({ path }) => path)
  assert.ok(paths(includes).includes('maker.name'))
  assert.ok(!paths([]).includes('maker.name'))
})
