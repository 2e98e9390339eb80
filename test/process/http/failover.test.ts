/** A standby becomes the primary: changes are a 503 until then, and come back by themselves, jobs with them. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { migrate } from '../../../src/database/migrate.ts'
import { createPool } from '../../../src/database/pool.ts'
import { prepareJobs } from '../../../src/jobs/prepare-jobs.ts'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { afterwards } from '../../support/afterwards.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { type OwnServer, startOwnServer } from '../../support/own-server.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { startAddress, startStandby } from '../../support/standby.ts'
import { until } from '../../support/wait.ts'

const files = {
  'entities/thing.json': {
    key: 'thing',
    fields: [{ key: 'name', type: 'string' }],
    hooks,
    notifications: [{ operation: 'create', recipient: { userFields: ['_created_by'] } }],
  },
}

let primary: OwnServer
let standby: Awaited<ReturnType<typeof startStandby>>
let address: Awaited<ReturnType<typeof startAddress>>
let service: TestService
let token = ''

before(async () => {
  primary = await startOwnServer()
  standby = await startStandby(primary)
  address = await startAddress(primary.connectionString)
  const { connectionString } = address
  const pool = createPool({ connectionString, size: 4, observe: () => undefined })
  const database = { connectionString, pool, drop: () => pool.end() }
  await prepareJobs(pool)
  await migrate(pool)
  service = await startTestService(await writeProject(files), {}, database)
  token = await service.tokenOf()
  const worker = await createWorker(service.runtime, { watch: false })
  afterwards(worker.stop)
})

// Asked for once: that needs the database.
const ask = (method: string, path: string, body?: object, headers: object = {}) =>
  service.ask(method, path, {
    ...{ as: null, headers: { Authorization: `Bearer ${token}`, ...headers } },
    ...(body && { body }),
  })
const create = (name: string) => ask('POST', '/thing', { name }, { 'Idempotency-Key': name })
const readiness = async () => {
  const { status, json, headers } = await ask('GET', '/api/health/ready')
  return [status, json().status, headers.get('retry-after')]
}
const notifiedOn = async (name: string) => {
  const { rowCount } = await standby.pool.query(
    `SELECT FROM docket.notification n JOIN records.thing t ON t.id = n.entity_id WHERE t.name = $1`,
    [name],
  )
  return rowCount
}

test('changes are rejected while the address leads to a standby, and are written once it is the primary', async () => {
  assert.equal((await create('before')).status, 201)
  await until(
    'the standby has it, and its job is done',
    async () => (await notifiedOn('before')) === 1,
  )

  address.leadTo(standby.connectionString)
  await until('a change is rejected as read-only', async () => {
    const { status, text, headers } = await create('during')
    assert.deepEqual([status, headers.get('retry-after')], [503, '2'], text)
    return /read-only/.test(text)
  })
  await until('it is not ready', async () => (await readiness())[1] === 'database read-only')
  assert.deepEqual(await readiness(), [503, 'database read-only', '2'])
  const read = await ask('POST', '/thing/search', { $select: ['name'] })
  assert.deepEqual(read.json().data, [{ name: 'before' }], read.text)

  await primary.stop()
  await standby.pool.query('SELECT pg_promote()')
  await until('changes are written', async () => (await create('during')).status === 201)
  // The same key again, as a client sends it that got no answer.
  assert.equal((await create('during')).status, 201)
  await until('it is ready', async () => (await readiness())[0] === 200)
  for (let count = 0; count < 12; count++)
    assert.equal((await create(`after-${count}`)).status, 201)
  await until('jobs run', async () => (await notifiedOn('after-11')) === 1)
  assert.equal(await notifiedOn('during'), 1)
})
