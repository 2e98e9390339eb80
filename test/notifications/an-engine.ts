/** A project whose changes tell people things, its people, and the worker that tells them. */
import assert from 'node:assert/strict'
import type { NotificationRule } from '../../src/definitions/notification-matching.ts'
import type { Observation } from '../../src/observations.ts'
import { insertUser } from '../../src/users/user-store.ts'
import {
  type ProjectFiles,
  startTestService,
  type TestService,
  writeProject,
} from '../support/service.ts'
import { until } from '../support/wait.ts'
import { startTestWorker } from '../support/worker.ts'

const action = (key: string, to: string, more: object = {}) => ({
  key,
  kind: 'proceedToStep',
  to,
  ...more,
})

const workflow = {
  initialStep: 'draft',
  steps: [
    {
      key: 'draft',
      name: 'A draft',
      actions: [action('submit', 'review', { name: 'Ask for approval' }), action('note', 'draft')],
    },
    {
      key: 'review',
      name: 'In review',
      actions: [
        action('approve', 'approved', { kind: 'approveWorkflow', form: 'decision' }),
        action('refuse', 'rejected', { kind: 'rejectWorkflow', form: 'decision' }),
      ],
    },
    { key: 'approved', final: true },
    { key: 'rejected', final: true },
  ],
  forms: [{ key: 'decision', fields: ['notes'], required: [] }],
}

const fields = [
  { key: 'number', type: 'string' },
  // What picks the entry of a test: see `about`.
  { key: 'topic', type: 'string' },
  { key: 'notes', type: 'text' },
  { key: 'total', type: 'decimal', precision: 14, scale: 2 },
  { key: 'needed_by', type: 'date' },
  { key: 'meeting_at', type: 'timestamp' },
  { key: 'extra', type: 'json' },
  { key: 'approver', type: 'manyToOne', entity: 'user' },
  { key: 'deputy', type: 'manyToOne', entity: 'user' },
  { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
  { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'request' },
]

/** The hook that makes notifications work. */
export const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]

/** The files of the project, with the notifications of its requests. */
export const engineFiles = (
  notifications: readonly NotificationRule[],
  more: object = {},
): ProjectFiles => ({
  'docket.json': { name: 'Engine', timeZone: 'Europe/Zagreb' },
  'entities/request.json': {
    key: 'request',
    name: 'Request',
    displayField: 'number',
    ownership: true,
    fields,
    workflow,
    hooks,
    notifications,
    ...more,
  },
  'entities/line.json': {
    key: 'line',
    fields: [{ key: 'request', type: 'manyToOne', entity: 'request', required: true }],
  },
  'entities/supplier.json': {
    key: 'supplier',
    fields: [
      { key: 'name', type: 'string' },
      { key: 'account_manager', type: 'manyToOne', entity: 'user' },
      { key: 'region', type: 'manyToOne', entity: 'region' },
    ],
  },
  'entities/region.json': {
    key: 'region',
    fields: [
      { key: 'name', type: 'string' },
      { key: 'head', type: 'manyToOne', entity: 'user' },
    ],
  },
  'roles/reader.json': {
    key: 'reader',
    permissions: {
      request: {
        create: true,
        read: true,
        update: true,
        delete: true,
        takeOwnership: true,
        tasks: true,
        actions: ['submit', 'note', 'approve', 'refuse'],
      },
      user: { read: true },
      supplier: { read: true },
      region: { read: true },
      security_role: { read: true },
    },
  },
  'roles/owner.json': {
    key: 'owner',
    permissions: {
      request: { create: true, read: 'own' },
      user: { read: true },
      supplier: { read: true },
      region: { read: true },
      security_role: { read: true },
    },
  },
  'roles/stranger.json': { key: 'stranger', permissions: { supplier: { read: true } } },
})

/** An entry for creations of requests of one topic. */
export const about = (
  topic: string,
  recipient: NotificationRule['recipient'],
  more: Partial<NotificationRule> = {},
): NotificationRule => ({ operation: 'create', condition: { topic }, recipient, ...more })

/** People by their first names, with their roles. */
const people = {
  anna: 'reader',
  bruno: 'reader',
  clara: 'reader',
  owen: 'owner',
  olga: 'owner',
  sam: 'stranger',
  gone: 'reader',
  idle: 'reader',
  blocked: 'reader',
} as const

export type Person = keyof typeof people

export type ToldRow = {
  readonly user_id: number
  readonly content: Readonly<Record<'icon' | 'title' | 'message' | 'url' | 'due_at', string | null>>
}

export type FailedJob = {
  readonly id: number
  readonly task: string
  readonly attempts: number
  readonly max_attempts: number
  readonly error: string
}

export type Engine = TestService & {
  /** What the worker has observed of one kind. */
  readonly observed: <K extends Observation['kind']>(
    kind: K,
  ) => Extract<Observation, { readonly kind: K }>[]
  /** Waits until every job is done; fails when one has failed. */
  readonly settled: () => Promise<void>
  /** Waits until no job runs or is due, and answers with those that have failed. */
  readonly failing: () => Promise<FailedJob[]>
  readonly ids: Readonly<Record<Person, number>>
  /** Creates a request, as the administrator unless told otherwise; answers with its id. */
  readonly create: (values?: object, as?: Person) => Promise<number>
  /** What was stored about a request, when every job is done, in the order of the users. */
  readonly toldOf: (id: number) => Promise<ToldRow[]>
  /** The first names of the people who were told of a request, each as often as they were. */
  readonly namesTold: (id: number) => Promise<string[]>
  /** The e-mail that a person asks by. */
  readonly mailOf: (person: Person) => string
}

