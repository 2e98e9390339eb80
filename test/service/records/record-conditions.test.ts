/** Conditions of permissions, and of two fields of a record: what a role may create, change and remove, and what the console offers. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import {
  type AskOptions,
  type Reply,
  startTestService,
  writeProject,
} from '../../support/service.ts'

const isDraft = { _step: 'draft' }
const orderIsDraft = { 'order._step': 'draft' }
const withinLimit = { total: { $lte: { $caller: 'limit' } } }
const withinBudget = { spent: { $lte: { $field: 'budget' } } }
const many = (key: string, entity: string, mappedBy = 'order') => ({
  ...{ key, type: 'oneToMany', entity, mappedBy },
})
const order = { key: 'order', type: 'manyToOne', entity: 'order' }
const money = { type: 'decimal', precision: 14, scale: 2 }

const service = await startTestService(
  await writeProject({
    'entities/user.json': {
      ...{ extends: 'native', key: 'user', fields: [{ key: 'limit', ...money }] },
    },
    'entities/order.json': {
      ...{ key: 'order', ownership: true },
      fields: [
        { key: 'number', type: 'string' },
        { key: 'total', ...money },
        many('lines', 'line'),
        many('remarks', 'remark'),
      ],
      workflow: {
        initialStep: 'draft',
        steps: [
          { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
          { key: 'review', actions: [{ key: 'withdraw', kind: 'proceedToStep', to: 'draft' }] },
        ],
      },
    },
    'entities/line.json': { key: 'line', fields: [order, { key: 'price', type: 'integer' }] },
    'entities/remark.json': { key: 'remark', fields: [order, { key: 'text', type: 'string' }] },
    'entities/project.json': {
      key: 'project',
      fields: [
        { key: 'spent', ...money },
        { key: 'budget', type: 'integer' },
        many('works', 'work', 'project'),
      ],
      hooks: [
        { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
      ],
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
    'entities/work.json': {
      key: 'work',
      fields: [{ key: 'project', type: 'manyToOne', entity: 'project' }],
    },
    'roles/buyer.json': {
      key: 'buyer',
      permissions: {
        order: {
          ...{ create: true, read: true, update: true, delete: true, takeOwnership: true },
          actions: ['submit', 'withdraw'],
          conditions: { update: isDraft, delete: isDraft },
        },
        line: {
          ...{ create: true, read: true, update: true, delete: true },
          conditions: {
            create: { ...orderIsDraft, price: { $gt: 0 } },
            ...{ update: orderIsDraft, delete: orderIsDraft },
          },
        },
        remark: { create: true, read: true },
      },
    },
    // Does not see the step.
    'roles/manager.json': {
      key: 'manager',
      permissions: {
        order: {
          ...{ create: true, read: true, update: true, hiddenFields: ['_step'] },
          conditions: { create: withinLimit, update: { ...withinLimit, ...isDraft } },
        },
      },
    },
    'roles/clerk.json': {
      key: 'clerk',
      permissions: {
        project: {
          ...{ read: true, update: true, actions: ['end'], hiddenFields: ['budget'] },
          conditions: { update: withinBudget },
        },
        work: {
          ...{ create: true, read: true },
          conditions: { create: { 'project.spent': { $lt: { $field: 'project.budget' } } } },
        },
      },
    },
  }),
)
after(() => service.stop())
const { ask } = service

for (const name of ['buyer', 'manager', 'clerk']) {
  const id = await insertUser(service.database.pool, {
    ...{ identity_provider_user_id: name, email: `${name}@example.com`, role_key: name },
    ...{ first_name: name, last_name: 'Example', full_name: `${name} Example` },
  })
  if (name === 'manager') await ask('PATCH', `/user/${id}`, { body: { limit: '100.00' } })
}
const buyer = { as: 'buyer@example.com' }
const manager = { as: 'manager@example.com' }
const clerk = { as: 'clerk@example.com' }

const create = async (entity: string, body: object): Promise<number> =>
  (await ask('POST', `/${entity}`, { body })).json().id
const act = (id: number, action: string, who: AskOptions = {}) =>
  ask('POST', `/order/${id}/proceedToStep`, { ...who, body: { action } })
const orderIn = async (step: 'draft' | 'review', body: object = {}) => {
  const id = await create('order', body)
  if (step === 'review') await act(id, 'submit')
  return id
}
const refused = async (asked: Promise<Reply>, detail: RegExp) => {
  const reply = await asked
  assert.deepEqual([reply.status, reply.json().code], [403, 'caller.condition-not-met'], reply.text)
  assert.match(reply.json().detail, detail)
}

describe('a condition on changes', () => {
  const onStep =
    /The permission "update" of your role does not include order \d+: its condition on "_step" does not hold\.$/

  test('holds for the record as it is, and not for actions, which have their own', async () => {
    const id = await orderIn('draft', { total: '5000.00' })
    const change = (total: string) => ask('PATCH', `/order/${id}`, { ...buyer, body: { total } })
    assert.equal((await change('6000.00')).status, 200)
    assert.equal((await act(id, 'submit', buyer)).status, 200)
    await refused(change('10.00'), onStep)
    // Also when the body is wrong: what may not be changed is not checked.
    await refused(change('ten'), onStep)
    assert.equal((await ask('POST', `/order/${id}/takeOwnership`, buyer)).status, 200)
    assert.equal((await act(id, 'withdraw', buyer)).status, 200)
    assert.equal((await change('10.00')).status, 200)
    assert.equal((await ask('GET', `/order/${id}`)).json().total, '10.00')
  })

  test('holds for the record as it would be', async () => {
    const id = await create('order', { total: '90.00' })
    const change = (total: string) => ask('PATCH', `/order/${id}`, { ...manager, body: { total } })
    assert.equal((await change('100.00')).status, 200)
    // The step is hidden from the role.
    await refused(
      change('100.01'),
      /does not include order \d+: its condition on "total" and your "limit" would not hold then\.$/,
    )
    assert.equal((await ask('GET', `/order/${id}`)).json().total, '100.00')
    assert.equal((await ask('GET', `/order/${id}/history`)).json().data.length, 2)
    await ask('PATCH', `/order/${id}`, { body: { total: '100.01' } })
    await refused(change('1.00'), / does not hold\.$/)
  })

  test('is that of a linked record: lines of an order follow its step', async () => {
    const [draft, review] = [await orderIn('draft'), await orderIn('review')]
    const line = await create('line', { order_id: draft, price: 1 })
    const fixed = await create('line', { order_id: review, price: 1 })
    const change = (id: number, body: object) => ask('PATCH', `/line/${id}`, { ...buyer, body })
    assert.equal((await change(line, { price: 2 })).status, 200)
    await refused(change(fixed, { price: 2 }), /"order\._step" does not hold\.$/)
    await refused(change(line, { order_id: review }), /would not hold then/)
    await refused(change(line, { order_id: null }), /would not hold then/)
    await refused(change(fixed, { order_id: draft }), /does not hold/)
    await refused(ask('DELETE', `/line/${fixed}`, buyer), /"delete"/)
  })

  test('is asked after the lock: what another transaction has committed counts', async () => {
    const id = await orderIn('draft', { total: '1.00' })
    const { pool } = service.database
    const other = await pool.connect()
    try {
      await other.query('BEGIN')
      await other.query('SELECT FROM records."order" WHERE id = $1 FOR UPDATE', [id])
      const change = ask('PATCH', `/order/${id}`, { ...buyer, body: { total: '2.00' } })
      await untilWaitingForLock(pool)
      await other.query(`UPDATE records."order" SET _step = 'review' WHERE id = $1`, [id])
      await other.query('COMMIT')
      await refused(change, onStep)
    } finally {
      other.release()
    }
  })

  test('is in the answer of a bulk write for each record', async () => {
    const [draft, review] = [await orderIn('draft'), await orderIn('review')]
    for (const dryRun of [true, false]) {
      const body = { ids: [draft, review], do: { change: { number: 'B-1' } }, dryRun }
      const reply = await ask('POST', '/order/bulk', { ...buyer, body })
      const codes = reply
        .json()
        .data.map((one: { id: number; code: unknown }) => [...[one.id, one.code]])
      const expected = [
        [draft, null],
        [review, 'caller.condition-not-met'],
      ]
      assert.deepEqual(codes, expected, reply.text)
    }
  })
})

test('a condition on new records holds for what is created, or nothing is', async () => {
  const [draft, review] = [await orderIn('draft'), await orderIn('review')]
  const post = (body: object, headers: Record<string, string> = {}) =>
    ask('POST', '/line', { ...buyer, body, headers })
  assert.equal((await post({ order_id: draft, price: 3 })).status, 201)
  for (const headers of [{}, { 'Idempotency-Key': 'refused-line' }])
    await refused(
      post({ order_id: review, price: 3 }, headers),
      /does not include this record of line: its condition on "order\._step" and "price" would not hold then\.$/,
    )
  await refused(post({ order_id: draft, price: 0 }), /would not hold then/)
  await refused(post({ price: 1 }), /would not hold then/)
  const lines = { body: { $where: { order_id: review } } }
  assert.deepEqual((await ask('POST', '/line/search', lines)).json().data, [])
  await refused(ask('POST', '/order', { ...manager, body: { total: '100.01' } }), /"total"/)
  assert.equal((await ask('POST', '/order', { ...manager, body: { total: '9' } })).status, 201)
})

test('a condition on removing holds for restoring too', async () => {
  const id = await orderIn('draft')
  const line = await create('line', { order_id: id })
  assert.equal((await ask('DELETE', `/line/${line}`, buyer)).status, 204)
  await act(id, 'submit')
  await refused(ask('POST', `/line/${line}/restore`, buyer), /"delete".*"order\._step"/)
  await act(id, 'withdraw')
  assert.equal((await ask('POST', `/line/${line}/restore`, buyer)).status, 200)
  await act(id, 'submit')
  await refused(ask('DELETE', `/order/${id}`, buyer), /"delete".*"_step"/)
  assert.equal((await ask('DELETE', `/order/${id}`)).status, 204)
})

describe('what is offered', () => {
  test('follows the conditions, says which do not hold, and what may be created below', async () => {
    const offers = async (id: number, who: AskOptions = {}) => {
      const reply = (await ask('GET', `/order/${id}/actions`, who)).json()
      const { may, unmetRights, mayCreate } = reply
      return { may: [may.update, may.delete, may.takeOwnership], unmetRights, mayCreate }
    }
    const [draft, review] = [await orderIn('draft'), await orderIn('review')]
    assert.deepEqual(await offers(draft, buyer), {
      may: [true, true, true],
      unmetRights: [],
      mayCreate: { lines: true, remarks: true },
    })
    const onStep = { fields: ['_step'], callerFields: [], message: null }
    assert.deepEqual(await offers(review, buyer), {
      may: [false, false, true],
      unmetRights: [
        { right: 'update', ...onStep },
        { right: 'delete', ...onStep },
      ],
      mayCreate: { lines: false, remarks: true },
    })
    assert.deepEqual((await offers(review)).mayCreate, { lines: true, remarks: true })
    // Neither the step nor the lines are theirs to see.
    assert.deepEqual(await offers(await orderIn('review', { total: '1' }), manager), {
      may: [false, false, false],
      unmetRights: [{ right: 'update', fields: ['total'], callerFields: ['limit'], message: null }],
      mayCreate: {},
    })
  })

  test('in definitions names the rights that have a condition; administrators read the conditions', async () => {
    const own = (await ask('GET', '/api/entities/line', buyer)).json()
    assert.deepEqual(own.permissions.conditional, ['create', 'update', 'delete'])
    assert.equal('roles' in own, false)
    const { permissions, roles } = (await ask('GET', '/api/entities/order')).json()
    assert.deepEqual(permissions.conditional, [])
    const ofBuyer = roles.find(({ key }: { key: string }) => key === 'buyer')
    assert.deepEqual(ofBuyer.conditions, { update: isDraft, delete: isDraft })
  })
})

describe('a condition on two fields', () => {
  test('of a permission holds while one field is within the other, before and after a change', async () => {
    const id = await create('project', { spent: '10.00', budget: 10 })
    const change = async (spent: string) =>
      (await ask('PATCH', `/project/${id}`, { ...clerk, body: { spent } })).status
    assert.equal(await change('9.99'), 200)
    assert.equal(await change('10.01'), 403)
    await ask('PATCH', `/project/${id}`, { body: { budget: 1 } })
    assert.equal(await change('0.50'), 403)
  })

  test('of an action opens it where it holds, and names the fields that the caller may read', async () => {
    const within = await create('project', { spent: '10.00', budget: 10 })
    const above = await create('project', { spent: '10.01', budget: 10 })
    const unknown = await create('project', { spent: '10.01' })
    const asked = { ...clerk, body: { ids: [within, above, unknown] } }
    const { data } = (await ask('POST', '/project/actions', asked)).json()
    assert.deepEqual(data[0].ids, [within])
    const take = (id: number) =>
      ask('POST', `/project/${id}/proceedToStep`, { ...clerk, body: { action: 'end' } })
    const reply = await take(above)
    assert.equal(reply.json().code, 'workflow.condition-not-met')
    assert.match(reply.json().detail, /its condition on "spent" does not hold/)
    assert.equal((await take(within)).status, 200)
  })

  test('of a linked record says below which records one may be created', async () => {
    for (const [spent, offered, status] of [
      ['9.00', true, 201],
      ['10.00', false, 403],
    ] as const) {
      const project_id = await create('project', { spent, budget: 10 })
      const { mayCreate } = (await ask('GET', `/project/${project_id}/actions`, clerk)).json()
      const created = await ask('POST', '/work', { ...clerk, body: { project_id } })
      assert.deepEqual([mayCreate.works, created.status], [offered, status])
    }
  })

  test('of a notification rule applies to the records that match it', async () => {
    for (const [values, matches] of [
      [{ spent: '10.01', budget: 10 }, true],
      [{ spent: '10.00', budget: 10 }, false],
      [{ spent: '10.00' }, false],
    ] as const) {
      const entityId = await create('project', values)
      const body = { entityKey: 'project', entityId, operation: 'create' }
      const reply = await ask('POST', '/api/notifications/explain', { body })
      assert.equal(reply.json().entries[0].matches, matches)
    }
  })
})
