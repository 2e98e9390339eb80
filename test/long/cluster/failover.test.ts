/**
 * `npm run test:long -- cluster`: the primary of a cluster is killed twice while clients create records with keys, users read their
 * streams, and e-mails are sent. Nothing that was acknowledged is lost, and nothing happens twice.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headersOf, openSmtp } from '../../support/processes/a-mail-project.ts'
import { until } from '../../support/wait.ts'
import { type Cluster, startCluster } from './a-cluster.ts'
import { findPrograms } from './find-programs.ts'
import { type Created, postKeyed, startWriters, type Writers } from './keyed-writers.ts'
import { type LastingReader, startLastingReader } from './lasting-reader.ts'
import type { Host } from './place-settings.ts'
import { type Processes, readinessOf, startProcesses } from './two-processes.ts'

const programs = findPrograms()
// Seconds after which changes are written again.
const backWithin = 15
const betweenKills = 40

test('a primary that is lost twice loses nothing, and nothing happens twice', {
  skip: typeof programs === 'string' && programs,
}, async () => {
  if (typeof programs === 'string') return
  const cluster = await startCluster(programs)
  try {
    await loseThePrimaryTwice(cluster)
  } catch (error) {
    console.error(cluster.lastLines())
    throw error
  }
})

const loseThePrimaryTwice = async (cluster: Cluster): Promise<void> => {
  const smtp = await openSmtp()
  const running = await startProcesses({ ...cluster.environment, ...smtp.settings })
  const { processes, users, token } = running
  const urls = processes.map(({ url }) => url)
  const readers = await Promise.all(
    urls.flatMap((url) => users.map((user) => startLastingReader(url, user.token))),
  )
  const bodyOf = (key: string, index: number) => ({
    number: key,
    assignee_id: users[index % users.length]?.id,
  })
  const writers = startWriters({ urls, token, writers: 4, pauseMs: 100, bodyOf })
  await untilMore(writers, betweenKills)
  // The second process has readers that lose their connection at that moment.
  const cut = readers.slice(users.length)
  const loseConnections = async () => {
    for (const reader of cut) reader.cut()
    await Promise.all(processes.map(untilNotReady))
  }
  const lose = (kill: () => Promise<Host>, meanwhile = async () => {}) =>
    loseServer(cluster, running, writers, kill, meanwhile)
  await lose(cluster.killPrimary, loseConnections)
  await lose(cluster.killPrimary, loseConnections)
  await lose(cluster.killStandby)
  await writers.stop()
  await checkRecords(running, writers, bodyOf)
  await checkMessages(running, readers, smtp.taken, writers.created)
  for (const reader of readers)
    assert.equal(reader.reopened(), cut.includes(reader) ? 2 : 0, 'streams stay open')
  const outcomes = processes.map(async ({ child, ended }) => {
    assert.equal(child.exitCode, null)
    child.kill('SIGTERM')
    return (await ended).code
  })
  assert.deepEqual(await Promise.all(outcomes), [0, 0])
}

const untilMore = ({ created }: Writers, count: number) => {
  const target = created.length + count
  return until(`${count} more creates are acknowledged`, () => created.length >= target)
}

/** Kills a server, and waits until the cluster is whole again. */
const loseServer = async (
  cluster: Cluster,
  { processes }: Processes,
  writers: Writers,
  kill: () => Promise<Host>,
  meanwhile: () => Promise<void>,
): Promise<void> => {
  const host = await kill()
  const killedAt = performance.now()
  const happened = meanwhile()
  const isBack = ({ sentAt }: Created) => sentAt > killedAt
  await until('changes are written again', () => writers.created.some(isBack), backWithin)
  await happened
  for (const process of processes)
    await until('it is ready', async () => (await readinessOf(process)).status === 200)
  await cluster.restart(host)
  await cluster.untilWhole()
  await untilMore(writers, betweenKills)
}

const untilNotReady = async (process: Processes['processes'][number]): Promise<void> => {
  const { reason, retryAfter } = await until('it is not ready', async () => {
    const readiness = await readinessOf(process)
    return readiness.status === 503 && readiness
  })
  assert.match(reason, /^database (unavailable|read-only)$/)
  assert.match(retryAfter, /^\d+$/)
}

const checkRecords = async (
  { pool, processes, token }: Processes,
  { created, refused }: Writers,
  bodyOf: (key: string, index: number) => object,
): Promise<void> => {
  assert.notEqual(refused.size, 0)
  for (const answer of refused) assert.match(answer, /^503 [a-z.-]+, Retry-After \d+$/)
  const { rows } = await pool.query<{ number: string; id: number }>(
    'SELECT number, id FROM records.request ORDER BY number, id',
  )
  const acknowledged = created.map(({ key, id }) => `${key} ${id}`)
  assert.deepEqual(
    rows.map(({ number, id }) => `${number} ${id}`).sort(),
    acknowledged.toSorted(),
    'every acknowledged record is there once, and no other',
  )
  const [, { url } = { url: '' }] = processes
  for (const { key, id } of created) {
    const again = await postKeyed(url, token, key, bodyOf(key, Number(key.split('-')[1])))
    assert.equal(typeof again === 'string' ? again : again.id, id, 'a key makes one record')
  }
}

const checkMessages = async (
  { pool, users, processes }: Processes,
  readers: readonly LastingReader[],
  mails: readonly string[],
  created: readonly Created[],
): Promise<void> => {
  await until('every e-mail is sent', async () => {
    const { rows } = await pool.query<{ status: string; count: number }>(
      'SELECT status, count(*)::integer FROM docket.delivery GROUP BY status',
    )
    return rows.length === 1 && rows[0]?.status === 'sent' && rows[0].count === created.length
  })
  assert.deepEqual(
    mails.map((mail) => headersOf(mail).subject ?? mail).sort(),
    created.map(({ key }) => key).sort(),
    'every e-mail arrived once',
  )
  const stored = await Promise.all(users.map(({ id }) => idsOf(pool, id)))
  assert.equal(stored.flat().length, created.length, 'every notification is stored once')
  for (const [index, reader] of readers.entries()) {
    const ids = stored[index % users.length] ?? []
    const where = `of stream ${index} of ${processes.length * users.length}`
    await until(`the last notification ${where}`, () => reader.ids().at(-1) === ids.at(-1))
    assert.deepEqual(reader.ids(), ids, `the notifications ${where} arrived once and in order`)
  }
}

const idsOf = async (pool: Processes['pool'], user: number): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ _id: string }>(
    'SELECT _id FROM docket.notification WHERE user_id = $1 ORDER BY timestamp',
    [user],
  )
  return rows.map(({ _id }) => _id)
}
