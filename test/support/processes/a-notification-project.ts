/** A project whose changes notify users by several rules, its processes, and the expected notifications. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Pool } from '../../../src/database/pool.ts'
import type { NotificationRule } from '../../../src/definitions/notification-rules.ts'
import { callDocket } from '../call-docket.ts'
import { type Outcome, outcomeOf, spawnDocket, waitFor } from '../docket.ts'
import { hooks } from '../notifications/an-engine-project.ts'
import { createPreparedDatabase } from '../prepared-database.ts'
import { type ProjectFiles, writeProject } from '../service.ts'
import { asking } from './a-service.ts'

/** Groups by code, with their users. Cid is in both, Mute is blocked. */
export const groups = { buyers: ['Ann', 'Ben', 'Cid', 'Mute'], auditors: ['Cid', 'Dan', 'Eve'] }

const userNames = [...new Set(Object.values(groups).flat())]

const notifications: readonly NotificationRule[] = [
  {
    operation: 'create',
    recipient: { userFields: ['approver', '_created_by'] },
    content: { icon: 'named' },
  },
  {
    operation: 'create',
    recipient: { userFields: ['approver'], userGroups: ['buyers', 'auditors'] },
    content: { icon: 'grouped', title: 'Dear {{ recipient.full_name }}' },
  },
  {
    operation: 'create',
    condition: { total: { $gte: 100 } },
    recipient: { userGroups: ['auditors'] },
    content: { icon: 'large' },
  },
  {
    operation: 'proceedToStep',
    action: 'submit',
    recipient: { userFields: ['_created_by'], userGroups: ['buyers'], includeActor: false },
    content: { icon: 'submitted' },
  },
]

type Request = { id: number; approver: string; is_large: boolean; is_submitted: boolean }

/** The users that each rule notifies of a request, by its icon. The administrator wrote them all. */
const recipientsOf = ({ approver, is_large, is_submitted }: Request) => ({
  named: [approver, 'Administrator'],
  grouped: userNames,
  large: is_large ? groups.auditors : [],
  submitted: is_submitted ? groups.buyers : [],
})

const submit = { key: 'submit', kind: 'proceedToStep', to: 'review' }
const steps = [
  { key: 'draft', actions: [submit] },
  { key: 'review', final: true },
]

const files: ProjectFiles = {
  'entities/request.json': {
    key: 'request',
    fields: [
      { key: 'total', type: 'integer' },
      { key: 'approver', type: 'manyToOne', entity: 'user' },
    ],
    workflow: { initialStep: 'draft', steps },
    hooks,
    notifications,
  },
  'roles/reader.json': { key: 'reader', permissions: { '*': { read: true } } },
}

/** How many processes a trial kills: the default, or TEST_KILLS for a longer one. */
export const killsOf = (defaultCount: number): number =>
  Number(process.env.TEST_KILLS ?? defaultCount)

/** Pseudorandom numbers from 0 to below 1. TEST_SEED repeats those of a run. */
export const newRandom = () => {
  const seed = Number(process.env.TEST_SEED ?? randomInt(2 ** 31))
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return { seed, random }
}

/** Ends processes with SIGTERM, and returns what each has printed. */
export const stop = async (...running: readonly Running[]): Promise<string[]> => {
  await Promise.all(running.map(({ up }) => up))
  for (const { child } of running) child.kill('SIGTERM')
  const outcomes = await Promise.all(running.map(({ ended }) => ended))
  for (const { code, err } of outcomes) assert.equal(code, 0, err)
  return outcomes.map(({ out, err }) => out + err)
}

export type Running = {
  readonly child: ChildProcess
  readonly ended: Promise<Outcome>
  /** Rejects when the process exits before it is up. */
  readonly up: Promise<string>
}

type Deps = {
  readonly more?: ProjectFiles
  readonly database?: { readonly connectionString: string; readonly pool: Pool }
}

export type TestProject = Awaited<ReturnType<typeof startProject>>

/** Prepares the project, with more files if given, and starts its service, which runs no jobs. */
export const startProject = async (t: TestContext, { more, database }: Deps = {}) => {
  const { connectionString, pool } = database ?? (await createPreparedDatabase())
  const directory = await writeProject({ ...files, ...more })
  const environment = {
    DATABASE_URL: connectionString,
    DATABASE_POOL_SIZE: '4',
    PROJECT: directory,
    LOG_LEVEL: 'debug',
    EMAIL_MAX_PER_SECOND: '1',
  }
  const run = (args: string[], upAt: RegExp): Running => {
    // A cancelled test starts nothing more.
    t.signal.throwIfAborted()
    const child = spawnDocket(args, environment)
    const ended = outcomeOf(child)
    const up = waitFor(child, upAt)
    // A caller that waits for it gets the error; there may be no caller.
    up.catch(() => undefined)
    return { child, ended, up }
  }
  await callDocket(['migrate'], environment)
  const { out: token, err } = await callDocket(['token'], environment)
  if (token === '') throw new Error(err)
  const ids = await insertUsers(pool)
  // E-mails are stored; they are due only after the test.
  await pool.query(`UPDATE docket.delivery_rate SET next_at = now() + interval '10 days'`)
  const service = run(['start', '--port', '0', '--no-jobs'], /is up at \S+\s/)
  const [, base = ''] = /is up at (\S+)/.exec(await service.up) ?? []
  const startWorker = () => run(['worker'], /"workerStarted"/)
  const send = asking(base, token.trim())
  /** As the administrator; returns the status and the body. */
  const ask = async (...request: Parameters<typeof send>) => {
    const { status, text } = await send(...request)
    return { status, body: JSON.parse(text || 'null') }
  }
  return { pool, directory, ids, service, startWorker, ask }
}

