/**
 * Clients that read an export slowly or behind other answers: such exports are aborted, and others are complete.
 * `service/hostile/held-exports` has clients who do not read, and callers who start many.
 */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { afterEach, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { opened } from '../../support/afterwards.ts'
import { fillRandomly, startExportProject } from '../../support/an-export-project.ts'
import { runningExports } from '../../support/export-backends.ts'
import { exportOf, openExport } from '../../support/export-request.ts'
import { closeOf, openSocket } from '../../support/hostile/raw-http.ts'
import { until, within } from '../../support/wait.ts'

const service = opened(() =>
  startExportProject({ EXPORTS_AT_ONCE: '4', EXPORT_STALL_SECONDS: '2' }),
)
before(async () => {
  await fillRandomly(service, 20_000)
})

const countObservations = (kind: string) =>
  service.observations.filter((observation) => observation.kind === kind).length
const nothingRuns = () =>
  until('no export runs', async () => (await runningExports(service)).length === 0)
afterEach(nothingRuns)

const open = async (): Promise<IncomingMessage> => {
  const response = await openExport(service, '/measurement/export')
  assert.equal(response.statusCode, 200)
  return response
}

test('an export queued behind lists that are not read is aborted', async () => {
  const abortedBefore = countObservations('exportCut')
  const authorization = `Host: localhost\r\nAuthorization: Bearer ${await service.tokenOf()}\r\n`
  const list = `GET /measurement?limit=1000 HTTP/1.1\r\n${authorization}\r\n`
  const socket = await openSocket(service.url)
  const closed = closeOf(socket)
  socket
    .pause()
    .write(
      `${list.repeat(30)}POST /measurement/export HTTP/1.1\r\n${authorization}Content-Length: 0\r\n\r\n`,
    )
  await until('the export is aborted', () => countObservations('exportCut') === abortedBefore + 1)
  socket.resume()
  await within('its connection closes', closed)
})

test('an export that is read at one kilobyte per second is aborted', async () => {
  const response = await open()
  let isOpen = true
  const broken = new Promise<void>((resolve) => {
    response.once('error', () => {
      isOpen = false
      resolve()
    })
  })
  const readSlowly = async () => {
    while (isOpen) {
      response.read(1024)
      await delay(1_000)
    }
  }
  const reading = readSlowly()
  await nothingRuns()
  response.resume()
  await broken
  await reading
})

test('an export that is read slowly but steadily is complete', async () => {
  const whole = await exportOf(service, '/measurement/export')
  const response = await open()
  let bytes = 0
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length
    // About 6 MB per second.
    await delay((chunk as Buffer).length / 6_000)
  }
  assert.equal(bytes, whole.bytes.length)
  assert.ok(response.complete)
})
