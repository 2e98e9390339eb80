/** Who is told of a change: each person once per entry, and of those who are not, why. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { about, addGroup, type Engine, holdJobs, startEngine } from './an-engine.ts'

const entries = [
  about('field', { userFields: ['approver'] }),
  about('creator', { userFields: ['_created_by'] }),
  about('owner', { userFields: ['_owned_by'] }),
  about('path', { userFields: ['supplier.account_manager', 'supplier.region.head'] }),
  about('group', { userGroups: ['buyers'] }),
  about('unknown group', { userFields: ['approver'], userGroups: ['nowhere'] }),
  about('twice', {
    userFields: ['approver', 'deputy', '_created_by', 'approver'],
    userGroups: ['buyers', 'sellers', 'buyers'],
  }),
  about('two entries', { userFields: ['approver'] }),
  about('two entries', { userGroups: ['buyers'] }),
  about('actor', { userFields: ['_created_by', 'approver'], includeActor: true }),
  about('no actor', { userFields: ['_created_by', 'approver'], includeActor: false }),
  about('rights', { userFields: ['_created_by', 'approver', 'deputy'], userGroups: ['mixed'] }),
  about('no rights', { userGroups: ['mixed'], skipRightsCheck: true }),
  about('away', { userFields: ['approver'], userGroups: ['away'], skipRightsCheck: true }),
  about('changing', { userGroups: ['changing'] }),
  {
    operation: 'takeOwnership' as const,
    recipient: { userFields: ['_owned_by', '_created_by'], includeActor: false },
  },
]

let engine: Engine
let ids: Engine['ids']
before(async () => {
  engine = await startEngine(entries)
  ids = engine.ids
  await addGroup(engine, 'buyers', [ids.bruno, ids.anna])
  await addGroup(engine, 'sellers', [ids.clara, ids.bruno])
  await addGroup(engine, 'mixed', [ids.anna, ids.owen, ids.olga, ids.sam])
  await addGroup(engine, 'away', [ids.gone, ids.idle, ids.blocked, ids.anna])
})
after(() => engine.stop())

/** Who is told of a new request, and who is not, with the reasons in the log. */
const tell = async (topic: string, values: object = {}, as?: 'anna' | 'owen') => {
  const id = await engine.create({ topic, ...values }, as)
  const told = await engine.namesTold(id)
  const skipped = engine
    .observed('recipientsSkipped')
    .filter((one) => one.id === id && one.reason !== 'has no e-mail address')
    .map(({ reason, count, userIds }) => ({ reason, count, userIds }))
  return { id, told, skipped }
}

test('a field names a user; where it is empty nobody is told', async () => {
  assert.deepEqual((await tell('field', { approver_id: ids.anna })).told, ['anna'])
  assert.deepEqual((await tell('field')).told, [])
})

test('_created_by and _owned_by name who created the record and who owns it', async () => {
  assert.deepEqual((await tell('creator', {}, 'anna')).told, ['anna'])
  const { id, told } = await tell('owner', {}, 'anna')
  assert.deepEqual(told, ['anna'])
  const as = engine.mailOf('bruno')
  assert.equal((await engine.ask('POST', `/request/${id}/takeOwnership`, { as })).status, 200)
  assert.deepEqual(await engine.namesTold(id), ['anna', 'anna'], 'not bruno, who acted')
})

test('a path over any number of associations names a user at its end', async () => {
  const created = async (path: string, body: object) =>
    (await engine.ask('POST', path, { body })).json().id
  const region_id = await created('/region', { name: 'North', head_id: ids.clara })
  const full = await created('/supplier', { account_manager_id: ids.bruno, region_id })
  const half = await created('/supplier', { account_manager_id: ids.bruno })
  assert.deepEqual((await tell('path', { supplier_id: full })).told, ['bruno', 'clara'])
  assert.deepEqual((await tell('path', { supplier_id: half })).told, ['bruno'])
  assert.deepEqual((await tell('path')).told, [])
})

test('every member of a group is told', async () => {
  assert.deepEqual((await tell('group')).told, ['anna', 'bruno'])
})

