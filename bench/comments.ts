/**
 * Comments: one that notifies ten followers compared with a create that notifies ten users, and the timeline of a record compared with its
 * history, whose entries are the rows.
 */
import { openDevelopmentIssuer } from '../src/auth/tokens/development-issuer.ts'
import { until } from '../test/support/wait.ts'
import type { Environment, Service } from './environment.ts'
import { byTurns, median, middleHalfOf, percentile, sampler, timed } from './figures.ts'
import { fill, insertGroup, insertUsers } from './fill.ts'
import { openClient, type Request } from './http-client.ts'
import { withoutSending } from './notifications/measured.ts'
import { aimOf, note, type Row, type Table } from './report.ts'

const recipients = 10
const connections = 8
/** Creates or comments of one measurement, each of another user: one user may write few comments in a minute. */
const events = 400
const tellingRounds = { rounds: 21, warmUps: 2 }

type Measured = Pick<Environment, 'pool'> & {
  readonly service: Service
  readonly authors: readonly string[]
}

/** Announcements that all ten members of the group follow, one for each comment, which makes its author a follower too. */
const fillAnnouncements = (environment: Environment): Promise<void> => {
  const count = events * (tellingRounds.rounds + tellingRounds.warmUps) + 1
  return fill(environment, `${count.toLocaleString('en')} announcements`, [
    insertUsers('member-', recipients),
    insertGroup('member-'),
    insertUsers('author-', events),
    `INSERT INTO records.announcement (title, _created_by, _updated_by)
     SELECT 'The lift is out of order, ' || n, 1, 1 FROM generate_series(1, ${count}) n`,
    `INSERT INTO docket.follower (entity_key, entity_id, user_id, reason)
     SELECT 'announcement', a.id, m.user_id, 'chosen' FROM records.announcement a, records.user_group_member m`,
    'VACUUM (ANALYZE) records.announcement, records."user", records.user_group_member, docket.follower',
  ])
}

const countStored = async ({ pool }: Measured): Promise<number> => {
  const { rows } = await pool.query<{ count: number | null }>(
    'SELECT sum(total)::integer AS count FROM docket.notification_count',
  )
  return rows[0]?.count ?? 0
}

const stored = (measured: Measured, count: number): Promise<true> =>
  until(`${count} notifications are stored`, async () => (await countStored(measured)) === count)

/** A request of one of the authors. */
const by = ({ authors }: Measured, author: number, request: Request): Request => ({
  ...request,
  headers: { Authorization: `Bearer ${authors[author]}` },
})

const sendAll = async ({ service }: Measured, requests: readonly Request[]): Promise<void> => {
  const send = openClient(service, connections)
  const waiting = requests.values()
  const keepSending = async () => {
    for (const request of waiting) await send(request)
  }
  await Promise.all(Array.from({ length: connections }, keepSending))
}

/** Milliseconds of an event, until it is answered and until all notifications of it are stored. */
type Told = { readonly answered: number; readonly stored: number }

const tell = async (measured: Measured, request: () => Request): Promise<Told> => {
  const before = await countStored(measured)
  const requests = Array.from({ length: events }, (_, author) => by(measured, author, request()))
  const begun = performance.now()
  await sendAll(measured, requests)
  const answered = performance.now() - begun
  await stored(measured, before + events * recipients)
  return { answered: answered / events, stored: (performance.now() - begun) / events }
}

const announcement = (): Request => ({
  method: 'POST',
  path: '/announcement',
  body: { title: 'The lift is out of order' },
})

const commentOn = (record: number): Request => ({
  method: 'POST',
  path: `/announcement/${record}/comment`,
  body: { text: 'It runs again since this morning.' },
})

/** The record of the timeline; comments that are measured are on those after it. */
const longRecord = 1

const measureTelling = async (measured: Measured): Promise<Table> => {
  let last = longRecord
  const creates = sampler(() => tell(measured, announcement))
  const comments = sampler(() =>
    tell(measured, () => {
      last++
      return commentOn(last)
    }),
  )
  await byTurns([creates, comments], tellingRounds)
  const rowsOf = (moment: keyof Told, what: string): Row[] => {
    const [theirs, ours] = [creates, comments].map(({ samples }) =>
      samples.map((one) => one[moment]),
    ) as [number[], number[]]
    const ratio = medianRatio(theirs, ours)
    return [
      { what: `create, until ${what}`, ms: median(theirs) },
      {
        what: `comment, until ${what}`,
        ms: median(ours),
        ratio,
        'middle half': middleHalfOf(theirs, ours),
        ...aimOf(ratio, { least: 0.8 }),
      },
    ]
  }
  return {
    title: `ms of a create that notifies ten users and of a comment that notifies ten followers, ${connections} connections; speed of the create = 1`,
    rows: [...rowsOf('answered', 'it is answered'), ...rowsOf('stored', 'all ten are stored')],
  }
}

