/** Who may read the metrics, what they tell operators, and which public address the service uses. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { createMetrics } from '../../../src/telemetry/metrics.ts'
import { addUser } from '../../support/a-project.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const files = { 'docket.json': {}, 'roles/reader.json': { key: 'reader', permissions: {} } }
const metricsToken = 'a-token-of-metrics'

const statusWith = async (service: TestService, credential?: string): Promise<number> => {
  const headers = credential === undefined ? {} : { Authorization: `Bearer ${credential}` }
  return (await service.ask('GET', '/api/metrics', { as: null, headers })).status
}

describe('with an issuer', () => {
  let service: TestService
  before(async () => {
    // Nobody signs in there.
    const issuer = { AUTH_ISSUER: 'https://issuer.example.com', AUTH_AUDIENCE: 'docket' }
    service = await startTestService(files, issuer)
  })
  after(() => service.stop())

  test('only administrators read the metrics', async () => {
    const { pool } = service.database
    const userId = await addUser(service.database, 'reader@example.com')
    const reader = await createApiKey(pool, { userId, name: 'reader' })
    const administrator = await createApiKey(pool, { userId: 1, name: 'administrator' })
    assert.equal(await statusWith(service), 401)
    assert.equal(await statusWith(service, reader.key), 403)
    assert.equal(await statusWith(service, administrator.key), 200)
  })
})

describe('with METRICS_TOKEN and PUBLIC_URL', () => {
  let service: TestService
  before(async () => {
    service = await startTestService(files, {
      METRICS_TOKEN: metricsToken,
      PUBLIC_URL: 'https://docket.example.com/app/',
    })
  })
  after(() => service.stop())

  test('METRICS_TOKEN alone grants access to the metrics', async () => {
    assert.equal(await statusWith(service), 401)
    assert.equal(await statusWith(service, 'another-token-of-metrics'), 401)
    assert.equal(await statusWith(service, await service.tokenOf()), 401)
    assert.equal(await statusWith(service, metricsToken), 200)
  })

  test('the calendar feed and the OpenAPI document use the public address, whatever Host contains', async () => {
    const { key } = await createApiKey(service.database.pool, { userId: 1, name: 'calendar' })
    const asKey = { as: null, headers: { Authorization: `Bearer ${key}` } }
    const made = await service.ask('POST', '/api/tasks/calendar', {
      ...asKey,
      headers: {
        ...asKey.headers,
        'X-Forwarded-Host': 'other.example',
        'X-Forwarded-Proto': 'http',
      },
    })
    const { url } = made.json()
    assert.match(url, /^https:\/\/docket\.example\.com\/app\/api\/tasks\/calendar\.ics\?key=/)
    const document = (await service.ask('GET', '/api/openapi.json', asKey)).json()
    assert.deepEqual(document.servers, [{ url: 'https://docket.example.com/app' }])
  })
})

describe('with the development issuer', () => {
  const thing = {
    key: 'thing',
    fields: [{ key: 'name', type: 'string' }],
    hooks,
    notifications: [
      {
        operation: 'create',
        recipient: { userFields: ['_created_by'] },
        content: { title: 'As the service has it: {{ record.name }}' },
      },
    ],
  }
  let service: TestService
  before(async () => {
    const project = await writeProject({ ...files, 'entities/thing.json': thing })
    const database = await createPreparedDatabase()
    // Never through a pooler, which replaces lost connections by itself.
    const direct = { DATABASE_URL: database.connectionString, DATABASE_DIRECT_URL: '' }
    service = await startTestService(project, direct, database)
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

  test('anyone on this machine reads the metrics', async () => {
    assert.equal(await statusWith(service), 200)
    const { url } = (await service.ask('POST', '/api/tasks/calendar')).json()
    assert.ok(url.startsWith(`${service.url}/api/tasks/calendar.ics?key=`), url)
  })

  test('lost connections of every pool are counted', async () => {
    const lost = () =>
      service.observations.filter(({ kind }) => kind === 'databaseConnectionLost').length
    // A connection that is just being returned ends with its user, who reports that: then the next one is ended.
    await until('connections of requests and of exports are lost', async () => {
      await service.ask('GET', '/user')
      await service.ask('POST', '/user/export')
      await service.database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'docket' AND state = 'idle'
           AND pid <> pg_backend_pid()`,
      )
      return lost() >= 2
    })
    await until('each of them is counted', async () =>
      (await metrics()).includes(
        `docket_failures_total{kind="databaseConnectionLost"} ${lost()}\n`,
      ),
    )
  })

  test('the thread of jobs has its connections counted, and the definitions that its service has', async (t) => {
    await writeFile(join(service.project.directory, 'entities/thing.json'), '{')
    const counted = createMetrics({ pools: {}, countJobs: async () => ({}) })
    const runtime = { ...service.runtime, observe: counted.observe }
    const worker = await startWorkerThread(runtime, { watch: false })
    t.after(() => worker.stop())
    for (const pool of ['jobs', 'queue', 'batches', 'emails'])
      await until(`the pool ${pool} is counted`, async () =>
        (await counted.print()).includes(`docket_database_connections{pool="${pool}",state="all"}`),
      )
    assert.equal((await service.ask('POST', '/thing', { body: { name: 'x' } })).status, 201)
    const [first] = await until('the notification is stored', async () => {
      const all = (await service.ask('GET', '/api/notifications?limit=1')).json()
      return all.length > 0 && all
    })
    assert.equal(first.content.title, 'As the service has it: x')
  })
})
