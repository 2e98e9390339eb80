/** Who may read the metrics, and which public address the service uses. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { createMetrics } from '../../../src/telemetry/metrics.ts'
import { insertUser } from '../../../src/users/user-store.ts'
import { audience, startIssuer, type TestIssuer } from '../../support/auth/an-issuer.ts'
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
  let issuer: TestIssuer
  let service: TestService
  before(async () => {
    issuer = await startIssuer(['admin@example.com'])
    const environment = { AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: audience }
    service = await startTestService(await writeProject(files), environment)
  })
  after(async () => {
    await service.stop()
    await issuer.close()
  })

  test('only administrators read the metrics, with a token or an API key', async () => {
    const { pool } = service.database
    const userValues = {
      first_name: 'Rea',
      last_name: 'D',
      full_name: 'Rea D',
      email: 'rea@example.com',
    }
    const userId = await insertUser(pool, {
      identity_provider_user_id: 'rea',
      ...userValues,
      role_key: 'reader',
    })
    const reader = await createApiKey(pool, { userId: userId ?? 0, name: 'reader' })
    const administrator = await createApiKey(pool, { userId: 1, name: 'administrator' })
    assert.equal(await statusWith(service), 401)
    assert.equal(await statusWith(service, reader.key), 403)
    assert.equal(await statusWith(service, administrator.key), 200)
    const token = await issuer.requestToken('admin@example.com')
    assert.equal(await statusWith(service, token), 200)
  })
})

describe('with METRICS_TOKEN and PUBLIC_URL', () => {
  let service: TestService
  before(async () => {
    service = await startTestService(await writeProject(files), {
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
    const made = await service.ask('POST', '/api/tasks/calendar', {
      headers: { 'X-Forwarded-Host': 'other.example', 'X-Forwarded-Proto': 'http' },
    })
    const { url } = made.json()
    assert.match(url, /^https:\/\/docket\.example\.com\/app\/api\/tasks\/calendar\.ics\?key=/)
    const document = (await service.ask('GET', '/api/openapi.json')).json()
    assert.deepEqual(document.servers, [{ url: 'https://docket.example.com/app' }])
  })
})

test('with the development issuer, anyone on this machine reads the metrics', async (t) => {
  const service = await startTestService(await writeProject(files))
  t.after(() => service.stop())
  assert.equal(await statusWith(service), 200)
  const { url } = (await service.ask('POST', '/api/tasks/calendar')).json()
  assert.ok(url.startsWith(`${service.url}/api/tasks/calendar.ics?key=`), url)
})

test('lost connections of every pool are counted', async (t) => {
  const database = await createPreparedDatabase()
  // Never through a pooler, which replaces lost connections by itself.
  const direct = { DATABASE_URL: database.connectionString, DATABASE_DIRECT_URL: '' }
  const service = await startTestService(await writeProject(files), direct, database)
  t.after(() => service.stop())
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
  await until('each of them is counted', async () => {
    const { text } = await service.ask('GET', '/api/metrics')
    return text.includes(`docket_failures_total{kind="databaseConnectionLost"} ${lost()}\n`)
  })
})

test('connections of jobs are counted, although they belong to another thread', async (t) => {
  const service = await startTestService(await writeProject(files))
  t.after(() => service.stop())
  const metrics = createMetrics({ pools: {}, countJobs: async () => ({}) })
  const runtime = { ...service.runtime, observe: metrics.observe }
  const worker = await startWorkerThread(runtime, { watch: false })
  t.after(() => worker.stop())
  for (const pool of ['jobs', 'queue', 'batches', 'emails'])
    await until(`the pool ${pool} is counted`, async () =>
      (await metrics.print()).includes(`docket_database_connections{pool="${pool}",state="all"}`),
    )
})
