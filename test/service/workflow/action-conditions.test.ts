/** Conditions of actions, on the record and on values of the caller: what is not open is nowhere offered. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import {
  type AskOptions,
  startTestService,
  type TestService,
  writeProject,
} from '../../support/service.ts'

/** Their approval limits. */
const limits = { anna: '100.00', boris: '1000.00', clerk: null, blind: '100.00' } as const
type Person = keyof typeof limits

const role = (key: Person, hiddenFields: readonly string[] = []) => ({
  [`roles/${key}.json`]: {
    key,
    permissions: {
      request: { create: true, read: true, actions: ['approve', 'reject', 'pay'], hiddenFields },
    },
  },
})

const project = {
  'entities/user.json': {
    extends: 'native',
    key: 'user',
    fields: [{ key: 'approval_limit', type: 'decimal', precision: 14, scale: 2 }],
  },
  'entities/vendor.json': { key: 'vendor', fields: [{ key: 'is_blocked', type: 'boolean' }] },
  'entities/request.json': {
    key: 'request',
    fields: [
      { key: 'total', type: 'decimal', precision: 14, scale: 2 },
      { key: 'vendor', type: 'manyToOne', entity: 'vendor' },
    ],
    workflow: {
      initialStep: 'review',
      steps: [
        {
          key: 'review',
          actions: [
            {
              ...{ key: 'approve', kind: 'approveWorkflow', to: 'approved' },
              condition: {
                total: { $lte: { $caller: 'approval_limit' } },
                _created_by: { $ne: { $caller: 'id' } },
              },
            },
            {
              key: 'reject',
              kind: 'rejectWorkflow',
              to: 'done',
              condition: { total: { $gt: '5' } },
            },
          ],
        },
        {
          key: 'approved',
          actions: [
            {
              ...{ key: 'pay', kind: 'proceedToStep', to: 'done' },
              condition: { $not: { 'vendor.is_blocked': true } },
            },
          ],
        },
        { key: 'done', final: true },
      ],
    },
  },
  ...role('anna'),
  ...role('boris'),
  ...role('clerk'),
  ...role('blind', ['total', '_created_by']),
}

let service: TestService
before(async () => {
  service = await startTestService(await writeProject(project))
  for (const [name, limit] of Object.entries(limits)) {
    const id = await insertUser(service.database.pool, {
      ...{ identity_provider_user_id: name, email: `${name}@example.com`, role_key: name },
      ...{ first_name: name, last_name: 'Example', full_name: `${name} Example` },
    })
    await ask('PATCH', `/user/${id}`, { body: { approval_limit: limit } })
  }
})
after(() => service.stop())

const ask = (method: string, path: string, options: AskOptions = {}) =>
  service.ask(method, path, options)
const as = (name: Person) => ({ as: `${name}@example.com` })

const create = async (total: string | null, options: AskOptions = {}, more: object = {}) =>
  (await ask('POST', '/request', { ...options, body: { total, ...more } })).json().id as number

const act = (id: number, action: string, who: AskOptions = {}) =>
  ask('POST', `/request/${id}/proceedToStep`, { ...who, body: { action } })

const keysOf = (actions: readonly { key: string }[]) => actions.map(({ key }) => key)
const openTo = async (id: number, who: AskOptions = {}) =>
  keysOf((await ask('GET', `/request/${id}/actions`, who)).json().data)

/** What waits for the person, each with the actions that decide. */
const waitingFor = async (name: Person, ids: readonly number[]) => {
  const { data } = (await ask('GET', '/api/approvals?limit=1000', as(name))).json()
  const { count } = (await ask('GET', '/api/approvals/count', as(name))).json()
  assert.equal(count, data.length)
  return data
    .filter(({ id }: { id: number }) => ids.includes(id))
    .map(({ id, actions }: { id: number; actions: { key: string }[] }) => [id, ...keysOf(actions)])
}

