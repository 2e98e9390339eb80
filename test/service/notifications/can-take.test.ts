/** Rules for those who can take an action: the users for whom the record lists it, and nobody else. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { createPermissions } from '../../../src/auth/permissions.ts'
import { examineProject } from '../../../src/cli/open-project.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import type { NotificationRule } from '../../../src/definitions/notification-matching.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { evaluateRules } from '../../../src/notifications/rules/evaluate-rules.ts'
import { imagineChange } from '../../../src/notifications/rules/imagined-change.ts'
import { engineFiles } from '../../support/notifications/an-engine-project.ts'
import { writeProject } from '../../support/service.ts'
import { act, addGroup, type Engine, startEngine, type UserName } from './an-engine.ts'

const onSubmit = { operation: 'proceedToStep', action: 'submit' } as const

const workflow = {
  initialStep: 'draft',
  steps: [
    { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
    {
      key: 'review',
      actions: [
        {
          ...{ key: 'approve', kind: 'approveWorkflow', to: 'approved', form: 'approve' },
          condition: {
            total: { $lte: { $caller: 'limit' } },
            _created_by: { $ne: { $caller: 'id' } },
            spent: { $lte: { $field: 'total' } },
          },
        },
        { key: 'return', kind: 'returnToStep' },
      ],
    },
    { key: 'approved', final: true },
  ],
  forms: [{ key: 'approve', fields: ['notes'], required: ['notes'] }],
}

const fields = [
  { key: 'number', type: 'string' },
  { key: 'total', type: 'decimal', precision: 14, scale: 2 },
  { key: 'spent', type: 'integer', default: 0 },
  { key: 'notes', type: 'text' },
  { key: 'approver', type: 'manyToOne', entity: 'user' },
]

const role = (key: string, request: object, more: object = {}) => ({
  [`roles/${key}.json`]: { key, permissions: { request, ...more } },
})
const acting = { create: true, read: true, actions: ['submit', 'approve'] }
const files = {
  'entities/user.json': {
    ...{ extends: 'native', key: 'user' },
    fields: [{ key: 'limit', type: 'decimal', precision: 14, scale: 2 }],
  },
  'entities/line.json': { key: 'line', fields: [{ key: 'name', type: 'string' }] },
  ...role('reader', acting, { user: { read: true } }),
  ...role('owner', { ...acting, read: 'own' }),
  // Cannot fill in the form.
  ...role('outsider', { ...acting, hiddenFields: ['notes'] }),
}

/** Those of the group, with their limits: olga may not read the records of others, sam not fill in the form. */
const limits = { anna: '100', bruno: '1000', clara: null, olga: '1000', sam: '1000' } as const
const members = Object.keys(limits) as (keyof typeof limits)[]

const rules: readonly NotificationRule[] = [
  { ...onSubmit, recipient: { userGroups: ['board'], canTake: 'approve', skipRightsCheck: true } },
  { ...onSubmit, recipient: { userFields: ['approver'], canTake: 'approve' } },
  { operation: 'create', recipient: { userGroups: ['board'], canTake: 'submit' } },
]

let engine: Engine
before(async () => {
  engine = await startEngine(rules, { fields, workflow }, files)
  const { ids } = engine
  for (const name of members)
    await engine.ask('PATCH', `/user/${ids[name]}`, { body: { limit: limits[name] } })
  await addGroup(engine, 'board', [...members.map((name) => ids[name]), ids.blocked])
})
after(() => engine.stop())

const explain = async (entityId: number) => {
  const body = { entityKey: 'request', entityId, ...onSubmit }
  const { entries } = (await engine.ask('POST', '/api/notifications/explain', { body })).json()
  const recipients: { user: { id: number }; told: boolean; reason: string | null }[] =
    entries[0].recipients
  return recipients
}

const hasAction = async (id: number, name: UserName) => {
  const reply = await engine.ask('GET', `/request/${id}/actions`, { as: engine.mailOf(name) })
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
  const [, rule] = rules
  assert.ok(rule)
  const countFor = async (entityIds: readonly number[]) => {
    queries.length = 0
    const messages = entityIds.map((entity_id) =>
      imagineChange({
        ...{ entity_key: 'request', entity_id, operation: 'proceedToStep', actor_id: 1 },
        action: {
          key: 'submit',
          kind: 'proceedToStep',
          form: undefined,
          from: 'draft',
          to: 'review',
        },
      }),
    )
    const matches = await evaluateRules(deps, getEntity(catalog, 'request'), rule, messages)
    assert.ok(matches.every((match) => match?.fieldUsers?.length === 1))
    return queries.length
  }
  const many = await countFor(ids)
  assert.equal(many, await countFor(ids.slice(0, 1)))
})

describe('who would be told', () => {
  const asked = async (entityIds: readonly number[], as: UserName) => {
    const body = { entityKey: 'request', ...onSubmit, entityIds }
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

describe('docket check', () => {
  const findingsOf = async (canTake: string, more: object = { fields, workflow }) => {
    const directory = await writeProject({
      ...engineFiles([{ ...rules[2], recipient: { userGroups: ['x'], canTake } } as never], more),
      ...files,
    })
    const { findings } = await examineProject(loadConfig({ PROJECT: directory }))
    await rm(directory, { recursive: true, force: true })
    return findings
      .map(printFinding)
      .flatMap((line) => line.split('notifications[0].recipient.canTake ').slice(1))
  }

  test('refuses an action that does not exist, or that leads back', async () => {
    assert.deepEqual(await findingsOf('approve'), [])
    assert.deepEqual(await findingsOf('aprove'), [
      '"aprove" is not the key of an action of request; did you mean "approve"?',
    ])
    assert.deepEqual(await findingsOf('return'), [
      '"return" leads back, which depends on each record; name another action of its step',
    ])
    assert.deepEqual(await findingsOf('approve', { fields, workflow: undefined }), [
      'needs a workflow on request',
    ])
  })
})
