/**
 * A project with records that have tasks, roles with different permissions, and a user for each role. The files of a
 * process share one service of it, so each test has records of its own.
 */
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Statement } from '../../../src/database/sql.ts'
import { insertUser } from '../../../src/users/user-store.ts'
import {
  type ProjectFiles,
  type Reply,
  shareService,
  startTestService,
  type TestService,
  writeProject,
} from '../../support/service.ts'

const role = (key: string, matter: object, more: object = {}) => ({
  [`roles/${key}.json`]: { key, permissions: { matter, ...more } },
})

const hiddenSystemFields = [
  '_is_deleted',
  '_created_by',
  '_updated_by',
  '_created_at',
  '_updated_at',
]

/** The files of the project. */
const projectFiles: ProjectFiles = {
  'docket.json': { name: 'Matters', timeZone: 'Europe/Zagreb' },
  'entities/matter.json': {
    key: 'matter',
    name: 'Matter',
    displayField: 'title',
    ownership: true,
    fields: [{ key: 'title', type: 'string', required: true }],
  },
  'entities/party.json': { key: 'party', fields: [{ key: 'name', type: 'string' }] },
  'entities/secret.json': { key: 'secret', fields: [{ key: 'name', type: 'string' }] },
  ...role('worker', { create: true, read: true, tasks: true }, { party: { read: true } }),
  ...role('owner', { create: true, read: true, tasks: 'own' }),
  ...role('reader', { read: true }),
  ...role('nonreader', { create: true, read: false, tasks: true }),
  ...role('nobody', {}),
  ...role(
    'restricted',
    { read: true, tasks: true },
    { task: { read: true, hiddenFields: ['key', 'entity_id', ...hiddenSystemFields] } },
  ),
  ...role(
    'clerk',
    { read: true },
    { task: { read: true, export: true, hiddenFields: ['payload'] }, user: { read: true } },
  ),
}

/** E-mail addresses of the users, by role. */
export const users = {
  worker: 'worker@example.com',
  owner: 'owner@example.com',
  reader: 'reader@example.com',
  nonreader: 'nonreader@example.com',
  nobody: 'nobody@example.com',
  clerk: 'clerk@example.com',
  restricted: 'restricted@example.com',
  // Whose tasks only the tests of lists create.
  assignee: 'assignee@example.com',
  early: 'early@example.com',
  busy: 'busy@example.com',
  subscriber: 'subscriber@example.com',
} as const
export type Role = keyof typeof users

/** Roles that do not have the name of their user. */
const otherRoles: Partial<Record<Role, string>> = {
  assignee: 'reader',
  early: 'owner',
  busy: 'clerk',
  subscriber: 'nonreader',
}

/** Ids of the users. */
export const ids = {} as Record<Role, number>
export let service: TestService
export const ask: TestService['ask'] = (...request) => service.ask(...request)

const shared = shareService(async () => {
  const started = await startTestService(await writeProject(projectFiles))
  for (const key of Object.keys(users) as Role[]) {
    const id = await insertUser(started.database.pool, {
      identity_provider_user_id: key,
      first_name: key,
      last_name: 'Example',
      full_name: `${key} Example`,
      email: users[key],
      role_key: otherRoles[key] ?? key,
    })
    assert.ok(id)
    ids[key] = id
  }
  return started
})

/** Gives the tests of a file the shared service. */
export const shareTasks = (): void =>
  before(async () => {
    service = await shared()
  })

/** Creates a record, as the administrator unless `as` is given, and returns its id. */
export const createRecord = async (entity = 'matter', as?: string): Promise<number> => {
  const body = entity === 'matter' ? { title: 'A matter' } : { name: 'A name' }
  const reply = await ask('POST', `/${entity}`, { body, ...(as && { as }) })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

/** Creates a task under a record and returns its id. */
export const createTask = async (record: number, body: object = {}): Promise<number> => {
  const reply = await ask('POST', `/matter/${record}/task`, { body })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

/** The tasks of a record as the administrator sees them. */
export const tasksOf = async (path: string) => {
  const reply = await ask('GET', `${path}/task`)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}

/** Ids of the tasks of a record. */
export const taskIdsOf = async (path: string): Promise<number[]> =>
  (await tasksOf(path)).map(({ id }: { id: number }) => id)

/** Reads rows of the database. */
export const rowsOf = async (text: Statement['text'], values: unknown[] = []) =>
  (await service.database.pool.query(text, values)).rows

/** Enqueued messages to assignees, the oldest first. */
export const messagesOf = async (taskId: number) =>
  (
    await rowsOf(
      `SELECT payload FROM graphile_worker._private_jobs WHERE (payload->>'task_id')::int = $1 ORDER BY id`,
      [taskId],
    )
  ).map(({ payload }) => JSON.parse(payload))

/** The issues of an error response, each as path and message; fails when the status differs. */
export const issuesOf = (reply: Reply, status: number): string[] => {
  assert.equal(reply.status, status, reply.text)
  const { errors = [] } = reply.json() as { errors?: { path: string; message: string }[] }
  return errors.map(({ path, message }) => `${path} ${message}`.trim())
}