describe('an action that compares with a value of the caller', () => {
  test('is open up to their limit, and to nobody without one', async () => {
    const id = await create('100.00')
    const above = await create('100.01')
    assert.deepEqual(await openTo(id, as('anna')), ['approve', 'reject'])
    assert.deepEqual(await openTo(above, as('anna')), ['reject'])
    const { unmet } = (await ask('GET', `/request/${above}/actions`, as('anna'))).json()
    assert.deepEqual(unmet, [
      {
        ...{ key: 'approve', name: 'approve', kind: 'approveWorkflow' },
        ...{ fields: ['total', '_created_by'], callerFields: ['approval_limit', 'id'] },
      },
    ])
    assert.deepEqual(await openTo(above, as('boris')), ['approve', 'reject'])
    assert.deepEqual(await openTo(id, as('clerk')), ['reject'])
    assert.deepEqual(await openTo(await create(null), as('boris')), [])
  })

  test('is refused with the fields of its condition, and can be taken by somebody else', async () => {
    const id = await create('500.00')
    for (const name of ['approve', 'approveWorkflow']) {
      const refused = await act(id, name, as('anna'))
      assert.deepEqual(
        [refused.status, refused.json().code, refused.json().detail],
        [
          409,
          'workflow.condition-not-met',
          `The action "approve" is not open to you for request ${id}: its condition on "total" and "_created_by" and your "approval_limit" and your "id" does not hold.`,
        ],
      )
    }
    assert.equal((await act(id, 'approve', as('boris'))).status, 200)
    // In another step it is not open to anybody.
    assert.equal((await act(id, 'approve', as('anna'))).json().code, 'workflow.action-not-open')
  })

  test('follows the limit as it is then', async () => {
    const id = await create('5000.00')
    assert.equal((await act(id, 'approve', as('boris'))).status, 409)
    const { data } = (
      await ask('POST', '/user/search', { body: { $where: { email: 'boris@example.com' } } })
    ).json()
    const path = `/user/${data[0].id}`
    await ask('PATCH', path, { body: { approval_limit: '5000.00' } })
    assert.equal((await act(id, 'approve', as('boris'))).status, 200)
    await ask('PATCH', path, { body: { approval_limit: limits.boris } })
  })

  test('may exclude who has created the record', async () => {
    const id = await create('10.00', as('anna'))
    assert.deepEqual(await openTo(id, as('anna')), ['reject'])
    assert.deepEqual(await openTo(id, as('boris')), ['approve', 'reject'])
  })

  test('names no field that the role hides', async () => {
    const id = await create('500.00')
    const { detail } = (await act(id, 'approve', as('blind'))).json()
    assert.match(detail, /: its condition on your "approval_limit" and your "id" does not hold\.$/)
    const { unmet } = (await ask('GET', `/request/${id}/actions`, as('blind'))).json()
    assert.deepEqual(unmet[0].fields, [])
    const conditionsFor = async (who: AskOptions) => {
      const { workflow } = (await ask('GET', '/api/entities/request', who)).json()
      return workflow.steps[0].actions.map((action: object) => 'condition' in action)
    }
    assert.deepEqual(await conditionsFor(as('anna')), [false, false])
    assert.deepEqual(await conditionsFor({}), [true, true])
    const { permissions } = (await ask('GET', '/api/entities/request', as('anna'))).json()
    assert.deepEqual(permissions.conditionalActions, ['approve', 'reject', 'pay'])
  })
})

test('a condition may follow links, and holds for records without one', async () => {
  const vendorOf = async (is_blocked: boolean) =>
    (await ask('POST', '/vendor', { body: { is_blocked } })).json().id
  const approved = async (vendor_id: number | null) => {
    const id = await create('10.00', {}, { vendor_id })
    assert.equal((await act(id, 'approve', as('boris'))).status, 200)
    return openTo(id)
  }
  assert.deepEqual(await approved(await vendorOf(true)), [])
  assert.deepEqual(await approved(await vendorOf(false)), ['pay'])
  assert.deepEqual(await approved(null), ['pay'])
})

test('approvals and their number have what is open to the caller, with these actions', async () => {
  const ids = [await create('3.00'), await create('100.00'), await create('200.00')]
  const [small, middle, large] = ids
  assert.deepEqual(await waitingFor('anna', ids), [
    [small, 'approve'],
    [middle, 'approve', 'reject'],
    [large, 'reject'],
  ])
  assert.deepEqual(await waitingFor('clerk', ids), [
    [middle, 'reject'],
    [large, 'reject'],
  ])
})

test('many records are decided on as far as the action is open for each', async () => {
  const ids = [await create('10.00'), await create('200.00')]
  const bulk = async (dryRun: boolean) => {
    const body = { ids, do: { action: 'approve' }, dryRun }
    const { data } = (await ask('POST', '/request/bulk', { body, ...as('anna') })).json()
    return data.map(({ status, code }: { status: string; code: string | null }) => [status, code])
  }
  for (const dryRun of [true, false])
    assert.deepEqual(await bulk(dryRun), [
      ['done', null],
      ['refused', 'workflow.condition-not-met'],
    ])
  assert.equal((await ask('GET', `/request/${ids[1]}`)).json()._step, 'review')
})

test('who would be told is asked of the records that the action is open for', async () => {
  const entityIds = [await create('10.00'), await create('200.00')]
  const body = {
    ...{ entityKey: 'request', operation: 'proceedToStep', action: 'approve' },
    entityIds,
  }
  const reply = await ask('POST', '/api/notifications/recipients', { body, ...as('anna') })
  assert.equal(reply.json().records, 1)
})

test('requests cannot name values of the caller', async () => {
  const body = { $where: { total: { $lte: { $caller: 'approval_limit' } } } }
  const reply = await ask('POST', '/request/search', { body })
  assert.deepEqual([reply.status, reply.json().code], [400, 'criteria.invalid'])
})
