/** What users with several roles may write: by a role that grants the write from its beginning to its end, and what it lets write. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { queryRows } from '../../../src/database/pool.ts'
import { int, sql, table } from '../../../src/database/sql.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { heldRolesOf, holder, usersWithRole } from '../../../src/users/user-store.ts'
import { compileTakers } from '../../../src/workflow/takers.ts'
import { both, shareSeveralRoles } from './a-several-roles-project.ts'

const service = await shareSeveralRoles()
const { as: ask, newClaim } = service
const change = async (id: number, body: object, as = both) =>
  (await ask('PATCH', `/claim/${id}`, as, body)).status

describe('a change', () => {
  test('is granted by the role that includes the record', async () => {
    const southDraft = await newClaim({ region: 'S', state: 'draft' })
    assert.equal(await change(southDraft, { name: 'D' }), 200)
    assert.equal(await change(southDraft, { price: 5 }), 400)
    const northSent = await newClaim({ region: 'N', state: 'sent' })
    assert.equal(await change(northSent, { name: 'D', price: 5 }), 200)
    const southSent = await newClaim({ region: 'S', state: 'sent' })
    const refused = await ask('PATCH', `/claim/${southSent}`, both, { name: 'D' })
    assert.equal(refused.status, 403)
    assert.match(refused.text, /Only drafts/)
  })

  test('writes the fields that one of the roles that grant it lets write', async () => {
    const northDraft = await newClaim({ region: 'N', state: 'draft' })
    assert.equal(await change(northDraft, { price: 5, reason: 'both' }), 200)
    const northSent = await newClaim({ region: 'N', state: 'sent' })
    assert.equal(await change(northSent, { reason: 'hidden from the one that grants it' }), 400)
  })

  test('is granted to its end: no role begins what another one ends', async () => {
    const southDraft = await newClaim({ region: 'S', state: 'draft' })
    assert.equal(await change(southDraft, { state: 'sent' }), 403)
    const northDraft = await newClaim({ region: 'N', state: 'draft' })
    // The clerk's role begins it and not the one that lets write the reason.
    assert.equal(await change(northDraft, { state: 'sent', reason: 'gone' }), 400)
    assert.equal(await change(northDraft, { state: 'sent', price: 3 }), 200)
    const { state, reason, price } = (
      await ask('GET', `/claim/${northDraft}`, 'admin@example.com')
    ).json(200)
    assert.deepEqual([state, reason, price], ['sent', null, 3])
  })

  test('of many records is that of each', async () => {
    const all = [
      await newClaim({ region: 'S', state: 'draft' }),
      await newClaim({ region: 'N', state: 'sent' }),
      await newClaim({ region: 'S', state: 'sent' }),
    ]
    const body = { ids: all, do: { change: { name: 'Many' } } }
    const { text, status } = await ask('POST', '/claim/bulk', both, body)
    assert.equal(status, 200, text)
    const named = { $where: { name: 'Many' }, $orderBy: ['id'], $select: ['id'] }
    const { data } = (await ask('POST', '/claim/search', 'admin@example.com', named)).json(200)
    assert.deepEqual(
      data.map(({ id }: { id: number }) => id),
      all.slice(0, 2),
    )
  })
})

test('a new record is granted by one role as a whole', async () => {
  const create = async (values: object) =>
    (await ask('POST', '/claim', both, { name: 'New', ...values })).status
  assert.equal(await create({ price: 50 }), 201)
  assert.equal(await create({ reason: 'of the clerk' }), 201)
  assert.equal(await create({ price: 500 }), 400)
  assert.equal(await create({ price: 500, reason: 'of nobody' }), 400)
})

test('a removal is granted by the role that includes the record', async () => {
  const [north, south] = [await newClaim({ region: 'N' }), await newClaim({ region: 'S' })]
  const remove = async (id: number) => (await ask('DELETE', `/claim/${id}`, both)).status
  assert.deepEqual([await remove(north), await remove(south)], [204, 403])
  const [north2, void2] = [await newClaim({ region: 'N' }), await newClaim({ state: 'void' })]
  const body = { ids: [south, north2, void2], do: { remove: true } }
  const { data } = (await ask('POST', '/claim/bulk', both, body)).json(200)
  assert.deepEqual(
    data.map(({ status }: { status: string }) => status),
    ['refused', 'done', 'done'],
  )
})

test('the rights on a record are those that one of the roles has there', async () => {
  const actionsOf = async (id: number) => {
    const { may, data, unmetRights } = (await ask('GET', `/claim/${id}/actions`, both)).json(200)
    return {
      update: may.update,
      delete: may.delete,
      actions: data.map(({ key }: { key: string }) => key),
      unmet: unmetRights.map(({ right }: { right: string }) => right),
    }
  }
  const north = await newClaim({ region: 'N', state: 'sent' })
  assert.deepEqual(await actionsOf(north), {
    update: true,
    delete: true,
    actions: ['approve'],
    unmet: [],
  })
  const south = await newClaim({ region: 'S', state: 'draft' })
  assert.deepEqual(await actionsOf(south), {
    update: true,
    delete: false,
    actions: [],
    unmet: ['delete'],
  })
  const sent = await newClaim({ region: 'S', state: 'sent' })
  assert.deepEqual(await actionsOf(sent), {
    update: false,
    delete: false,
    actions: [],
    unmet: ['update', 'delete'],
  })
})

describe('an action', () => {
  const take = (id: number, as: string, values: object = {}) =>
    ask('POST', `/claim/${id}/proceedToStep`, as, { action: 'approve', values })

  test('is taken on the records that a role with it reads, with the fields of its form that this role shows', async () => {
    const south = await newClaim({ region: 'S', state: 'sent' })
    assert.equal((await take(south, both)).status, 403)
    const north = await newClaim({ region: 'N', state: 'sent' })
    assert.equal((await take(north, both, { reason: 'hidden from north' })).status, 400)
    assert.equal((await take(north, both, { state: 'fine' })).status, 200)
    const ready = await newClaim({ region: 'S', state: 'ready' })
    assert.equal((await take(ready, 'clerk-approver@example.com', { reason: 'fine' })).status, 200)
  })

  test('waits for a decision where a role with it reads the record, once', async () => {
    const made = [
      await newClaim({ region: 'N', state: 'ready', name: 'Both' }),
      await newClaim({ region: 'N', state: 'sent', name: 'North' }),
      await newClaim({ region: 'S', state: 'ready', name: 'Ready' }),
      await newClaim({ region: 'S', state: 'sent', name: 'None' }),
    ]
    const waiting = async (as: string) => {
      const { data } = (await ask('GET', '/api/approvals?limit=100', as)).json(200)
      const { count } = (await ask('GET', '/api/approvals/count', as)).json(200)
      assert.equal(count, data.length)
      return made.map((id) => data.filter((one: { id: number }) => one.id === id).length)
    }
    assert.deepEqual(await waiting('north-approver@example.com'), [1, 1, 1, 0])
    assert.deepEqual(await waiting(both), [1, 1, 0, 0])
    assert.deepEqual(await waiting('clerk-approver@example.com'), [1, 0, 1, 0])
    const many = async (as: string) => {
      const { data } = (await ask('POST', '/claim/actions', as, { ids: made })).json(200)
      return data[0]?.ids.toSorted()
    }
    assert.deepEqual(await many('north-approver@example.com'), made.slice(0, 3))
    assert.deepEqual(await many(both), made.slice(0, 2))
  })
})

test('those who can take an action are found by the role that has it and reads the record', async () => {
  const { permissions, project } = service.runtime
  const { catalog } = project
  const entity = getEntity(catalog, 'claim')
  const deps = { catalog, permissions, timeZone: 'UTC' }
  const { joins, canTake } = compileTakers(deps, entity, 'approve', holder)
  const made = {
    both: await newClaim({ region: 'N', state: 'ready' }),
    north: await newClaim({ region: 'N', state: 'sent' }),
    ready: await newClaim({ region: 'S', state: 'ready' }),
    none: await newClaim({ region: 'S', state: 'sent' }),
  }
  const takersOf = async (id: number) => {
    const rows = await queryRows<{ email: string }>(
      service.database.pool,
      sql`
SELECT u.email
FROM ${usersWithRole} ${heldRolesOf(sql`SELECT id FROM ${table('user')}`)}
JOIN ${table(entity)} t ON t.id = ${int(id)}${joins}
WHERE ${canTake} AND u.email LIKE '%-%'
ORDER BY u.email`,
    )
    return rows.map(({ email }) => email.split('@')[0])
  }
  const everyone = ['clerk-approver', 'clerk-north', 'north-approver']
  assert.deepEqual(await takersOf(made.both), everyone)
  assert.deepEqual(await takersOf(made.north), ['clerk-north', 'north-approver'])
  assert.deepEqual(await takersOf(made.ready), ['clerk-approver', 'north-approver'])
  assert.deepEqual(await takersOf(made.none), [])
})
