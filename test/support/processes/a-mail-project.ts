/** A project that sends an e-mail to every user for each record, its processes, and mail servers. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { simpleParser } from 'mailparser'
import type { SMTPServerOptions } from 'smtp-server'
import type { Pool } from '../../../src/database/pool.ts'
import { afterwards } from '../afterwards.ts'
import { endedAfterwards, main, outcomeOf, spawnDocket, waitFor } from '../docket.ts'
import { startSmtp } from '../email/providers/an-smtp-server.ts'
import { createPreparedDatabase } from '../prepared-database.ts'
import { type ProjectFiles, startTestService, writeProject } from '../service.ts'
import { until } from '../wait.ts'
import { asking } from './a-service.ts'

const note = {
  key: 'note',
  displayField: 'title',
  fields: [
    { key: 'title', type: 'string' },
    { key: 'notes', type: 'text', maxLength: 1_000_000 },
  ],
  hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
  notifications: [
    {
      operation: 'create',
      recipient: { userGroups: ['everybody'] },
      content: { title: '{{ record.title }}', message: '{{ record.notes }}' },
      emailTemplateId: 'whole',
    },
  ],
}

const files: ProjectFiles = {
  'entities/note.json': note,
  // The text of a notification is truncated; an e-mail may contain all of it.
  'email-templates/whole.mjml': `---
subject: "{{ title }}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>{{ record.notes }}</mj-text></mj-column></mj-section></mj-body></mjml>
`,
  'roles/reader.json': { key: 'reader', permissions: { '*': { read: true } } },
}

/** Makes users, each with a different address. */
export const makeUsers = (size: number) =>
  Array.from({ length: size }, (_, n) => ({ name: `User ${n}`, address: `p${n}@example.com` }))

type Environment = Readonly<Record<string, string>>
type Running = ReturnType<typeof withOutcome>
type TestProject = Awaited<ReturnType<typeof startProject>>

const workerName = 'mailing'

type GivenDatabase = { readonly pool: Pool; readonly connectionString: string }

/** A service on its own database, which runs no jobs, with the users in the only group. */
export const startProject = async (
  users: ReturnType<typeof makeUsers>,
  database?: GivenDatabase,
) => {
  const { pool, connectionString } = database ?? (await createPreparedDatabase())
  const directory = await writeProject(files)
  const given = { pool, connectionString, drop: async () => undefined }
  const service = await startTestService(directory, {}, given)
  const base = service.url
  await pool.query(insertUsers, [
    users.map(({ name }) => name),
    users.map(({ address }) => address),
  ])
  const url = new URL(connectionString)
  url.searchParams.set('application_name', workerName)
  const defaults = {
    DATABASE_URL: url.href,
    PROJECT: directory,
    PUBLIC_URL: base,
    EMAIL_FROM: 'docket@example.com',
  }
  const ask = asking(base, await service.tokenOf())
  return {
    pool,
    directory,
    ask,
    /** Creates a record that every user is notified of. */
    notify: async (values: object) => {
      const { status, text } = await ask('POST', '/note', values)
      assert.equal(status, 201, text)
    },
    /** `docket worker`; its files are limited to `maxBlocks` blocks of 512 or 1024 bytes. */
    startWorker: async (given: Environment, maxBlocks?: number) => {
      const all = { ...defaults, ...given }
      const worker = withOutcome(
        maxBlocks ? spawnLimited(maxBlocks, all) : spawnDocket(['worker'], all),
      )
      await waitFor(worker.child, /run here/)
      return worker
    },
  }
}

/** Ends workers with SIGTERM. */
export const stop = async (...running: readonly Running[]): Promise<void> => {
  for (const { child } of running) child.kill('SIGTERM')
  for (const { ended } of running) assert.equal((await ended).code, 0)
}

const withOutcome = (child: ChildProcess) => ({ child, ended: outcomeOf(child) })

