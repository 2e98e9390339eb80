/** Recipients of a change: each user once per rule, and the reasons to skip others. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addGroup, holdJobs, shareEngine, type UserName } from './an-engine.ts'

const engine = await shareEngine('recipients')
before(async () => {
  for (const [group, ...names] of [
    ['buyers', 'bruno', 'anna'],
    ['sellers', 'clara', 'bruno'],
    ['mixed', 'anna', 'owen', 'olga', 'sam'],
    ['not active', 'removed', 'inactive', 'blocked', 'anna'],
  ] as const)
    await addGroup(engine, group, idsOf(names))
})

const idsOf = (names: readonly UserName[]) => names.map((name) => engine.ids[name])

/** A request of a topic, with users in its fields. */
type Request = {
  readonly topic: string
  readonly approver?: UserName
  readonly deputy?: UserName
  readonly by?: 'anna' | 'owen'
  readonly supplier_id?: number
}

/** Creates a request; returns the names of those notified, and the logged reasons to skip others. */
const createRequest = async ({ topic, approver, deputy, by, supplier_id }: Request) => {
  const { ids } = engine
  const values = {
    topic,
    supplier_id,
    ...(approver && { approver_id: ids[approver] }),
    ...(deputy && { deputy_id: ids[deputy] }),
  }
  const id = await engine.create(values, by)
  const notified = await engine.notifiedNames(id)
  const skipped = engine
    .observed('recipientsSkipped')
    .filter((one) => one.id === id && one.reason !== 'has no e-mail address')
    .map(({ reason, count, userIds }) => {
      assert.equal(count, userIds.length)
      return [reason, ...userIds]
    })
  return { id, notified: notified.join(' '), skipped }
}
const unreadable = 'may not read the record'

type Row = Request & {
  readonly rule: string
  readonly notified: string
  readonly skipped?: readonly (readonly [reason: string, ...names: UserName[]])[]
}
const rows: readonly Row[] = [
  { rule: 'the creator', topic: 'creator', by: 'anna', notified: 'anna' },
  { rule: 'every member of a group', topic: 'group', notified: 'anna bruno' },
  {
    rule: 'a user in several fields and groups, once',
    topic: 'duplicates',
    approver: 'anna',
    deputy: 'anna',
    by: 'anna',
    notified: 'anna bruno clara',
  },
  {
    rule: 'a recipient of two rules, by each of them',
    topic: 'two rules',
    approver: 'anna',
    notified: 'anna anna bruno',
  },
  {
    rule: 'users who are not removed, inactive or blocked',
    topic: 'not active',
    approver: 'blocked',
    notified: 'anna',
    skipped: [
      ['removed', 'removed'],
      ['inactive', 'inactive'],
      ['blocked', 'blocked'],
    ],
  },
  {
    rule: 'not the actor, if includeActor is false',
    topic: 'no actor',
    approver: 'bruno',
    by: 'anna',
    notified: 'bruno',
    skipped: [['actor', 'anna']],
  },
  {
    rule: 'those who may read the record, also as its owner',
    topic: 'permissions',
    by: 'owen',
    notified: 'anna owen',
    skipped: [[unreadable, 'olga', 'sam']],
  },
  {
    rule: 'nobody who may not read it, though they are in its fields',
    topic: 'permissions',
    approver: 'olga',
    deputy: 'sam',
    by: 'anna',
    notified: 'anna',
    skipped: [[unreadable, 'owen', 'olga', 'sam']],
  },
  {
    rule: 'all recipients, with skipRightsCheck',
    topic: 'no permission check',
    notified: 'anna owen olga sam',
  },
]
for (const { rule, notified, skipped = [], ...request } of rows)
  test(`a rule notifies ${rule}`, async () => {
    const found = await createRequest(request)
    assert.equal(found.notified, notified)
    const expected = skipped.map(([reason, ...names]) => [reason, ...idsOf(names)])
    assert.deepEqual(found.skipped, expected)
  })

test('_owned_by is the owner of the record', async () => {
  const { id, notified } = await createRequest({ topic: 'owner', by: 'anna' })
  assert.equal(notified, 'anna')
  await engine.takeOwnership(id, 'bruno')
  assert.deepEqual(await engine.notifiedNames(id), ['anna', 'anna'], 'not the actor bruno')
})

test('the user at the end of a path of associations is notified', async () => {
  const { bruno, clara } = engine.ids
  const create = async (path: string, body: object) => (await engine.send('POST', path, body)).id
  const region_id = await create('/region', { name: 'North', head_id: clara })
  const full = await create('/supplier', { account_manager_id: bruno, region_id })
  const half = await create('/supplier', { account_manager_id: bruno })
  for (const [supplier_id, notified] of [
    [full, 'bruno clara'],
    [half, 'bruno'],
    [undefined, ''],
  ])
    assert.equal((await createRequest({ topic: 'path', supplier_id })).notified, notified)
})

test('a user with a removed role has no permission', async () => {
  const setRemoved = (isRemoved: boolean) =>
    engine.database.pool.query(
      `UPDATE records.security_role SET _is_deleted = ${isRemoved} WHERE key = 'reader'`,
    )
  await setRemoved(true)
  const { notified, skipped } = await createRequest({ topic: 'field', approver: 'anna' })
  await setRemoved(false)
  assert.deepEqual([notified, skipped], ['', [[unreadable, engine.ids.anna]]])
})

test('a former member of a group is not notified', async () => {
  const groupId = await addGroup(engine, 'changing', idsOf(['anna', 'bruno']))
  assert.equal((await createRequest({ topic: 'changing' })).notified, 'anna bruno')
  await engine.database.pool.query(
    'UPDATE records.user_group_member SET _is_deleted = true WHERE user_group_id = $1 AND user_id = $2',
    [groupId, engine.ids.anna],
  )
  assert.equal((await createRequest({ topic: 'changing' })).notified, 'bruno')
})

test('a record that is removed before its message is processed notifies nobody', async () => {
  const release = await holdJobs(engine)
  const values = { topic: 'field', approver_id: engine.ids.anna }
  const [removed, kept] = [await engine.create(values), await engine.create(values)]
  await engine.send('DELETE', `/recipients/${removed}`)
  await release()
  assert.deepEqual(await engine.notifiedNames(removed), [])
  assert.deepEqual(await engine.notifiedNames(kept), ['anna'])
})

test('an unknown group is logged as a warning, and the other recipients are notified', async () => {
  const { id, notified } = await createRequest({ topic: 'unknown group', approver: 'anna' })
  assert.equal(notified, 'anna')
  const unknown = engine.observed('groupUnknown').filter((one) => one.id === id)
  assert.deepEqual(
    unknown.map(({ entity, group }) => [entity, group]),
    [['recipients', 'nowhere']],
  )
})
