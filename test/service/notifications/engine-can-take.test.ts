/** Rules for those who can take an action: the users for whom the record lists it, and nobody else. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { addGroup, shareEngine, type UserName } from './an-engine.ts'
import { onSubmit } from './an-engine-rules.ts'

/** Those of the group, with their limits: olga may not read the records of others, sam not fill in the form. */
const limits = { anna: '100', bruno: '1000', clara: null, olga: '1000', sam: '1000' } as const
const members = Object.keys(limits) as (keyof typeof limits)[]

const engine = await shareEngine('can_take')
const { ids } = engine
before(async () => {
  for (const name of members)
    await engine.send('PATCH', `/user/${ids[name]}`, { limit: limits[name] })
  await addGroup(engine, 'board', [...members.map((name) => ids[name]), ids.blocked])
})

/** Why the rule for the group does not tell users of a submission; null of those it tells. */
const reasonsOf = async (entityId: number) => {
  const body = { entityKey: 'can_take', entityId, ...onSubmit }
  const { entries } = await engine.send('POST', '/api/notifications/explain', body)
  const recipients: { user: { id: number }; reason: string | null }[] = entries[0].recipients
  return new Map(recipients.map(({ user, reason }) => [user.id, reason]))
}

const hasAction = async (id: number, name: UserName) => {
  const reply = await engine.ask('GET', `/can_take/${id}/actions`, { as: engine.mailOf(name) })
  const actions: { key: string }[] = reply.status === 200 ? reply.json().data : []
  return actions.some(({ key }) => key === 'approve')
}

const cases: readonly [values: object, by: UserName | undefined, ...told: UserName[]][] = [
  [{ total: '100' }, undefined, 'anna', 'bruno'],
  [{ total: '50' }, 'bruno', 'anna'],
  [{ total: '50' }, 'olga', 'anna', 'bruno'],
  [{ total: '50', spent: 51 }, undefined],
  [{}, undefined],
]
for (const [values, by, ...told] of cases)
  test(`${JSON.stringify(values)} of ${by ?? 'another user'} is told to ${told.join(', ') || 'nobody'}`, async () => {
    const id = await engine.create(values, by)
    await engine.act(id, 'submit')
    const submitted = (await engine.notificationsAbout(id))
      .filter(({ content }) => !content.title?.startsWith('New'))
      .map(({ user_id }) => user_id)
    assert.deepEqual(
      submitted,
      told.map((name) => ids[name]),
    )
    // The explanation says the same, and so does the record for each of them.
    const reasons = await reasonsOf(id)
    for (const name of members) {
      const reason = told.includes(name) ? null : 'cannot take the action'
      assert.equal(reasons.get(ids[name]), reason, name)
      assert.equal(await hasAction(id, name), told.includes(name), name)
    }
  })

test('a record that a step of another one locks is told to those alone whom the step excepts', async () => {
  const { id: batch } = await engine.send('POST', '/batch', {})
  const told = async (action: string) => {
    await engine.send('POST', `/batch/${batch}/proceedToStep`, { action })
    // Only who acts is excepted by both steps.
    const id = await engine.create({ total: '1', batch_id: batch })
    await engine.act(id, 'submit')
    const reasons = await reasonsOf(id)
    const names = members.filter((name) => reasons.get(ids[name]) === null)
    for (const name of members) assert.equal(await hasAction(id, name), names.includes(name), name)
    return names
  }
  assert.deepEqual(await told('close'), [])
  assert.deepEqual(await told('check'), ['anna', 'bruno'])
})

test('a rule whose users are those of fields tells them alone, with the same reasons', async () => {
  const id = await engine.create({ total: '500', approver_id: ids.anna })
  const other = await engine.create({ total: '5', approver_id: ids.clara })
  for (const one of [id, other]) await engine.act(one, 'submit')
  await engine.settled()
  const skipped = engine
    .observed('recipientsSkipped')
    .filter(({ entry, reason }) => entry === 1 && reason === 'cannot take the action')
    .map((one) => [one.id, ...one.userIds])
  assert.deepEqual(
    new Set(skipped),
    new Set([
      [id, ids.anna],
      [other, ids.clara],
    ]),
  )
})

test('an action of the first step is open to those who may take it, also of a new record', async () => {
  const id = await engine.create({ total: '1' })
  assert.deepEqual(await engine.notifiedNames(id), ['anna', 'bruno', 'clara', 'sam'])
})

test('who would be told is known before, from the step that the action leads to, but not to those who may not read what it compares', async () => {
  const id = await engine.create({ total: '500' })
  const without = ['without_users', 'without_limit', 'without_rival'] as const
  for (const role of without) await insertPerson(engine.database.pool, role, role)
  const body = { entityKey: 'can_take', ...onSubmit, entityIds: [id] }
  for (const [as, expected] of [
    ['anna', [1, false, ids.bruno]],
    ['sam', [0, true, undefined]],
    ...without.map((name) => [name, [0, true, undefined]] as const),
  ] as const) {
    const options = { body, as: engine.mailOf(as) }
    const told = (await engine.ask('POST', '/api/notifications/recipients', options)).json(200)
    assert.deepEqual([told.count, told.isPartial, told.people[0]?.id], expected, as)
  }
})
