/** Rules for those who can take an action: the users for whom the record lists it, and nobody else. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createPermissions } from '../../../src/auth/permissions.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { evaluateRules } from '../../../src/notifications/rules/evaluate-rules.ts'
import { imagineChange } from '../../../src/notifications/rules/imagined-change.ts'
import { act, addGroup, type Engine, shareEngine, type UserName } from './an-engine.ts'
import { canTakeRules, onSubmit } from './an-engine-rules.ts'

/** Those of the group, with their limits: olga may not read the records of others, sam not fill in the form. */
const limits = { anna: '100', bruno: '1000', clara: null, olga: '1000', sam: '1000' } as const
const members = Object.keys(limits) as (keyof typeof limits)[]

let engine: Engine
before(async () => {
  engine = await shareEngine('can_take')
  const { ids } = engine
  for (const name of members)
    await engine.ask('PATCH', `/user/${ids[name]}`, { body: { limit: limits[name] } })
  await addGroup(engine, 'board', [...members.map((name) => ids[name]), ids.blocked])
})

const explain = async (entityId: number) => {
  const body = { entityKey: 'can_take', entityId, ...onSubmit }
  const { entries } = (await engine.ask('POST', '/api/notifications/explain', { body })).json()
  const recipients: { user: { id: number }; told: boolean; reason: string | null }[] =
    entries[0].recipients
  return recipients
}

const hasAction = async (id: number, name: UserName) => {
  const reply = await engine.ask('GET', `/can_take/${id}/actions`, { as: engine.mailOf(name) })
  return reply.status === 200 && isListed(reply.json())
}
const isListed = ({ data }: { data: { key: string }[] }) =>
  data.some(({ key }) => key === 'approve')

const cases: readonly [values: object, by: UserName | undefined, told: UserName[]][] = [
  [{ total: '50' }, undefined, ['anna', 'bruno']],
  [{ total: '500' }, undefined, ['bruno']],
  [{ total: '5000' }, undefined, []],
  [{ total: '50' }, 'bruno', ['anna']],
  [{ total: '50' }, 'olga', ['anna', 'bruno']],
  [{ total: '50', spent: 51 }, undefined, []],
  [{}, undefined, []],
]
for (const [values, by, told] of cases)
  test(`${JSON.stringify(values)} of ${by ?? 'somebody else'} is told to ${told.join(', ') || 'nobody'}`, async () => {
    const { ids } = engine
    const id = await engine.create(values, by)
    const before = await explain(id)
    await act(engine, id, { action: 'submit' })
    const submitted = (await engine.notificationsAbout(id)).filter(
      ({ content }) => !content.title?.startsWith('New'),
    )
    assert.deepEqual(
      submitted.map(({ user_id }) => user_id),
      told.map((name) => ids[name]),
    )
    // The explanation says the same, before and after, and so does the record for each of them.
    for (const recipients of [before, await explain(id)])
      for (const name of members) {
        const found = recipients.find(({ user }) => user.id === ids[name])
        const reason = told.includes(name) ? null : 'cannot take the action'
        assert.deepEqual([name, found?.reason], [name, reason])
        assert.equal(await hasAction(id, name), told.includes(name))
      }
  })

test('a rule whose users are those of fields tells them alone, with the same reasons', async () => {
  const { ids } = engine
  const id = await engine.create({ total: '500', approver_id: ids.anna })
  const other = await engine.create({ total: '5', approver_id: ids.clara })
  await act(engine, id, { action: 'submit' })
  await act(engine, other, { action: 'submit' })
  await engine.settled()
  const skipped = engine
    .observed('recipientsSkipped')
    .filter(({ entry, reason }) => entry === 1 && reason === 'cannot take the action')
  assert.deepEqual(
    skipped.map((one) => [one.id, ...one.userIds]).sort(),
    [
      [id, ids.anna],
      [other, ids.clara],
    ].sort(),
  )
})

test('an action of the first step is open to those who may take it, also of a new record', async () => {
  const id = await engine.create({ total: '1' })
  const told = await engine.notifiedNames(id)
  assert.deepEqual(told, ['anna', 'bruno', 'clara', 'sam'])
})

test('it takes as many statements for many records and users as for one', async () => {
  const { catalog } = engine.project
  const queries: string[] = []
  const pool = new Proxy(engine.database.pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name, target)
      return (statement: { text: string }) => {
        queries.push(statement.text)
        return target.query(statement)
      }
    },
  })
  const deps = { pool, catalog, permissions: createPermissions(catalog), timeZone: 'UTC' }
  const names: readonly UserName[] = ['anna', 'bruno', 'clara', 'olga', 'sam']
  const ids = await Promise.all(
    names.map((name) => engine.create({ total: '1', approver_id: engine.ids[name] })),
  )
  const [, rule] = canTakeRules
  assert.ok(rule)
  const countFor = async (entityIds: readonly number[]) => {
    queries.length = 0
    const messages = entityIds.map((entity_id) =>
      imagineChange({
        ...{ entity_key: 'can_take', entity_id, operation: 'proceedToStep', actor_id: 1 },
        action: {
          key: 'submit',
          kind: 'proceedToStep',
          form: undefined,
          from: 'draft',
          to: 'review',
        },
      }),
    )
    const matches = await evaluateRules(deps, getEntity(catalog, 'can_take'), rule, messages)
    assert.ok(matches.every((match) => match?.fieldUsers?.length === 1))
    return queries.length
  }
  const many = await countFor(ids)
  assert.equal(many, await countFor(ids.slice(0, 1)))
})

describe('who would be told', () => {
  const asked = async (entityIds: readonly number[], as: UserName) => {
    const body = { entityKey: 'can_take', ...onSubmit, entityIds }
    const path = '/api/notifications/recipients'
    return (await engine.ask('POST', path, { body, as: engine.mailOf(as) })).json()
  }

  test('is known before, from the step that the action leads to', async () => {
    const id = await engine.create({ total: '500' })
    const { count, isPartial, people } = await asked([id], 'anna')
    assert.deepEqual([count, isPartial, people[0].id], [1, false, engine.ids.bruno])
  })

  test('is not said to those who may not read what the action compares', async () => {
    const id = await engine.create({ total: '500' })
    const { count, isPartial } = await asked([id], 'sam')
    assert.deepEqual([count, isPartial], [0, true])
  })
})