/** As on a full disk, the kernel writes the part of a file that fits, and rejects the rest. */
const spawnLimited = (maxBlocks: number, environment: Environment): ChildProcess => {
  const program = ['sh', process.execPath, main, 'worker']
  return endedAfterwards(
    spawn('sh', ['-c', `ulimit -f ${maxBlocks} && exec "$@"`, ...program], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

const insertUsers = `
  WITH inserted AS (INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
    SELECT n, n, n, p.name, n || '@users.example', p.address, r.id
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY p(name, address, n), records.security_role r WHERE r.key = 'reader' RETURNING id),
  everybody AS (INSERT INTO records.user_group (code, name) VALUES ('everybody', 'Everybody') RETURNING id)
  INSERT INTO records.user_group_member (user_group_id, user_id) SELECT everybody.id, inserted.id FROM everybody, inserted`

/** Waits until PostgreSQL has closed the connections of ended workers, and their last statements are done. */
export const untilDisconnected = (pool: Pool): Promise<unknown> =>
  until('no connection of an ended worker is left', async () => {
    const select = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1`
    return (await pool.query(select, [workerName])).rowCount === 0
  })

export type Delivery = {
  readonly address: string
  readonly status: string
  readonly tries: number
  readonly last_error: string | null
  /** Seconds until it is due; at most a day. */
  readonly wait: number
}

/** Every stored e-mail, in order. */
export const deliveriesOf = async (pool: Pool): Promise<readonly Delivery[]> => {
  const wait = `extract(epoch FROM least(d.due_at, now() + interval '1 day') - now())::integer AS wait`
  const { rows } = await pool.query<Delivery>(
    `SELECT u.email AS address, d.status, d.tries, d.last_error, ${wait}
     FROM docket.delivery d JOIN records."user" u ON u.id = d.user_id ORDER BY d.id`,
  )
  return rows
}

/** Makes failed e-mails due. */
export const makeDue = (pool: Pool): Promise<unknown> =>
  pool.query(`UPDATE docket.delivery SET due_at = now() WHERE status = 'failed'`)

const makeJobsDue = `
  WITH due AS (UPDATE docket.job SET due_at = now() WHERE status <> 'running' AND due_at > now() RETURNING id)
  SELECT pg_notify('docket_job', '') FROM due`

type Condition = (delivery: Delivery) => boolean

/** Waits until there are `count` e-mails that all fulfil the condition. Attachments do not wait. */
export const untilAll = ({ pool }: TestProject, count: number, what: string, isDone: Condition) =>
  until(`all ${count} e-mails ${what}`, async () => {
    await pool.query(makeJobsDue)
    const deliveries = await deliveriesOf(pool)
    return deliveries.length === count && deliveries.every(isDone)
  })

/** A mail server, and the settings of a worker that uses it. */
export const openSmtp = async (options?: SMTPServerOptions) => {
  const server = await startSmtp(options)
  afterwards(server.stop)
  return { ...server, settings: smtpAt(server.port) }
}

const smtpAt = (at: number) => ({ EMAIL_PROVIDER: 'smtp', SMTP_URL: `smtp://127.0.0.1:${at}` })

/** A proxy in front of a mail server, at a port that is not assigned at random; closed at first. */
export const tcpProxy = (to: number) => {
  const port = randomInt(20_000, 30_000)
  const server = createServer((socket) => {
    pipeline(socket, connect(to, '127.0.0.1'), socket, () => undefined)
  })
  const open = async () => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    // Open connections end later.
    afterwards(async () => void server.close())
  }
  return { settings: smtpAt(port), open }
}

const headers = /^To: .*<(?<to>.*)>\r\nSubject: (?<subject>.*)\r\nMessage-ID: (?<id>.*)\r$/m

/** Recipient, subject and id of a message. */
export const headersOf = (message: string) => headers.exec(message)?.groups ?? {}

/** Parses messages with another library. */
export const readAll = (messages: readonly string[]) =>
  Promise.all(messages.map((message) => simpleParser(message)))

/** A text with single spaces instead of line breaks. */
export const oneLine = (value = '') => value.replaceAll(/\s+/g, ' ').trim()
