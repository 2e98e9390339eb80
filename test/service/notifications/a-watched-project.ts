/** A service with orders, users of several roles, and streams that watch records. */
import assert from 'node:assert/strict'
import { insertUser } from '../../../src/users/user-store.ts'
import { openReader, type Reader } from '../../support/notifications/a-stream-reader.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const order = {
  key: 'order',
  ownership: true,
  fields: [
    { key: 'number', type: 'string' },
    { key: 'margin', type: 'string' },
  ],
  workflow: {
    initialStep: 'draft',
    steps: [
      { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
      { key: 'review', actions: [{ key: 'approve', kind: 'approveWorkflow', to: 'done' }] },
      { key: 'done', final: true },
    ],
  },
}
const all = {
  create: true,
  read: true,
  update: true,
  delete: true,
  takeOwnership: true,
  tasks: true,
}
const roles = {
  buyer: { order: { ...all, actions: ['submit'] } },
  owner: { order: { ...all, read: 'own' } },
  blind: { order: { ...all, hiddenFields: ['_updated_by', 'margin'] } },
  approver: { order: { read: true, actions: ['approve'] } },
  nobody: { vault: { read: true } },
}
export type Role = keyof typeof roles

export type Watched = Awaited<ReturnType<typeof startWatched>>

export const startWatched = async () => {
  const service = await startTestService(
    await writeProject({
      'entities/order.json': order,
      'entities/vault.json': { key: 'vault', fields: [{ key: 'name', type: 'string' }] },
      ...Object.fromEntries(
        Object.entries(roles).map(([key, permissions]) => [
          `roles/${key}.json`,
          { key, permissions },
        ]),
      ),
    }),
  )
  const ids: Partial<Record<Role, number>> = {}
  for (const key of Object.keys(roles) as Role[])
    ids[key] =
      (await insertUser(service.database.pool, {
        identity_provider_user_id: key,
        first_name: key,
        last_name: 'Example',
        full_name: key,
        email: mailOf(key),
        role_key: key,
      })) ?? assert.fail()
  const readers: Reader[] = []
  const ask = async (
    method: string,
    path: string,
    body?: object,
    as: Role | undefined = undefined,
  ) => {
    const reply = await service.ask(method, path, {
      ...(as && { as: mailOf(as) }),
      ...(body && { body }),
    })
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
    return reply
  }
  const create = async (as?: Role) =>
    (await ask('POST', '/order', { number: 'PO-1', margin: 'secret' }, as)).json().id as number
  const open = async (query: string, as?: Role, headers = {}) => {
    const token = await service.tokenOf(as && mailOf(as))
    const path = `/api/notifications/stream${query}`
    const reader = await openReader(service.url, token, { path, headers })
    readers.push(reader)
    await until('the stream has begun', () => reader.counts().length === 1)
    return reader
  }
  const closeReaders = () => {
    for (const reader of readers.splice(0)) reader.close()
  }
  const idOf = (role: Role) => ids[role] ?? assert.fail()
  return { service, idOf, ask, create, open, closeReaders }
}

export const mailOf = (role: Role) => `${role}@example.com`

export const recordsOf = (reader: Reader) =>
  reader.events.filter(({ event }) => event === 'record').map(({ data }) => JSON.parse(data))
export const kindsOf = (reader: Reader) => reader.events.map(({ event }) => event)
export const untilTold = (reader: Reader, id: number, wanted: object) =>
  until(`a change of ${id} is told`, () =>
    recordsOf(reader).some(
      (one) =>
        one.id === id && Object.entries(wanted).every(([name, value]) => one[name] === value),
    ),
  )