test('who is named by several fields and groups is told once by an entry', async () => {
  const { told } = await tell(
    'twice',
    { approver_id: ids.anna, deputy_id: ids.anna, supplier_id: null },
    'anna',
  )
  assert.deepEqual(told, ['anna', 'bruno', 'clara'])
})

test('who is named by two entries is told by each', async () => {
  const { told } = await tell('two entries', { approver_id: ids.anna })
  assert.deepEqual(told, ['anna', 'anna', 'bruno'])
})

test('the removed, the inactive and the blocked are not told, and the log says why', async () => {
  const { told, skipped } = await tell('away', { approver_id: ids.blocked })
  assert.deepEqual(told, ['anna'])
  assert.deepEqual(skipped, [
    { reason: 'removed', count: 1, userIds: [ids.gone] },
    { reason: 'inactive', count: 1, userIds: [ids.idle] },
    { reason: 'blocked', count: 1, userIds: [ids.blocked] },
  ])
})

test('the one who acted is told, unless includeActor is false', async () => {
  const values = { approver_id: ids.bruno }
  assert.deepEqual((await tell('actor', values, 'anna')).told, ['anna', 'bruno'])
  const { told, skipped } = await tell('no actor', values, 'anna')
  assert.deepEqual(told, ['bruno'])
  assert.deepEqual(skipped, [{ reason: 'actor', count: 1, userIds: [ids.anna] }])
})

test('who may not read the record is not told; with the right to their own, the owner is', async () => {
  const { told, skipped } = await tell('rights', {}, 'owen')
  assert.deepEqual(told, ['anna', 'owen'])
  const reason = 'may not read the record'
  assert.deepEqual(skipped, [{ reason, count: 2, userIds: [ids.olga, ids.sam] }])
})

test('to name somebody is no right to read', async () => {
  const { told } = await tell('rights', { approver_id: ids.olga, deputy_id: ids.sam }, 'anna')
  assert.deepEqual(told, ['anna'])
})

test('with skipRightsCheck everyone is told', async () => {
  assert.deepEqual((await tell('no rights')).told, ['anna', 'owen', 'olga', 'sam'])
})

test('whose role is removed has no rights left', async () => {
  const { pool } = engine.database
  const remove = (is: boolean) =>
    pool.query(`UPDATE records.security_role SET _is_deleted = $1 WHERE key = 'reader'`, [is])
  await remove(true)
  const { told, skipped } = await tell('field', { approver_id: ids.anna })
  await remove(false)
  assert.deepEqual(told, [])
  assert.deepEqual(skipped, [{ reason: 'may not read the record', count: 1, userIds: [ids.anna] }])
})

test('who has left a group is not told any more', async () => {
  const groupId = await addGroup(engine, 'changing', [ids.anna, ids.bruno])
  assert.deepEqual((await tell('changing')).told, ['anna', 'bruno'])
  const { pool } = engine.database
  await pool.query(
    'UPDATE records.user_group_member SET _is_deleted = true WHERE user_group_id = $1 AND user_id = $2',
    [groupId, ids.anna],
  )
  assert.deepEqual((await tell('changing')).told, ['bruno'])
})

test('a record that was removed before its message was worked on tells nobody', async () => {
  const release = await holdJobs(engine)
  const values = { topic: 'field', approver_id: ids.anna }
  const [removed, kept] = [await engine.create(values), await engine.create(values)]
  assert.equal((await engine.ask('DELETE', `/request/${removed}`)).status, 204)
  await release()
  assert.deepEqual(await engine.namesTold(removed), [])
  assert.deepEqual(await engine.namesTold(kept), ['anna'])
})

test('a group that there is not is a warning of the log, and the job is done', async () => {
  const { id, told } = await tell('unknown group', { approver_id: ids.anna })
  assert.deepEqual(told, ['anna'])
  const unknown = engine.observed('groupUnknown').filter((one) => one.id === id)
  assert.deepEqual(
    unknown.map(({ entity, group }) => [entity, group]),
    [['request', 'nowhere']],
  )
})
