/** Conditions of permissions, actions and notifications that compare two fields of the record. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import {
  type AskOptions,
  startTestService,
  type TestService,
  writeProject,
} from '../../support/service.ts'

const withinBudget = { spent: { $lte: { $field: 'budget' } } }

const project = {
  'entities/order.json': {
    key: 'order',
    fields: [
      { key: 'spent', type: 'decimal', precision: 14, scale: 2 },
      { key: 'budget', type: 'integer' },
      { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
    ],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'create',
        condition: { spent: { $gt: { $field: 'budget' } } },
        recipient: { userFields: ['_created_by'] },
      },
    ],
    workflow: {
      initialStep: 'open',
      steps: [
        {
          key: 'open',
          actions: [{ key: 'end', kind: 'proceedToStep', to: 'done', condition: withinBudget }],
        },
        { key: 'done', final: true },
      ],
    },
  },
  'entities/line.json': {
    key: 'line',
    fields: [{ key: 'order', type: 'manyToOne', entity: 'order' }],
  },
  'roles/clerk.json': {
    key: 'clerk',
    permissions: {
      order: {
        ...{ read: true, update: true, actions: ['end'], hiddenFields: ['budget'] },
        conditions: { update: withinBudget },
      },
      line: {
        ...{ create: true, read: true },
        conditions: { create: { 'order.spent': { $lt: { $field: 'order.budget' } } } },
      },
    },
  },
}

const clerk = { as: 'clerk@example.com' }
let service: TestService
before(async () => {
  service = await startTestService(await writeProject(project))
  await insertUser(service.database.pool, {
    ...{ identity_provider_user_id: 'clerk', email: clerk.as, role_key: 'clerk' },
    ...{ first_name: 'Clerk', last_name: 'Example', full_name: 'Clerk Example' },
  })
})
after(() => service.stop())

const ask = (method: string, path: string, options: AskOptions = {}) =>
  service.ask(method, path, options)
const create = async (body: object) => (await ask('POST', '/order', { body })).json().id as number

test('a permission holds while one field is within the other, before and after a change', async () => {
  const id = await create({ spent: '10.00', budget: 10 })
  const change = async (spent: string) =>
    (await ask('PATCH', `/order/${id}`, { ...clerk, body: { spent } })).status
  assert.equal(await change('9.99'), 200)
  assert.equal(await change('10.01'), 403)
  await ask('PATCH', `/order/${id}`, { body: { budget: 1 } })
  assert.equal(await change('0.50'), 403)
})

test('an action is open where it holds, and names the fields that the caller may read', async () => {
  const [within, above, unknown] = [
    await create({ spent: '10.00', budget: 10 }),
    await create({ spent: '10.01', budget: 10 }),
    await create({ spent: '10.01' }),
  ]
  const { data } = (
    await ask('POST', '/order/actions', { ...clerk, body: { ids: [within, above, unknown] } })
  ).json()
  assert.deepEqual(data[0].ids, [within])
  const take = (id: number) =>
    ask('POST', `/order/${id}/proceedToStep`, { ...clerk, body: { action: 'end' } })
  const refused = await take(above)
  assert.equal(refused.json().code, 'workflow.condition-not-met')
  assert.match(refused.json().detail, /its condition on "spent" does not hold/)
  assert.equal((await take(within)).status, 200)
})

test('a condition on two fields of a linked record says below which records one may be created', async () => {
  const offered = async (id: number) =>
    (await ask('GET', `/order/${id}/actions`, clerk)).json().mayCreate.lines
  const created = async (order_id: number) =>
    (await ask('POST', '/line', { ...clerk, body: { order_id } })).status
  const [below, equal] = [
    await create({ spent: '9.00', budget: 10 }),
    await create({ spent: '10.00', budget: 10 }),
  ]
  assert.deepEqual([await offered(below), await created(below)], [true, 201])
  assert.deepEqual([await offered(equal), await created(equal)], [false, 403])
})

test('a notification rule applies to the records that match it', async () => {
  const isTold = async (values: object) => {
    const body = { entityKey: 'order', entityId: await create(values), operation: 'create' }
    const reply = await ask('POST', '/api/notifications/explain', { body })
    return reply.json().entries[0].matches
  }
  assert.equal(await isTold({ spent: '10.01', budget: 10 }), true)
  assert.equal(await isTold({ spent: '10.00', budget: 10 }), false)
  assert.equal(await isTold({ spent: '10.00' }), false)
})
