/** A project with records that have tasks, roles with different permissions, and a user for each role. */
import assert from 'node:assert/strict'
import type { Statement } from '../../../src/database/sql.ts'
import { insertUser } from '../../../src/users/user-store.ts'
import {
  type ProjectFiles,
  type Reply,
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
export const projectFiles: ProjectFiles = {
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
} as const
export type Role = keyof typeof users

export type TaskService = TestService & { readonly ids: Readonly<Record<Role, number>> }

/** Starts the project with its users. */
export const startTasks = async (): Promise<TaskService> => {
  const service = await startTestService(await writeProject(projectFiles))
  const ids = {} as Record<Role, number>
  for (const key of Object.keys(users) as Role[]) {
    const id = await insertUser(service.database.pool, {
      identity_provider_user_id: key,
      first_name: key,
      last_name: 'Example',
      full_name: `${key} Example`,
      email: users[key],
      role_key: key,
    })
    assert.ok(id)
    ids[key] = id
  }
  return { ...service, ids }
}

/** Creates a record, as the administrator unless `as` is given, and returns its id. */
export const createRecord = async (
  { ask }: TestService,
  entity = 'matter',
  as?: string,
): Promise<number> => {
  const body = entity === 'matter' ? { title: 'A matter' } : { name: 'A name' }
  const reply = await ask('POST', `/${entity}`, { body, ...(as && { as }) })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

/** Creates a task under a record and returns its id. */
export const createTask = async (
  { ask }: TestService,
  record: number,
  body: object = {},
): Promise<number> => {
  const reply = await ask('POST', `/matter/${record}/task`, { body })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

/** The tasks of a record as the administrator sees them. */
export const tasksOf = async ({ ask }: TestService, path: string) => {
  const reply = await ask('GET', `${path}/task`)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}

/** Reads rows of the database. */
export const rowsOf = async (
  { database }: TestService,
  text: Statement['text'],
  values: unknown[] = [],
) => (await database.pool.query(text, values)).rows

/** Enqueued messages to assignees, the oldest first. */
export const messagesOf = async (service: TestService, taskId: number) =>
  (
    await rowsOf(
      service,
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