/** Starts the project with its people and its worker. */
export const startEngine = async (
  notifications: readonly NotificationRule[],
  more: object = {},
  files: ProjectFiles = {},
): Promise<Engine> => {
  const all = { ...engineFiles(notifications, more), ...files }
  const service = await startTestService(await writeProject(all))
  const { pool } = service.database
  const ids: Record<string, number> = {}
  for (const [name, role] of Object.entries(people))
    ids[name] = await addPerson(service, name, role)
  await pool.query(`UPDATE records."user" SET _is_deleted = true WHERE id = $1`, [ids.gone])
  await pool.query(`UPDATE records."user" SET is_active = false WHERE id = $1`, [ids.idle])
  await pool.query(`UPDATE records."user" SET is_blocked = true WHERE id = $1`, [ids.blocked])
  const worker = await startTestWorker(service)
  const failing = () => failedJobs(service)
  const mailOf = (person: string) => `${person}@example.com`
  const settled = async () =>
    assert.deepEqual(
      (await failing()).map(({ error }) => error),
      [],
    )
  const rowsOf = async (id: number) => {
    await settled()
    return rowsAbout(service, id)
  }
  return {
    ...service,
    observed: (kind) =>
      worker.observations.filter(
        (one): one is Extract<Observation, { readonly kind: typeof kind }> => one.kind === kind,
      ),
    settled,
    failing,
    ids: ids as Record<Person, number>,
    mailOf,
    create: async (values = {}, as) => {
      const reply = await service.ask('POST', '/request', {
        body: values,
        ...(as && { as: mailOf(as) }),
      })
      assert.equal(reply.status, 201, reply.text)
      return reply.json().id
    },
    toldOf: rowsOf,
    namesTold: async (id) => (await rowsOf(id)).map(({ name }) => name),
    stop: async () => {
      await worker.stop()
      await service.stop()
    },
  }
}

/** The jobs that are left when nobody works: they have failed. */
const failedJobs = ({ database }: TestService): Promise<FailedJob[]> =>
  until(async () => {
    const { rows } = await database.pool.query<FailedJob & { is_busy: boolean }>(
      `SELECT j.id, t.identifier AS task, j.attempts, j.max_attempts, j.last_error AS error,
         j.locked_at IS NOT NULL OR (j.run_at <= now() AND j.attempts < j.max_attempts) AS is_busy
       FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
       ORDER BY j.id`,
    )
    return rows.every(({ is_busy }) => !is_busy) && rows
  })

const rowsAbout = async ({ database }: TestService, id: number) => {
  const { rows } = await database.pool.query<{ user_id: number; name: string; content: string }>(
    `SELECT n.user_id, u.first_name AS name, n.content FROM docket.notification n JOIN records."user" u ON u.id = n.user_id
     WHERE n.entity_key = 'request' AND n.entity_id = $1 ORDER BY n.user_id, n._id`,
    [id],
  )
  return rows.map(({ content, ...row }) => ({ ...row, content: JSON.parse(content) }))
}

const addPerson = async (
  { database }: TestService,
  name: string,
  role: string,
): Promise<number> => {
  const id = await insertUser(database.pool, {
    identity_provider_user_id: name,
    first_name: name,
    last_name: 'Example',
    full_name: `${name} Example`,
    email: `${name}@example.com`,
    role_key: role,
  })
  assert.ok(id)
  return id
}

/** Makes a group of people, who may have left meanwhile; answers with its id. */
export const addGroup = async (
  { database: { pool } }: Pick<TestService, 'database'>,
  code: string,
  userIds: readonly number[],
): Promise<number> => {
  const { rows } = await pool.query<{ id: number }>(
    'INSERT INTO records.user_group (code, name) VALUES ($1, $1) RETURNING id',
    [code],
  )
  const groupId = rows[0]?.id ?? 0
  await pool.query(
    'INSERT INTO records.user_group_member (user_group_id, user_id) SELECT $1, unnest($2::integer[])',
    [groupId, userIds],
  )
  return groupId
}

/** Takes an action on a request; fails unless it was taken. */
export const act = async (
  engine: Engine,
  id: number,
  body: { readonly action: string; readonly comment?: string },
  as?: Person,
): Promise<void> => {
  const options = { body, ...(as && { as: engine.mailOf(as) }) }
  const reply = await engine.ask('POST', `/request/${id}/proceedToStep`, options)
  assert.equal(reply.status, 200, reply.text)
}

/** Lets no new job run until the answer is called. */
export const holdJobs = async ({
  database: { pool },
}: Pick<TestService, 'database'>): Promise<() => Promise<void>> => {
  await pool.query(
    `CREATE FUNCTION public.hold_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       NEW.run_at = 'infinity';
       RETURN NEW;
     END $$;
     CREATE TRIGGER hold BEFORE INSERT ON graphile_worker._private_jobs FOR EACH ROW EXECUTE FUNCTION public.hold_job()`,
  )
  return async () => {
    await pool.query('DROP FUNCTION public.hold_job CASCADE')
    await pool.query(
      `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE run_at = 'infinity'`,
    )
  }
}