const medianRatio = (ours: readonly number[], theirs: readonly number[]): number =>
  median(ours.map((our, round) => our / (theirs[round] ?? Number.NaN)))

/** Two of five entries are changes, two comments, of which all who follow are notified, and one is a task. */
const fillTimeline = async (measured: Measured, entries: number): Promise<void> => {
  note(`Filling a timeline of ${entries.toLocaleString('en')} entries …\n`)
  const path = `/announcement/${longRecord}`
  const change = (n: number): Request => ({
    method: 'PATCH',
    path,
    body: { title: `The lift is out of order for ${n} hours` },
  })
  const task: Request = {
    method: 'POST',
    path: `${path}/task`,
    body: { description: 'Call the mechanic', due_date: '2035-01-02 10:00:00' },
  }
  // Few, who follow it from then on, and no more often than a user may comment in a minute.
  const people = Math.max(20, Math.ceil(entries / 100))
  const requests = Array.from({ length: entries }, (_, n) =>
    by(
      measured,
      Math.floor(n / 5) % people,
      n % 5 < 2 ? change(n) : n % 5 < 4 ? commentOn(longRecord) : task,
    ),
  )
  await sendAll(measured, requests)
  await until('nobody is left to be notified', async () => {
    const { rows } = await measured.pool.query('SELECT FROM docket.job LIMIT 1')
    return rows.length === 0
  })
  await measured.pool.query(
    'VACUUM (ANALYZE) docket.history, records.comment, records.task, docket.notification',
  )
}

// As many as the page of a record reads at once.
const step = 100
const reads = 100
const timelineRounds = { rounds: 21, warmUps: 2 }

const history = `history?limit=${step}`
const comments = `comment?newest=true&limit=${step}`
const notified = `notified?limit=${step}`

/** What the page of a record asks at once for its timeline, by what it shows. */
const timelines = [
  { what: 'the timeline: history and comments', paths: [history, comments] },
  { what: 'comments alone', paths: [`history?limit=${step}&about=comments`, comments] },
  { what: 'tasks alone', paths: [`history?limit=${step}&about=tasks`] },
  { what: 'who was notified', paths: [notified] },
]

/** The p95 of some reads, one after the other. */
const p95Of = async ({ service }: Measured, paths: readonly string[]): Promise<number> => {
  const send = openClient(service, paths.length)
  const times: number[] = []
  for (let read = 0; read < reads; read++)
    times.push(
      await timed(() =>
        Promise.all(paths.map((path) => send({ path: `/announcement/${longRecord}/${path}` }))),
      ),
    )
  return percentile(times, 95)
}

const measureTimeline = async (measured: Measured, entries: number): Promise<Table> => {
  await fillTimeline(measured, entries)
  const base = sampler(() => p95Of(measured, [history]))
  const shown = timelines.map(({ what, paths }) => ({
    what,
    ...sampler(() => p95Of(measured, paths)),
  }))
  await byTurns([base, ...shown], timelineRounds)
  return {
    title: `p95 of the timeline of a record with ${entries.toLocaleString('en')} entries, ${step} of them a page (ms)`,
    rows: [
      { what: 'its history', p95: median(base.samples) },
      ...shown.map(({ what, samples }): Row => {
        const ratio = medianRatio(samples, base.samples)
        return {
          what,
          p95: median(samples),
          ratio,
          'middle half': middleHalfOf(samples, base.samples),
          ...aimOf(ratio, { most: 1.3 }),
        }
      }),
    ],
  }
}

export const benchComments = async (
  environment: Environment,
  entries: number,
): Promise<Table[]> => {
  await fillAnnouncements(environment)
  const issuer = await openDevelopmentIssuer(environment.project)
  const authors = await Promise.all(
    Array.from({ length: events }, (_, index) => issuer.signToken(`author-${index + 1}`)),
  )
  const service = await environment.startService([], withoutSending)
  const measured = { pool: environment.pool, service, authors }
  const telling = await measureTelling(measured)
  note('Measured comments.\n')
  return [telling, await measureTimeline(measured, entries)]
}
