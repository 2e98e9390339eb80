/**
 * A service whose changes notify users, its users, and the worker that sends the notifications. Files of a process share
 * one, with an entity for each subject.
 */
import assert from 'node:assert/strict'
import type { Observation } from '../../../src/observations.ts'
import { insertPerson } from '../../support/a-person.ts'
import {
  type ProjectFiles,
  shareService,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker } from '../../support/worker.ts'
import { sharedFiles } from './an-engine-files.ts'
import type { Subject } from './an-engine-rules.ts'

/** Roles of the users, by first name. */
const roleByName = {
  anna: 'reader',
  bruno: 'reader',
  clara: 'reader',
  owen: 'owner',
  olga: 'owner',
  sam: 'outsider',
  kim: 'clerk',
  removed: 'reader',
  inactive: 'reader',
  blocked: 'reader',
} as const

export type UserName = keyof typeof roleByName

type Content = Readonly<Record<'icon' | 'title' | 'message' | 'url' | 'due_at', string | null>>

type FailedJob = { readonly id: number; readonly error: string }

const stateByName = {
  removed: '_is_deleted = true',
  inactive: 'is_active = false',
  blocked: 'is_blocked = true',
}

/** Starts a project with the users and its worker; those whose role it does not have are left out. */
const startEngines = async (files: ProjectFiles) => {
  const service = await startTestService(files)
  const { pool } = service.database
  const ids = {} as Record<UserName, number>
  for (const [name, role] of Object.entries(roleByName))
    if (`roles/${role}.json` in files) ids[name as UserName] = await insertPerson(pool, name, role)
  for (const [name, state] of Object.entries(stateByName))
    await pool.query(`UPDATE records."user" SET ${state} WHERE first_name = $1`, [name])
  const worker = await startTestWorker(service)
  const failing = () => failedJobs(service)
  const mailOf = (userName: string) => `${userName}@example.com`
  /** Waits until every job is done; fails when one has failed. */
  const settled = async () =>
    assert.deepEqual(
      (await failing()).map(({ error }) => error),
      [],
    )
  /** Sends a request as a user, or the administrator, which has to succeed; returns the body of the answer. */
  const send = async (
    method: string,
    path: string,
    body?: object,
    as?: UserName,
  ): Promise<ReturnType<typeof JSON.parse>> => {
    const options = { ...(body && { body }), ...(as && { as: mailOf(as) }) }
    const reply = await service.ask(method, path, options)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.status === 204 ? undefined : reply.json()
  }
  /** The engine for the requests of an entity. */
  const of = (entity: string) => {
    /** The notifications about a request, when every job is done, in the order of the users. */
    const notificationsAbout = async (id: number, about = entity) => {
      await settled()
      return notificationRows(service, about, id)
    }
    return {
      ...service,
      entity,
      settled,
      failing,
      ids,
      mailOf,
      send,
      notificationsAbout,
      /** The observations of one kind by the worker, about the entity if they name one. */
      observed: <K extends Observation['kind']>(kind: K) =>
        worker.observations.filter(
          (one): one is Extract<Observation, { readonly kind: K }> =>
            one.kind === kind && (!('entity' in one) || one.entity === entity),
        ),
      /** Takes an action on a request. */
      act: (id: number, action: string, as?: UserName, more: object = {}): Promise<unknown> =>
        send('POST', `/${entity}/${id}/proceedToStep`, { action, ...more }, as),
      takeOwnership: (id: number, as?: UserName): Promise<unknown> =>
        send('POST', `/${entity}/${id}/takeOwnership`, undefined, as),
      /** Creates a request, as the administrator unless `as` is given, and returns its id. */
      create: async (values: object = {}, as?: UserName): Promise<number> =>
        (await send('POST', `/${entity}`, values, as)).id,
      /** The first names of the recipients of these notifications, once per notification. */
      notifiedNames: async (id: number): Promise<string[]> =>
        (await notificationsAbout(id)).map(({ name }) => name),
    }
  }
  return { ...service, of }
}

export type Engine = ReturnType<Awaited<ReturnType<typeof startEngines>>['of']>

const shared = shareService(() => startEngines(sharedFiles))

/** The shared engine, for the requests of a subject. */
export const shareEngine = async (subject: Subject): Promise<Engine> => (await shared()).of(subject)

/** The jobs that are left when no job runs or is due: they have failed. */
const failedJobs = ({ database }: TestService): Promise<FailedJob[]> =>
  until('no job runs or is due', async () => {
    const { rows } = await database.pool.query<FailedJob & { is_busy: boolean }>(
      `SELECT id, last_error AS error, status = 'running' OR (due_at <= now() AND status <> 'dead') AS is_busy
       FROM docket.job ORDER BY id`,
    )
    return rows.every(({ is_busy }) => !is_busy) && rows
  })

const notificationRows = async ({ database }: TestService, entity: string, id: number) => {
  const { rows } = await database.pool.query<{ user_id: number; name: string; content: string }>(
    `SELECT n.user_id, u.first_name AS name, n.content FROM docket.notification n JOIN records."user" u ON u.id = n.user_id
     WHERE n.entity_key = $1 AND n.entity_id = $2 ORDER BY n.user_id, n._id`,
    [entity, id],
  )
  return rows.map(({ content, ...row }) => ({ ...row, content: JSON.parse(content) as Content }))
}

/** Creates a group of users and returns its id. */
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

/** Enough users for two batches. */
export const memberCount = 5_001

/** The group `everyone`, whose members have no e-mails about new requests of the subject `once`. */
export const addEveryone = async (engine: Engine): Promise<void> => {
  const { pool } = engine.database
  const { rowCount } = await pool.query(`SELECT FROM records.user_group WHERE code = 'everyone'`)
  if (rowCount !== 0) return
  const groupId = await addGroup(engine, 'everyone', [])
  // In random order, so that no index gives the order of the members.
  await pool.query(
    `WITH made AS (
       INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
       SELECT 'm' || n, 'M', 'N', 'Member ' || n, 'm' || n || '@example.com', 'm' || n || '@example.com', (SELECT id FROM records.security_role WHERE key = 'reader')
       FROM generate_series(1, ${memberCount}) n RETURNING id)
     INSERT INTO records.user_group_member (user_group_id, user_id) SELECT ${groupId}, id FROM made ORDER BY md5(id::text)`,
  )
  await pool.query(
    `INSERT INTO docket.delivery_choice (user_id, entity_key, operation) SELECT id, 'once', 'create' FROM records."user" WHERE first_name = 'M'`,
  )
}

/** Delays all new jobs until the returned function is called. */
export const holdJobs = async ({
  database: { pool },
}: Pick<TestService, 'database'>): Promise<() => Promise<void>> => {
  await pool.query(
    `CREATE FUNCTION public.hold_job() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       NEW.due_at = 'infinity';
       RETURN NEW;
     END $$;
     CREATE TRIGGER hold BEFORE INSERT ON docket.job FOR EACH ROW EXECUTE FUNCTION public.hold_job()`,
  )
  return async () => {
    await pool.query('DROP FUNCTION public.hold_job CASCADE')
    await pool.query(`UPDATE docket.job SET due_at = now() WHERE due_at = 'infinity'`)
  }
}
