/** EXPORTS_AT_ONCE: an export beyond it is a 503 with Retry-After, and a slot is free again however an export ends. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import { emailOf, startExportProject } from '../../support/an-export-project.ts'
import { runningExports, terminateExport, untilBuffersFull } from '../../support/export-backends.ts'
import {
  type Exported,
  type ExportOptions,
  exportOf,
  openExport,
  readToEnd,
} from '../../support/export-request.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const second = 'second@example.com'

let service: TestService
before(async () => {
  service = await startExportProject({ EXPORTS_AT_ONCE: '2' })
  // One caller gets half of the slots.
  assert.ok(
    await insertUser(service.database.pool, {
      identity_provider_user_id: 'second',
      first_name: 'Second',
      last_name: 'Example',
      full_name: 'Second Example',
      email: second,
      role_key: 'administrator',
    }),
  )
  await service.database.pool.query(
    `INSERT INTO records.measurement (position, filler)
     SELECT n, repeat('x', 2000) FROM generate_series(1, 15000) n`,
  )
  await service.database.pool.query(`INSERT INTO records.note (name) VALUES (repeat('x', 40000))`)
})
after(() => service.stop())

/** Asserts that all slots are free, and no more: two exports run, a third is rejected. */
const assertTwoSlots = async (): Promise<void> => {
  const held = [await openHeld(), await openHeld(second)]
  const { status, headers, text } = await exportOf(service, '/measurement/export')
  assert.equal(status, 503)
  assert.equal(headers['retry-after'], '5')
  assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
  assert.equal(JSON.parse(text).code, 'request.saturated')
  for (const one of held) await readToEnd(one)
  await untilIdle()
}

const openHeld = async (as?: string) => {
  const held = await openExport(service, '/measurement/export', { ...(as && { as }) })
  assert.equal(held.statusCode, 200)
  return held
}

/** Waits until no export is left, in the database and in the connection pool of the service. */
const untilIdle = () =>
  until('every slot is free', async () => {
    if ((await runningExports(service)).length > 0) return false
    const { text } = await service.ask('GET', '/api/metrics', { as: null })
    const of = (state: string) =>
      Number(
        new RegExp(`docket_database_connections\\{pool="exports",state="${state}"\\} (\\d+)`).exec(
          text,
        )?.[1],
      )
    return of('all') === of('idle')
  })

beforeEach(untilIdle)

test('EXPORTS_AT_ONCE exports run simultaneously, one more is a 503 with Retry-After', () =>
  assertTwoSlots())

test('only callers who may export get the saturation error', async () => {
  const held = [await openHeld(), await openHeld(second)]
  const statuses = await Promise.all([
    service.ask('POST', '/item/export', { as: null }),
    service.ask('POST', '/item/export', { as: emailOf('reader') }),
    service.ask('POST', '/item/export?limit=0'),
  ])
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [401, 403, 400],
  )
  assert.equal((await service.ask('GET', '/measurement?limit=1')).status, 200)
  for (const one of held) await readToEnd(one)
})

const waysToEnd: Readonly<Record<string, () => Promise<unknown>>> = {
  'it completes': async () => readToEnd(await openHeld()),
  'it contains no record': () =>
    exportOf(service, '/measurement/export', { body: { $where: { position: 0 } } }),
  'the client disconnects': async () => {
    const held = await openHeld()
    held.on('error', () => undefined)
    await untilBuffersFull(service)
    held.destroy()
  },
  'the client disconnects right after its request': async () => {
    const leaving = new AbortController()
    const asked = fetch(`${service.url}/measurement/export`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await service.tokenOf()}` },
      signal: leaving.signal,
    })
    setImmediate(() => leaving.abort())
    await assert.rejects(asked)
  },
  'its backend is terminated': async () => {
    const held = await openHeld()
    await untilBuffersFull(service)
    await terminateExport(service)
    await assert.rejects(readToEnd(held))
  },
}
for (const [way, end] of Object.entries(waysToEnd))
  test(`a slot is free again when ${way}`, async () => {
    for (let turn = 0; turn < 3; turn++) {
      await end()
      await untilIdle()
    }
    await assertTwoSlots()
  })

const rejections: readonly [status: number, path: string, options?: ExportOptions][] = [
  [400, '/measurement/export?page=2'],
  [400, '/measurement/export', { body: { $where: { nowhere: 1 } } }],
  [403, '/item/export', { as: emailOf('reader') }],
  [404, '/nowhere/export'],
  [406, '/measurement/export', { headers: { Accept: 'image/png' } }],
  [422, '/note/export?format=xlsx'],
]
for (const [status, path, options] of rejections)
  test(`a slot is free again when the response is a ${status} (${path})`, async () => {
    for (let turn = 0; turn < 3; turn++) {
      const refused: Exported = await exportOf(service, path, options)
      assert.equal(refused.status, status)
      await untilIdle()
    }
    await assertTwoSlots()
  })

test('a slot is free again when the query fails before the first byte', async () => {
  for (let turn = 0; turn < 3; turn++) {
    const blocker = await service.database.pool.connect()
    await blocker.query('BEGIN; LOCK TABLE records.measurement IN ACCESS EXCLUSIVE MODE')
    const asked = exportOf(service, '/measurement/export')
    await until('the export waits', async () => (await runningExports(service)).length === 1)
    await terminateExport(service)
    assert.equal((await asked).status, 503)
    await blocker.query('ROLLBACK')
    blocker.release()
    await untilIdle()
  }
  await assertTwoSlots()
})
