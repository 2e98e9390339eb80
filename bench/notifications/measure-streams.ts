/** Many open streams at one process: what they cost, and how soon they bring what is stored. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { openDevelopmentIssuer } from '../../src/auth/development-issuer.ts'
import { createPool, type Pool } from '../../src/database/pool.ts'
import {
  storeNotifications,
  wakeReaders,
} from '../../src/notifications/inbox/store-notifications.ts'
import { percentile } from '../figures.ts'
import type { Place } from '../place.ts'
import type { Row, Table } from '../report.ts'
import { residentMiB } from './resident-memory.ts'

const streamCount = 5000
const singles = 500

/** A row of memory and two of latency, from the commit to the event in the client's hands. */
export const measureStreams = async (
  place: Place,
  note: (text: string) => void,
): Promise<Table> => {
  const pool = createPool({
    connectionString: place.databaseUrl,
    size: 4,
    observe: () => undefined,
  })
  try {
    const userIds = await addUsers(place.databaseUrl)
    const before = await residentMiB(place.pid)
    const client = await openStreams(place)
    await delay(2000)
    const open = await residentMiB(place.pid)
    note(`Opened ${streamCount} streams.\n`)
    const rows: Row[] = [
      { what: `memory of the service, ${streamCount} streams (MiB)`, before, open },
    ]
    const one = await tellEach(pool, userIds.slice(0, singles), client)
    const all = await client.latency(() => tell(pool, userIds, 'all'), streamCount)
    rows.push({ what: 'told one after the other (ms)', ...figures(one) })
    rows.push({ what: `told all at once (ms)`, ...figures(all) })
    rows.push({ what: 'memory afterwards (MiB)', open: await residentMiB(place.pid) })
    client.close()
    return { title: 'Open streams', rows }
  } finally {
    await pool.end()
  }
}

const figures = (samples: readonly number[]) => ({
  p50: percentile(samples, 50),
  p99: percentile(samples, 99),
  most: percentile(samples, 100),
})

const addUsers = async (connectionString: string): Promise<number[]> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email,
       is_contact, is_active, is_blocked, security_role_id, _is_deleted, _created_at, _updated_at)
     SELECT 'reader-' || i, 'R', 'R', 'R', 'reader-' || i, 'reader-' || i || '@example.com', false, true, false, r.id, false, now(), now()
     FROM generate_series(1, ${streamCount}) i, records.security_role r WHERE r.key = 'administrator' ORDER BY i RETURNING id`,
  )
  await client.end()
  return rows.map(({ id }) => id)
}

const tell = async (pool: Pool, userIds: readonly number[], event: string) => {
  const at = new Date().toISOString()
  const occasion = { event, entry: '0', entityKey: 'invoice', entityId: 1, at }
  const content = { icon: 'bell', title: 'Approved', message: 'It was.', url: null, due_at: null }
  await storeNotifications(pool, [{ occasion, recipients: { userIds, content } }])
  await wakeReaders(pool, userIds)
}

const tellEach = async (pool: Pool, userIds: readonly number[], client: Client) => {
  const samples: number[] = []
  for (const id of userIds)
    samples.push(...(await client.latency(() => tell(pool, [id], `one ${id}`), 1)))
  return samples
}

type Client = {
  /** How long after the work each of so many events arrived. */
  readonly latency: (work: () => Promise<unknown>, events: number) => Promise<number[]>
  readonly close: () => void
}

/** The readers, in a process of their own, which prints the time of every event. */
const openStreams = async ({ url, project }: Place): Promise<Client> => {
  const issuer = await openDevelopmentIssuer(project)
  const script = fileURLToPath(new URL('./stream-client.ts', import.meta.url))
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const tokens: string[] = []
  for (let index = 1; index <= streamCount; index++)
    tokens.push(await issuer.signToken(`reader-${index}`))
  child.stdin.end(JSON.stringify({ url, tokens }))
  const arrived: number[] = []
  const lines = createInterface({ input: child.stdout })
  const isOpen = once(lines, 'line')
  await isOpen
  lines.on('line', (line) => arrived.push(...line.split(' ').map(Number)))
  return {
    latency: async (work, events) => {
      arrived.length = 0
      await work()
      const committed = performance.timeOrigin + performance.now()
      while (arrived.length < events) await delay(5)
      return arrived.map((at) => at - committed)
    },
    close: () => child.kill(),
  }
}
