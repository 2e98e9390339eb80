/** Many open streams at one process: what they cost, and how soon they bring what is stored. */
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { notifyStreams } from '../../src/notifications/inbox/notify-streams.ts'
import { storeBatches } from '../../src/notifications/jobs/notify-users.ts'
import { withClient } from '../database.ts'
import { spreadOf } from '../figures.ts'
import { memoryMiB } from '../memory.ts'
import type { Note, Place } from '../place.ts'
import type { Row, Table } from '../report.ts'
import { startProgram } from '../start-program.ts'
import { untilHolds } from '../until-holds.ts'

const streamCount = 5000
const singles = 500

/** A row of memory and two of latency, from the commit to the event in the client's hands. */
export const measureStreams = async (place: Place, note: Note): Promise<Table> => {
  const pool = createPool({
    connectionString: place.databaseUrl,
    size: 4,
    observe: () => undefined,
  })
  try {
    const userIds = await addUsers(place.databaseUrl)
    const before = await memoryMiB(place.pid, 'VmRSS')
    const client = await openStreams(place)
    await delay(2000)
    const open = await memoryMiB(place.pid, 'VmRSS')
    note(`Opened ${streamCount} streams.\n`)
    const rows: Row[] = [
      { what: `memory of the service, ${streamCount} streams (MiB)`, before, open },
    ]
    const one = await tellEach(pool, userIds.slice(0, singles), client)
    const all = await client.latency(() => tell(pool, userIds, 'all'), streamCount)
    rows.push({ what: 'told one after the other (ms)', ...spreadOf(one) })
    rows.push({ what: `told all at once (ms)`, ...spreadOf(all) })
    rows.push({ what: 'memory afterwards (MiB)', open: await memoryMiB(place.pid, 'VmRSS') })
    await client.stop()
    return { title: 'Open streams', rows }
  } finally {
    await pool.end()
  }
}

const addUsers = (connectionString: string): Promise<number[]> =>
  withClient(connectionString, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email,
       is_contact, is_active, is_blocked, security_role_id, _is_deleted, _created_at, _updated_at)
     SELECT 'reader-' || i, 'R', 'R', 'R', 'reader-' || i, 'reader-' || i || '@example.com', false, true, false, r.id, false, now(), now()
     FROM generate_series(1, ${streamCount}) i, records.security_role r WHERE r.key = 'administrator' ORDER BY i RETURNING id`,
    )
    return rows.map(({ id }) => id)
  })

const tell = async (pool: Pool, userIds: readonly number[], id: string) => {
  const at = new Date().toISOString()
  const event = { id, rule: '0', entityKey: 'invoice', entityId: 1, at }
  const content = { icon: 'bell', title: 'Approved', message: 'It was.', url: null, due_at: null }
  await storeBatches(pool, [{ event, recipients: { userIds, content } }])
  await notifyStreams(pool, userIds)
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
  readonly stop: () => Promise<void>
}

/** The readers, in a process of their own, which prints the times of events. */
const openStreams = async ({ url, project }: Place): Promise<Client> => {
  const script = fileURLToPath(new URL('./stream-client.ts', import.meta.url))
  const env = { URL: url, PROJECT: project, STREAMS: `${streamCount}` }
  const { lines, stop } = await startProgram([script], { env, until: 'streams are open' })
  return {
    latency: async (work, events) => {
      const from = lines.length
      await work()
      const committed = performance.timeOrigin + performance.now()
      const arrived = () => lines.slice(from).flatMap((line) => line.split(' ').map(Number))
      await untilHolds('every event has come', () => arrived().length >= events)
      return arrived().map((at) => at - committed)
    },
    stop,
  }
}
