/** Which actions are open for which of several records: one question, in the steps and with the conditions of each. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import {
  type AskOptions,
  startTestService,
  type TestService,
  writeProject,
} from '../../support/service.ts'

const proceed = (key: string, to: string) => ({ key, kind: 'proceedToStep', to })

const withinLimit = { total: { $lte: { $caller: 'approval_limit' } } }

const role = (key: string, permission: object) => ({
  [`roles/${key}.json`]: { key, permissions: { request: permission } },
})

const all = ['submit', 'approve', 'reject', 'pay', 'sendBack']

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
      { key: 'reason', type: 'text' },
      { key: 'vendor', type: 'manyToOne', entity: 'vendor' },
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        { key: 'draft', actions: [proceed('submit', 'review'), proceed('pay', 'done')] },
        {
          key: 'review',
          actions: [
            {
              ...{ key: 'approve', name: 'Approve', kind: 'approveWorkflow', to: 'approved' },
              condition: withinLimit,
            },
            { key: 'reject', kind: 'rejectWorkflow', to: 'done', form: 'reject' },
            { key: 'sendBack', kind: 'returnToStep' },
          ],
        },
        {
          key: 'approved',
          actions: [
            { ...proceed('pay', 'done'), condition: { 'vendor.is_blocked': { $ne: true } } },
          ],
        },
        { key: 'done', final: true },
      ],
      forms: [{ key: 'reject', fields: ['reason'], required: ['reason'] }],
    },
  },
  ...role('approver', { create: true, read: true, actions: all }),
  ...role('own', { create: true, read: 'own', actions: all }),
  ...role('blind', { read: true, actions: all, hiddenFields: ['_step', 'reason', 'total'] }),
  ...role('reader', { read: true }),
  ...role('stranger', { create: true, read: false, actions: all }),
}

let service: TestService
before(async () => {
  service = await startTestService(await writeProject(project))
  for (const name of ['approver', 'own', 'blind', 'reader', 'stranger']) {
    const id = await insertUser(service.database.pool, {
      ...{ identity_provider_user_id: name, email: `${name}@example.com`, role_key: name },
      ...{ first_name: name, last_name: 'Example', full_name: `${name} Example` },
    })
    await ask('PATCH', `/user/${id}`, { body: { approval_limit: '100.00' } })
  }
})
after(() => service.stop())

const ask = (method: string, path: string, options: AskOptions = {}) =>
  service.ask(method, path, options)
const as = (name: string) => ({ as: `${name}@example.com` })

/** Creates a request and takes these actions on it. */
const create = async (
  total: string,
  actions: readonly string[] = [],
  { who = {}, vendor_id = null }: { who?: AskOptions; vendor_id?: number | null } = {},
): Promise<number> => {
  const { id } = (await ask('POST', '/request', { ...who, body: { total, vendor_id } })).json()
  for (const action of actions) {
    const reply = await ask('POST', `/request/${id}/proceedToStep`, {
      body: { action },
      ...as('approver'),
    })
    assert.equal(reply.status, 200, reply.text)
  }
  return id
}

const openFor = async (ids: readonly number[], who: AskOptions = as('approver')) => {
  const reply = await ask('POST', '/request/actions', { ...who, body: { ids } })
  assert.equal(reply.status, 200, reply.text)
  const { data } = reply.json() as { data: { key: string; ids: number[] }[] }
  return Object.fromEntries(data.map((one) => [one.key, one.ids]))
}

