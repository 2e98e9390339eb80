/** Actions that leave users out: those to whom the record links, and those who took another action of it in its present round. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { type AskOptions, startTestService } from '../../support/service.ts'
import { signedIn } from '../../support/sessions/a-browser.ts'

const approve = (key: string, to: string, more: object) => ({
  key,
  kind: 'approveWorkflow',
  to,
  ...more,
})
const proceed = (key: string, to: string) => ({ key, kind: 'proceedToStep', to })
const sendBack = { key: 'sendBack', kind: 'returnToStep' }
const service = await startTestService({
  ...entityFile(
    'contract',
    {
      hooks,
      notifications: [
        {
          operation: 'proceedToStep',
          action: 'submit',
          recipient: { userFields: ['_created_by', 'partner'], canTake: 'legal_ok' },
          content: { title: 'Look at it', message: 'It waits.' },
        },
      ],
      ownership: true,
      workflow: workflowOf({
        draft: [proceed('submit', 'legal')],
        legal: [
          approve('legal_ok', 'finance', { notBy: ['_created_by', 'submit'] }),
          proceed('remark', 'legal'),
          sendBack,
        ],
        finance: [
          approve('finance_ok', 'signed', {
            notBy: ['submit', 'legal_ok', 'remark', 'partner'],
            condition: { amount: { $lt: 100 } },
            message: 'Less than 100.',
          }),
          sendBack,
        ],
        signed: [],
      }),
    },
    [
      { key: 'amount', type: 'integer' },
      { key: 'partner', type: 'manyToOne', entity: 'user' },
    ],
  ),
  ...roleFile('lawyer', {
    user: { read: true },
    contract: {
      create: true,
      read: true,
      update: true,
      actions: ['submit', 'legal_ok', 'finance_ok', 'remark', 'sendBack'],
    },
  }),
  ...roleFile('blind', {
    contract: { read: true, actions: ['finance_ok'], hiddenFields: ['partner', 'amount'] },
  }),
})
after(() => service.stop())
const { ask, database } = service
const people = ['ana', 'boris', 'cora', 'dina', 'blind'] as const
type Person = (typeof people)[number]
const ids = {} as Record<Person, number>
for (const name of people)
  ids[name] = await insertPerson(database.pool, name, name === 'blind' ? name : 'lawyer')
const as = (name: Person): AskOptions => ({ as: `${name}@example.com` })

const create = async (by: Person, body: object = {}): Promise<number> =>
  (await ask('POST', '/contract', { ...as(by), body: { amount: 1, ...body } })).json(201).id
const act = (id: number, by: AskOptions, action: string) =>
  ask('POST', `/contract/${id}/proceedToStep`, { ...by, body: { action } })
const took = async (id: number, ...all: readonly (readonly [Person, string])[]) => {
  for (const [by, action] of all) {
    const reply = await act(id, as(by), action)
    assert.equal(reply.status, 200, reply.text)
  }
}
const refusal = async (id: number, by: AskOptions, action: string): Promise<string> => {
  const { code, detail } = (await act(id, by, action)).json(409)
  assert.equal(code, 'workflow.condition-not-met')
  return detail.split(': ')[1]
}
const waitFor = async (by: Person): Promise<readonly number[]> => {
  const { data } = (await ask('GET', '/api/approvals?limit=100', as(by))).json(200)
  const { count } = (await ask('GET', '/api/approvals/count', as(by))).json(200)
  assert.equal(count, data.length)
  return data.map((one: { id: number }) => one.id)
}

describe('an action is not taken', () => {
  test('by the user of a link, nor by whom took another action; others take it', async () => {
    const id = await create('ana')
    await took(id, ['boris', 'submit'])
    assert.equal(await refusal(id, as('ana'), 'legal_ok'), 'you are its "_created_by".')
    assert.equal(await refusal(id, as('boris'), 'legal_ok'), 'you took "submit".')
    assert.deepEqual([await waitFor('ana'), await waitFor('boris')], [[], []])
    assert.ok((await waitFor('cora')).includes(id))
    const { data, unmet } = (await ask('GET', `/contract/${id}/actions`, as('ana'))).json(200)
    assert.deepEqual(
      data.map(({ key }: { key: string }) => key),
      ['remark', 'sendBack'],
    )
    const none = { fields: [], callerFields: [], message: null }
    const legalOk = { key: 'legal_ok', name: 'legal_ok', kind: 'approveWorkflow' }
    assert.deepEqual(unmet, [{ ...legalOk, ...none, notBy: ['_created_by'] }])
    await took(id, ['cora', 'legal_ok'])
  })

  test('by whom took one some steps before, or in the same step', async () => {
    const id = await create('ana')
    await took(
      id,
      ['boris', 'submit'],
      ['dina', 'remark'],
      ['cora', 'remark'],
      ['cora', 'legal_ok'],
    )
    assert.equal(await refusal(id, as('boris'), 'finance_ok'), 'you took "submit".')
    const both = 'you took "legal_ok" and you took "remark".'
    assert.equal(await refusal(id, as('cora'), 'finance_ok'), both)
    assert.equal(await refusal(id, as('dina'), 'finance_ok'), 'you took "remark".')
    await took(id, ['ana', 'finance_ok'])
  })

  test('until the record enters the step of that action again, whatever the time says', async () => {
    const id = await create('ana')
    await took(id, ['boris', 'submit'], ['cora', 'remark'], ['cora', 'sendBack'])
    await database.pool.query(
      `UPDATE docket.history SET at = '2020-01-01' WHERE entity_key = 'contract' AND entity_id = $1`,
      [id],
    )
    await took(id, ['cora', 'submit'], ['boris', 'remark'], ['boris', 'legal_ok'])
    // Another round of the second step, not of the first.
    await took(id, ['boris', 'sendBack'])
    assert.equal(await refusal(id, as('cora'), 'legal_ok'), 'you took "submit".')
    await took(id, ['dina', 'legal_ok'])
    assert.equal(await refusal(id, as('dina'), 'finance_ok'), 'you took "legal_ok".')
    await took(id, ['boris', 'finance_ok'])
  })

  test('by administrators either, nor as a part of a bulk write', async () => {
    const id = await create('ana')
    await act(id, {}, 'submit')
    assert.equal(await refusal(id, {}, 'legal_ok'), 'you took "submit".')
    const other = await create('ana')
    await took(other, ['boris', 'submit'])
    const body = { ids: [id, other], do: { action: 'legal_ok' } }
    const { data } = (await ask('POST', '/contract/bulk', { ...as('boris'), body })).json(200)
    assert.deepEqual(
      data.map(({ status, code }: { status: string; code: string }) => [status, code]),
      [
        ['done', null],
        ['refused', 'workflow.condition-not-met'],
      ],
    )
  })

  test('by whom its condition leaves out too, and all reasons are said as far as they are seen', async () => {
    const id = await create('ana', { amount: 500, partner_id: ids.dina })
    await took(id, ['boris', 'submit'], ['cora', 'legal_ok'])
    const detail =
      'its condition on "amount" does not hold, and you are its "partner". Less than 100.'
    assert.equal(await refusal(id, as('dina'), 'finance_ok'), detail)
    await ask('PATCH', `/contract/${id}`, { body: { amount: 5, partner_id: ids.blind } })
    assert.equal(await refusal(id, as('blind'), 'finance_ok'), 'another user has to take it.')
    const { unmet } = (await ask('GET', `/contract/${id}/actions`, as('blind'))).json(200)
    assert.deepEqual([unmet[0].notBy, unmet[0].message], [[], null])
    await took(id, ['dina', 'finance_ok'])
  })

  test('by whom only acted as the one who took the other, nor by acting as another', async () => {
    const [taken, free] = [await create('ana'), await create('ana')]
    await took(free, ['boris', 'submit'])
    const browser = await signedIn(service)
    const become = (user_id: number) =>
      browser.send('POST', '/console/-/session', { body: { user_id } })
    const take = (id: number, action: string) =>
      browser.send('POST', `/contract/${id}/proceedToStep`, { body: { action } })
    await become(ids.boris)
    assert.equal((await take(taken, 'submit')).status, 200)
    assert.equal(await refusal(taken, {}, 'legal_ok'), 'you took "submit".')
    await become(ids.cora)
    assert.match((await take(taken, 'legal_ok')).json(409).detail, /you took "submit"/)
    assert.equal((await take(free, 'legal_ok')).status, 200)
  })
})

test('the explanation of access says that it is left to others', async () => {
  const id = await create('ana')
  await took(id, ['boris', 'submit'])
  const body = { entityKey: 'contract', entityId: id, userId: ids.boris }
  const { roles } = (await ask('POST', '/api/access/explain', { body })).json(200)
  const found = roles[0].actions.find(({ key }: { key: string }) => key === 'legal_ok')
  assert.deepEqual([found.may, found.reason], [false, 'left to other users'])
})

test('a rule for those who can take it notifies nobody whom it leaves out', async () => {
  const id = await create('ana', { partner_id: ids.dina })
  const intent = { entityKey: 'contract', operation: 'proceedToStep', action: 'submit' }
  const body = { ...intent, entityIds: [id] }
  const named = async (by: Person) => {
    const reply = await ask('POST', '/api/notifications/recipients', { ...as(by), body })
    return reply.json(200).people
  }
  assert.deepEqual(await named('boris'), [{ id: ids.dina, full_name: 'dina Example' }])
})

test('the entity says which actions depend on the record, and to administrators on what', async () => {
  const described = async (who: AskOptions) => {
    const reply = await ask('GET', '/api/entities/contract', who)
    const { workflow, permissions } = reply.json(200)
    return [workflow.steps[1].actions[0].notBy, permissions.conditionalActions]
  }
  const conditional = ['legal_ok', 'finance_ok']
  assert.deepEqual(await described({}), [['_created_by', 'submit'], conditional])
  assert.deepEqual(await described(as('ana')), [undefined, conditional])
})
