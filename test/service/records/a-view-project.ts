/** A project with roles that see and share more or less, and saved views of its users. */
import assert from 'node:assert/strict'
import { insertUser } from '../../../src/users/user-store.ts'
import { type Reply, startTestService, writeProject } from '../../support/service.ts'

const role = (key: string, permissions: object) => ({
  [`roles/${key}.json`]: { key, permissions },
})

const order = { read: true, hiddenFields: ['margin'] }
const files = {
  'entities/order.json': {
    key: 'order',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'margin', type: 'decimal' },
      { key: 'rate', type: 'decimal' },
      { key: 'weight', type: 'integer' },
      { key: 'extra', type: 'json' },
      { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    ],
  },
  'entities/supplier.json': {
    key: 'supplier',
    fields: [
      { key: 'name', type: 'string' },
      { key: 'rating', type: 'integer' },
    ],
  },
  // Hides the margin, and reads no suppliers.
  ...role('buyer', { order }),
  ...role('chief', { order: { read: true }, supplier: { read: true } }),
  // May share.
  ...role('lead', {
    order: { read: true },
    supplier: { read: true },
    security_role: { read: true },
    saved_view: { create: true, read: 'own', update: true, delete: 'own' },
  }),
  ...role('wildcard', {
    '*': { read: true, create: true, update: true, delete: true, export: true },
  }),
  ...role('viewless', { order, saved_view: {} }),
  ...role('stranger', { supplier: { read: true } }),
}

export type Views = Awaited<ReturnType<typeof startViews>>

export const startViews = async () => {
  const service = await startTestService(await writeProject(files))
  const { ask } = service
  const idOfRole: Record<string, number> = {}
  for (const { id, key } of (await ask('GET', '/security_role?limit=100')).json().data)
    idOfRole[key] = id
  for (const name of ['buyer', 'buyer2', 'chief', 'lead', 'wildcard', 'viewless', 'stranger']) {
    const id = await insertUser(service.database.pool, {
      identity_provider_user_id: name,
      first_name: name,
      last_name: 'Example',
      full_name: name,
      email: `${name}@example.com`,
      role_key: name.replace(/\d$/, ''),
    })
    assert.ok(id)
  }
  const send = (who: string, values: object = {}): Promise<Reply> =>
    ask('POST', '/saved_view', {
      body: { entity_key: 'order', name: 'A view', ...values },
      ...asOf(who),
    })
  const save = async (who: string, values: object = {}): Promise<number> => {
    const reply = await send(who, values)
    assert.equal(reply.status, 201, reply.text)
    return reply.json().id
  }
  const statusFor = async (who: string, id: number) =>
    (await ask('GET', `/saved_view/${id}`, asOf(who))).status
  const listFor = async (who: string): Promise<number[]> =>
    (await ask('POST', '/saved_view/search?limit=1000', { body: {}, ...asOf(who) }))
      .json()
      .data.map(({ id }: { id: number }) => id)
  const pathsOf = (reply: Reply, status: number) => {
    assert.equal(reply.status, status, reply.text)
    return reply.json().errors.map(({ path }: { path: string }) => path)
  }
  return {
    ...{ service, ask, send, save, statusFor, listFor, pathsOf },
    forRole: (key: string) => ({ is_shared_with: 'role', security_role_id: idOfRole[key] }),
  }
}

export const asOf = (who: string) => (who === 'administrator' ? {} : { as: `${who}@example.com` })

export const everybody = { is_shared_with: 'all' }
