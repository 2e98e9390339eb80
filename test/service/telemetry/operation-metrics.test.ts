/** Metrics that operators watch: how long work waits, streams, signals, and the alerts that use them. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

let service: TestService
before(async () => {
  service = await startTestService(await writeProject({ 'docket.json': {} }))
})
after(() => service.stop())

const metrics = async () => (await service.ask('GET', '/api/metrics')).text
const valueIn = (text: string, name: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

test('the age of the oldest due job is known, and later jobs are not due', async () => {
  const { pool } = service.database
  await pool.query(`SELECT docket.add_job('test.due', '{}', now() - interval '90 seconds'),
    docket.add_job('test.due', '{}', now() + interval '1 hour')`)
  await until('the job is counted', async () => {
    const age = valueIn(await metrics(), 'docket_oldest_due_seconds{queue="jobs"}') ?? 0
    return age >= 90 && age < 3600
  })
  assert.equal(valueIn(await metrics(), 'docket_oldest_due_seconds{queue="deliveries"}'), 0)
})

test('PostgreSQL, the listener and the pools are watched', async () => {
  const text = await metrics()
  assert.equal(valueIn(text, 'docket_listener_up'), 1)
  assert.equal(valueIn(text, 'docket_open_streams'), 0)
  // The queue is that of the whole server, which other tests use too.
  const queued = valueIn(text, 'docket_database_notification_queue_ratio') ?? -1
  assert.ok(queued >= 0 && queued < 0.01, `${queued}`)
  assert.ok((valueIn(text, 'docket_database_oldest_transaction_seconds') ?? -1) >= 0)
  assert.ok((valueIn(text, 'docket_database_wait_seconds_total{pool="requests"}') ?? -1) > 0)
})

test('an index that is built is shown with its phase', async () => {
  const { pool } = service.database
  await pool.query('CREATE TABLE records.built (id integer)')
  const writer = await pool.connect()
  await writer.query('BEGIN; INSERT INTO records.built VALUES (1)')
  const built = pool.query('CREATE INDEX CONCURRENTLY ON records.built (id)')
  const name =
    'docket_database_index_build_ratio{table="records.built",phase="waiting for writers before build"}'
  const shown = async () => (await metrics()).includes(name)
  await until('it is shown', shown)
  await writer.query('COMMIT')
  writer.release()
  await built
  await until('it is not shown any more', async () => !(await shown()))
})

test('every metric of the alerts and of the docs exists', async () => {
  const text = await metrics()
  const known = new Set([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '']) => name))
  const read = (page: string) => readFile(new URL(`../../../${page}`, import.meta.url), 'utf8')
  const table = (await read('docs/operations.md')).match(/^\| `docket_.*$/gm)?.join('\n') ?? ''
  const pages = {
    'docs/operations.md': table,
    alerts: await read('deploy/prometheus/docket-alerts.yaml'),
  }
  for (const [page, content] of Object.entries(pages)) {
    const named = new Set([...content.matchAll(/\bdocket_[a-z_]+/g)].map(([name]) => name))
    assert.ok(named.size > 5, page)
    for (const name of named) assert.ok(known.has(name.replace(/_(bucket|count|sum)$/, '')), name)
  }
})
