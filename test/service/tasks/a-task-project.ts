/**
 * A project with records that have tasks, roles with different permissions, and a user for each role. The files of a
 * process share one service of it, so each test has records of its own.
 */
import { before } from 'node:test'
import type { Statement } from '../../../src/database/sql.ts'
import { insertPerson } from '../../support/a-person.ts'
import { entityFile } from '../../support/definitions/files.ts'
import {
  type ProjectFiles,
  shareService,
  startTestService,
  type TestService,
} from '../../support/service.ts'

const role = (key: string, matter: object, more: object = {}) => ({
  [`roles/${key}.json`]: { key, permissions: { matter, ...more } },
})

/** A role that writes tasks, with this permission on users. */
const reader = (key: string, user: object) => role(key, { read: true, tasks: true }, { user })

const hiddenSystemFields = [
  '_is_deleted',
  '_created_by',
  '_updated_by',
  '_created_at',
  '_updated_at',
]

/** The files of the project. */
const projectFiles: ProjectFiles = {
  'docket.json': { name: 'Matters', timeZone: 'Europe/Zagreb', locale: 'de-DE', language: 'en' },
  ...entityFile('matter', { name: 'Matter', displayField: 'title', ownership: true }, [
    { key: 'title', type: 'string', required: true },
  ]),
  'entities/party.json': { key: 'party', fields: [{ key: 'name', type: 'string' }] },
  'entities/secret.json': { key: 'secret', fields: [{ key: 'name', type: 'string' }] },
  ...entityFile('inspection', { name: 'Inspection', displayField: 'kind' }, [
    { key: 'kind', type: 'enum', values: [{ value: 'boiler', name: 'Boiler' }, 'lift'] },
  ]),
  // What the project adds to tasks and users.
  ...entityFile('task', { extends: 'native' }, [
    { key: 'ticket', type: 'string', unique: true },
    { key: 'party', type: 'manyToOne', entity: 'party' },
    { key: 'secret', type: 'manyToOne', entity: 'secret' },
  ]),
  ...entityFile('user', { extends: 'native' }, [{ key: 'pin', type: 'string' }]),
  'translations/de.json': {
    name: 'Vorgänge',
    entities: {
      inspection: { name: 'Prüfung', fields: { kind: { values: { boiler: 'Heizkessel' } } } },
    },
  },
  ...role('worker', { create: true, read: true, tasks: true }, { party: { read: true } }),
  ...role('owner', { create: true, read: true, tasks: 'own' }),
  ...role('reader', { read: true }, { inspection: { read: true } }),
  ...role('nonreader', { create: true, read: false, tasks: true }),
  ...role('nobody', {}),
  ...role(
    'restricted',
    { read: true, tasks: true },
    { task: { read: true, hiddenFields: ['key', 'entity_id', ...hiddenSystemFields] } },
  ),
  ...role(
    'undated',
    { read: true, tasks: true },
    { task: { hiddenFields: ['due_date', 'is_completed'] } },
  ),
  ...role(
    'unassigned',
    { read: true, tasks: true },
    { task: { read: true, hiddenFields: ['assigne'] } },
  ),
  ...role(
    'clerk',
    { read: true },
    { task: { read: true, export: true, hiddenFields: ['payload'] }, user: { read: true } },
  ),
  ...reader('all', { read: true }),
  ...reader('hides', { read: true, hiddenFields: ['email', 'phone', 'security_role'] }),
  ...reader('own', { read: 'own' }),
  ...reader('hides_name', { read: false, hiddenFields: ['full_name'] }),
}

const people = [
  ...([
    'worker',
    'owner',
    'reader',
    'nonreader',
    'nobody',
    'clerk',
    'restricted',
    'undated',
    'unassigned',
  ] as const),
  ...(['all', 'hides', 'own', 'hides_name'] as const),
  // Whose tasks only the tests of lists and messages create.
  ...(['assignee', 'early', 'busy', 'subscriber', 'inspector'] as const),
]
export type Person = (typeof people)[number]

/** E-mail addresses of the users. */
export const users = Object.fromEntries(
  people.map((name) => [name, `${name}@example.com`]),
) as Record<Person, string>

/** Roles that do not have the name of their user. */
const otherRoles: Partial<Record<Person, string>> = {
  assignee: 'reader',
  early: 'owner',
  busy: 'clerk',
  subscriber: 'nonreader',
  inspector: 'reader',
}

/** Ids of the users. */
export const ids = {} as Record<Person, number>
export let service: TestService
export const ask: TestService['ask'] = (...request) => service.ask(...request)

const shared = shareService(async () => {
  const started = await startTestService(projectFiles)
  for (const name of people)
    ids[name] = await insertPerson(started.database.pool, name, otherRoles[name] ?? name)
  await started.ask('PATCH', '/user/1', { body: { phone: '12345' } })
  return started
})

/** Gives the tests of a file the shared service. */
export const shareTasks = (): void =>
  before(async () => {
    service = await shared()
  })

/** Creates a record, as the administrator unless `as` is given, and returns its id. */
export const createRecord = async (entity = 'matter', as?: string): Promise<number> => {
  const body = { [entity === 'matter' ? 'title' : 'name']: 'A name' }
  return (await ask('POST', `/${entity}`, { body, ...(as && { as }) })).json(201).id
}

/** Creates a task under a record and returns its id. */
export const createTask = async (record: number, body: object = {}): Promise<number> =>
  (await ask('POST', `/matter/${record}/task`, { body })).json(201).id

/** The tasks of a record as the administrator sees them. */
export const tasksOf = async (path: string) => (await ask('GET', `${path}/task`)).json(200)

export const idsOf = (list: readonly { id: number }[]): number[] => list.map(({ id }) => id)

/** Ids of the tasks of a record. */
export const taskIdsOf = async (path: string): Promise<number[]> => idsOf(await tasksOf(path))

/** Reads rows of the database. */
export const rowsOf = async (text: Statement['text'], values: unknown[] = []) =>
  (await service.database.pool.query(text, values)).rows

/** Enqueued messages to assignees, the oldest first. */
export const messagesOf = async (taskId: number) =>
  (
    await rowsOf(
      `SELECT payload FROM docket.job WHERE (payload->>'task_id')::int = $1 ORDER BY id`,
      [taskId],
    )
  ).map(({ payload }) => JSON.parse(payload))

/** The operations of a task, the newest first. */
export const operationsOf = async (taskId: number): Promise<string[]> =>
  (await ask('GET', `/task/${taskId}/history`))
    .json()
    .data.map(({ operation }: { operation: string }) => operation)
