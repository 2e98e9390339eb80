/** Recipients of a change: each user once per rule, and the reasons to skip others. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addGroup, type Engine, holdJobs, shareEngine } from './an-engine.ts'

let engine: Engine
let ids: Engine['ids']
before(async () => {
  engine = await shareEngine('recipients')
  ids = engine.ids
  await addGroup(engine, 'buyers', [ids.bruno, ids.anna])
  await addGroup(engine, 'sellers', [ids.clara, ids.bruno])
  await addGroup(engine, 'mixed', [ids.anna, ids.owen, ids.olga, ids.sam])
  await addGroup(engine, 'not active', [ids.removed, ids.inactive, ids.blocked, ids.anna])
})

/** Creates a request; returns the names of those notified, and the logged reasons to skip others. */
const createRequest = async (topic: string, values: object = {}, as?: 'anna' | 'owen') => {
  const id = await engine.create({ topic, ...values }, as)
  const notified = await engine.notifiedNames(id)
  const skipped = engine
    .observed('recipientsSkipped')
    .filter((one) => one.id === id && one.reason !== 'has no e-mail address')
    .map(({ reason, count, userIds }) => ({ reason, count, userIds }))
  return { id, notified, skipped }
}

test('the user in a field is notified, and nobody when the field is empty', async () => {
  assert.deepEqual((await createRequest('field', { approver_id: ids.anna })).notified, ['anna'])
  assert.deepEqual((await createRequest('field')).notified, [])
})

test('_created_by and _owned_by are the creator and the owner of the record', async () => {
  assert.deepEqual((await createRequest('creator', {}, 'anna')).notified, ['anna'])
  const { id, notified } = await createRequest('owner', {}, 'anna')
  assert.deepEqual(notified, ['anna'])
  const as = engine.mailOf('bruno')
  assert.equal((await engine.ask('POST', `/recipients/${id}/takeOwnership`, { as })).status, 200)
  assert.deepEqual(
    await engine.notifiedNames(id),
    ['anna', 'anna'],
    'the actor bruno is not notified',
  )
})

test('the user at the end of a path of associations is notified', async () => {
  const create = async (path: string, body: object) =>
    (await engine.ask('POST', path, { body })).json().id
  const region_id = await create('/region', { name: 'North', head_id: ids.clara })
  const full = await create('/supplier', { account_manager_id: ids.bruno, region_id })
  const half = await create('/supplier', { account_manager_id: ids.bruno })
  assert.deepEqual((await createRequest('path', { supplier_id: full })).notified, [
    'bruno',
    'clara',
  ])
  assert.deepEqual((await createRequest('path', { supplier_id: half })).notified, ['bruno'])
  assert.deepEqual((await createRequest('path')).notified, [])
})

test('every member of a group is notified', async () => {
  assert.deepEqual((await createRequest('group')).notified, ['anna', 'bruno'])
})

test('a user in several fields and groups is notified once by a rule', async () => {
  const { notified } = await createRequest(
    'duplicates',
    { approver_id: ids.anna, deputy_id: ids.anna, supplier_id: null },
    'anna',
  )
  assert.deepEqual(notified, ['anna', 'bruno', 'clara'])
})

test('a recipient of two rules is notified by each of them', async () => {
  const { notified } = await createRequest('two rules', { approver_id: ids.anna })
  assert.deepEqual(notified, ['anna', 'anna', 'bruno'])
})

test('removed, inactive and blocked users are not notified, and the reasons are logged', async () => {
  const { notified, skipped } = await createRequest('not active', { approver_id: ids.blocked })
  assert.deepEqual(notified, ['anna'])
  assert.deepEqual(skipped, [
    { reason: 'removed', count: 1, userIds: [ids.removed] },
    { reason: 'inactive', count: 1, userIds: [ids.inactive] },
    { reason: 'blocked', count: 1, userIds: [ids.blocked] },
  ])
})

test('the actor is notified unless includeActor is false', async () => {
  const values = { approver_id: ids.bruno }
  assert.deepEqual((await createRequest('actor', values, 'anna')).notified, ['anna', 'bruno'])
  const { notified, skipped } = await createRequest('no actor', values, 'anna')
  assert.deepEqual(notified, ['bruno'])
  assert.deepEqual(skipped, [{ reason: 'actor', count: 1, userIds: [ids.anna] }])
})

test('users who may not read the record are skipped, and an owner who may read their own is notified', async () => {
  const { notified, skipped } = await createRequest('permissions', {}, 'owen')
  assert.deepEqual(notified, ['anna', 'owen'])
  const reason = 'may not read the record'
  assert.deepEqual(skipped, [{ reason, count: 2, userIds: [ids.olga, ids.sam] }])
})

test('being a recipient gives no permission to read', async () => {
  const { notified } = await createRequest(
    'permissions',
    { approver_id: ids.olga, deputy_id: ids.sam },
    'anna',
  )
  assert.deepEqual(notified, ['anna'])
})

test('with skipRightsCheck all recipients are notified', async () => {
  assert.deepEqual((await createRequest('no permission check')).notified, [
    'anna',
    'owen',
    'olga',
    'sam',
  ])
})

test('a user with a removed role has no permission', async () => {
  const { pool } = engine.database
  const setRemoved = (isRemoved: boolean) =>
    pool.query(`UPDATE records.security_role SET _is_deleted = $1 WHERE key = 'reader'`, [
      isRemoved,
    ])
  await setRemoved(true)
  const { notified, skipped } = await createRequest('field', { approver_id: ids.anna })
  await setRemoved(false)
  assert.deepEqual(notified, [])
  assert.deepEqual(skipped, [{ reason: 'may not read the record', count: 1, userIds: [ids.anna] }])
})

test('a former member of a group is not notified', async () => {
  const groupId = await addGroup(engine, 'changing', [ids.anna, ids.bruno])
  assert.deepEqual((await createRequest('changing')).notified, ['anna', 'bruno'])
  const { pool } = engine.database
  await pool.query(
    'UPDATE records.user_group_member SET _is_deleted = true WHERE user_group_id = $1 AND user_id = $2',
    [groupId, ids.anna],
  )
  assert.deepEqual((await createRequest('changing')).notified, ['bruno'])
})

test('a record that is removed before its message is processed notifies nobody', async () => {
  const release = await holdJobs(engine)
  const values = { topic: 'field', approver_id: ids.anna }
  const [removed, kept] = [await engine.create(values), await engine.create(values)]
  assert.equal((await engine.ask('DELETE', `/recipients/${removed}`)).status, 204)
  await release()
  assert.deepEqual(await engine.notifiedNames(removed), [])
  assert.deepEqual(await engine.notifiedNames(kept), ['anna'])
})

test('an unknown group is logged as a warning, and the other recipients are notified', async () => {
  const { id, notified } = await createRequest('unknown group', { approver_id: ids.anna })
  assert.deepEqual(notified, ['anna'])
  const unknown = engine.observed('groupUnknown').filter((one) => one.id === id)
  assert.deepEqual(
    unknown.map(({ entity, group }) => [entity, group]),
    [['recipients', 'nowhere']],
  )
})