const insertUsers = async (pool: Pool): Promise<number[]> => {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, is_blocked, security_role_id)
     SELECT p, p, p, p, p || '@example.com', p || '@example.com', p = 'Mute', r.id
     FROM unnest($1::text[]) p, records.security_role r WHERE r.key = 'reader' RETURNING id`,
    [userNames],
  )
  for (const [code, names] of Object.entries(groups)) await insertGroup(pool, code, names)
  return rows.map(({ id }) => id)
}

/** Creates a group of users. */
const insertGroup = (pool: Pool, code: string, names: readonly string[]): Promise<unknown> =>
  pool.query(
    `WITH made AS (INSERT INTO records.user_group (code, name) VALUES ($1, $1) RETURNING id)
     INSERT INTO records.user_group_member (user_group_id, user_id)
     SELECT made.id, u.id FROM made, records."user" u WHERE u.full_name = ANY ($2)`,
    [code, names],
  )

/** One line for each user who must be notified of a record. */
export const expectedLines = (about: string, names: readonly string[]): string[] =>
  [...new Set(names)].filter((name) => name !== 'Mute').map((name) => `${about} ${name}`)

/** The notifications that all requests must have. */
export const expectedOf = async (pool: Pool): Promise<string[]> => {
  const { rows } = await pool.query<Request>(
    `SELECT r.id, u.full_name AS approver, r.total >= 100 AS is_large, r._step = 'review' AS is_submitted
     FROM records.request r JOIN records."user" u ON u.id = r.approver_id`,
  )
  return rows.flatMap((request) =>
    Object.entries(recipientsOf(request)).flatMap(([icon, names]) =>
      expectedLines(`request ${request.id} ${icon}`, names),
    ),
  )
}

const notified = `SELECT concat_ws(' ', n.entity_key, n.entity_id, n.content ->> 'icon', u.full_name) AS line
  FROM docket.notification n JOIN records."user" u ON u.id = n.user_id`
// A delivery refers to its notification, or to none.
const delivered = `SELECT concat_ws(' ', m.entity_key, m.entity_id, n.content ->> 'icon', u.full_name) AS line
  FROM docket.delivery d JOIN docket.mailing m ON m.id = d.mailing_id JOIN records."user" u ON u.id = d.user_id
  LEFT JOIN docket.notification n ON n._id = d.notification_id AND n.user_id = d.user_id AND n.entity_id = m.entity_id`
const miscounted = `SELECT coalesce(c.user_id, n.user_id) AS line FROM docket.notification_count c
  FULL JOIN (SELECT user_id, count(*) AS total FROM docket.notification GROUP BY user_id) n ON n.user_id = c.user_id
  WHERE (c.total, c.unseen) IS DISTINCT FROM (n.total, n.total)`

/** Asserts that every user is notified as expected, once, in the inbox and by e-mail, and that all counters are right. */
export const assertNotifiedOnce = async (
  pool: Pool,
  expected: readonly string[],
  seed?: number,
): Promise<void> => {
  const read = async (select: string) => (await pool.query(select)).rows.map(({ line }) => line)
  const found = {
    seed,
    notifications: differences(expected, await read(notified)),
    deliveries: differences(expected, await read(delivered)),
    miscounted: await read(miscounted),
  }
  assert.deepEqual(found, { seed, notifications: none, deliveries: none, miscounted: [] })
}

const none = { missing: [], twice: [], unexpected: [] }

const differences = (expected: readonly string[], found: readonly string[]) => {
  const [expectedSet, foundSet] = [new Set(expected), new Set<string>()]
  const twice = found.filter((line) => foundSet.has(line) || !foundSet.add(line))
  const [missing, unexpected] = [expectedSet.difference(foundSet), foundSet.difference(expectedSet)]
  return { missing: [...missing], twice, unexpected: [...unexpected] }
}

/** Makes waiting retries due. */
export const makeJobsDue = (pool: Pool): Promise<unknown> =>
  pool.query(
    `WITH due AS (
       UPDATE docket.job SET due_at = now()
       WHERE status IN ('queued', 'failed') AND due_at > now() RETURNING id
     )
     SELECT pg_notify('docket_job', '') FROM due HAVING count(*) > 0`,
  )