describe('the actions of several records', () => {
  test('name the records in whose step each is open and whose condition holds', async () => {
    const draft = await create('10.00')
    const small = await create('100.00', ['submit'])
    const large = await create('100.01', ['submit'])
    assert.deepEqual(await openFor([draft, small, large]), {
      submit: [draft],
      approve: [small],
      reject: [small, large],
      pay: [draft],
      sendBack: [small, large],
    })
  })

  test('are those that each record has when it is asked for alone', async () => {
    const vendor_id = (await ask('POST', '/vendor', { body: { is_blocked: true } })).json().id
    const ids = [
      await create('1.00'),
      await create('1.00', ['submit']),
      await create('500.00', ['submit', 'sendBack']),
      await create('2.00', ['submit', 'approve'], { vendor_id }),
      await create('2.00', ['submit', 'approve']),
      await create('2.00', ['submit', 'approve', 'pay']),
    ]
    for (const name of ['approver', 'blind']) {
      const together = await openFor(ids, as(name))
      for (const id of ids) {
        const alone = (await ask('GET', `/request/${id}/actions`, as(name))).json()
        const keys = Object.keys(together).filter((key) => together[key]?.includes(id))
        assert.deepEqual(
          keys.toSorted(),
          alone.data.map(({ key }: { key: string }) => key).toSorted(),
        )
      }
    }
  })

  test('have their names and kinds, in the order of the definition', async () => {
    const id = await create('1.00', ['submit'])
    const { data } = (
      await ask('POST', '/request/actions', { ...as('approver'), body: { ids: [id] } })
    ).json()
    assert.deepEqual(data, [
      { key: 'approve', name: 'Approve', kind: 'approveWorkflow', ids: [id] },
      { key: 'reject', name: 'reject', kind: 'rejectWorkflow', ids: [id] },
      { key: 'sendBack', name: 'sendBack', kind: 'returnToStep', ids: [id] },
    ])
  })

  test('leave out a way back that leads nowhere', async () => {
    const id = await create('1.00', ['submit'])
    await service.database.pool.query(
      `DELETE FROM docket.history WHERE entity_key = 'request' AND entity_id = $1`,
      [id],
    )
    assert.deepEqual(Object.keys(await openFor([id])), ['approve', 'reject'])
  })
})

describe('rights', () => {
  test('a record that does not exist, was removed or may not be read is not named', async () => {
    const own = await create('1.00', [], { who: as('own') })
    const other = await create('1.00')
    const removed = await create('1.00')
    await ask('DELETE', `/request/${removed}`)
    const reply = await ask('POST', '/request/actions', {
      ...as('own'),
      body: { ids: [own, other, removed, 2_000_000_000, own] },
    })
    assert.deepEqual(
      reply.json().data.map(({ key, ids }: { key: string; ids: number[] }) => [key, ids]),
      [
        ['submit', [own]],
        ['pay', [own]],
      ],
    )
    assert.deepEqual(await openFor([other], as('own')), {})
  })

  test('a role has the actions that it may take and can fill in', async () => {
    const id = await create('1.00', ['submit'])
    assert.deepEqual(await openFor([id], as('reader')), {})
    assert.deepEqual(await openFor([id], as('blind')), { approve: [id], sendBack: [id] })
  })

  test('it is asked only by who may read records, of entities with a workflow', async () => {
    const body = { ids: [1] }
    const statusOf = async (path: string, who: AskOptions) =>
      (await ask('POST', path, { ...who, body })).status
    assert.equal(await statusOf('/request/actions', as('stranger')), 403)
    assert.equal(await statusOf('/vendor/actions', as('reader')), 404)
    const reply = await ask('POST', '/vendor/actions', { body })
    assert.deepEqual([reply.status, reply.json().code], [404, 'request.no-such-path'])
  })
})

const idsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => first + at)

test('one to a hundred ids are taken, and nothing else', async () => {
  const issuesOf = async (body: object) => {
    const reply = await ask('POST', '/request/actions', { body })
    assert.equal(reply.status, 400)
    return reply.json().errors.map(({ path }: { path: string }) => path)
  }
  assert.deepEqual(await issuesOf({}), ['ids'])
  assert.deepEqual(await issuesOf({ ids: [] }), ['ids'])
  assert.deepEqual(await issuesOf({ ids: idsFrom(1, 101) }), ['ids'])
  assert.deepEqual(await issuesOf({ ids: [1, 0, 1.5, '2', 3_000_000_000] }), [
    ...['ids[1]', 'ids[2]', 'ids[3]', 'ids[4]'],
  ])
  assert.deepEqual(await issuesOf({ ids: [1], action: 'approve' }), ['action'])
  assert.deepEqual(await openFor(idsFrom(1_000_000, 100)), {})
})
