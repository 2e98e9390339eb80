/** EXPORTS_AT_ONCE: an export beyond it is a 503 with Retry-After, and a slot is free again however an export ends. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { emailOf } from '../../support/an-export-project.ts'
import { runningExports, terminateExport, untilBuffersFull } from '../../support/export-backends.ts'
import {
  type ExportOptions,
  exportOf,
  openExport,
  readToEnd,
} from '../../support/export-request.ts'
import { until } from '../../support/wait.ts'
import { second, shareTwoSlots } from './two-slots.ts'

const service = await shareTwoSlots()

/** Asserts that all slots are free, and no more: two exports run, a third is rejected. */
const assertTwoSlots = async (): Promise<void> => {
  const held = [await openHeld(), await openHeld(second)]
  const { status, headers, text } = await exportOf(service, '/measurement/export')
  assert.equal(status, 503)
  assert.equal(headers['retry-after'], '5')
  assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
  assert.equal(JSON.parse(text).code, 'request.saturated')
  for (const one of held) one.on('error', () => undefined).destroy()
  await untilIdle()
}

const openHeld = async (as?: string) => {
  const held = await openExport(service, '/measurement/export', { as })
  assert.equal(held.statusCode, 200)
  return held
}

/** Waits until no export is left, in the database and in the connection pool of the service. */
const untilIdle = () =>
  until('every slot is free', async () => {
    if ((await runningExports(service)).length > 0) return false
    const { text } = await service.ask('GET', '/api/metrics', { as: null })
    const [all, idle] = ['all', 'idle'].map((state) =>
      new RegExp(`connections\\{pool="exports",state="${state}"\\} (\\d+)`).exec(text)?.at(1),
    )
    return all !== undefined && all === idle
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
  for (const one of held) one.on('error', () => undefined).destroy()
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
  'its query fails before the first byte': async () => {
    const blocker = await service.database.pool.connect()
    await blocker.query('BEGIN; LOCK TABLE records.measurement IN ACCESS EXCLUSIVE MODE')
    const asked = exportOf(service, '/measurement/export')
    await until('the export waits', async () => (await runningExports(service)).length === 1)
    await terminateExport(service)
    assert.equal((await asked).status, 503)
    await blocker.query('ROLLBACK')
    blocker.release()
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
    // A caller has one slot: the second time shows that it is free.
    for (let turn = 0; turn < 2; turn++) {
      await end()
      await untilIdle()
    }
  })

const rejections: readonly [status: number, path: string, options?: ExportOptions][] = [
  [400, '/measurement/export?page=2'],
  [400, '/measurement/export', { body: { $where: { nowhere: 1 } } }],
  [403, '/item/export', { as: emailOf('reader') }],
  [404, '/nowhere/export'],
  [406, '/measurement/export', { headers: { Accept: 'image/png' } }],
  [422, '/note/export?format=xlsx'],
]
test('a slot is free again when the response is an error', async () => {
  for (const [status, path, options] of rejections)
    for (let turn = 0; turn < 2; turn++) {
      assert.equal((await exportOf(service, path, options)).status, status)
      await untilIdle()
    }
})

test('after all of them there are two slots', () => assertTwoSlots())
