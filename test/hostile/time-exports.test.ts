/**
 * Readers of exports who take nothing or next to nothing, and callers who ask for many: they lose
 * their place and their snapshot, see that what they have is not whole, and hold up nobody.
 */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { emailOf, fillRandomly, startExportProject } from '../support/an-export-project.ts'
import { runningExports } from '../support/export-backends.ts'
import { exportOf, openExport, readToEnd } from '../support/export-request.ts'
import type { TestService } from '../support/service.ts'
import { until, within } from '../support/wait.ts'
import { closeOf, openSocket } from './edge-loop.ts'

let service: TestService
before(async () => {
  service = await startExportProject({ EXPORTS_AT_ONCE: '4', EXPORT_STALL_SECONDS: '2' })
  await fillRandomly(service, 20_000)
})
after(() => service.stop())

const toldOf = (kind: string) => service.observations.filter((one) => one.kind === kind).length
const nothingRuns = () =>
  until('no export runs', async () => (await runningExports(service)).length === 0)
afterEach(nothingRuns)

const open = async (): Promise<IncomingMessage> => {
  const response = await openExport(service, '/measurement/export')
  assert.equal(response.statusCode, 200)
  return response
}

/** It ends with a reset: nobody takes it for whole. */
const untilBroken = async (response: IncomingMessage): Promise<void> => {
  const broken = new Promise<Error>((resolve) => response.once('error', resolve))
  response.resume()
  assert.match(String(await broken), /aborted|ECONNRESET/)
  assert.equal(response.complete, false)
}

test('a reader who takes nothing is cut off: place, snapshot and connection are free', async () => {
  const cut = toldOf('exportCut')
  const held = [await open(), await open()]
  assert.equal((await runningExports(service)).length, 2)
  await nothingRuns()
  for (const response of held) await untilBroken(response)
  assert.equal(toldOf('exportCut'), cut + 2)
  const { text } = await service.ask('GET', '/api/metrics', { as: null })
  assert.match(text, /docket_exports_total\{[^}]*outcome="cut"\} [1-9]/)
})

test('so is one whose export waits behind lists that nobody reads', async () => {
  const cut = toldOf('exportCut')
  const authorization = `Host: localhost\r\nAuthorization: Bearer ${await service.tokenOf()}\r\n`
  const list = `GET /measurement?limit=1000 HTTP/1.1\r\n${authorization}\r\n`
  const socket = await openSocket(service.url)
  const closed = closeOf(socket)
  socket
    .pause()
    .write(
      `${list.repeat(30)}POST /measurement/export HTTP/1.1\r\n${authorization}Content-Length: 0\r\n\r\n`,
    )
  await until('the export is cut', () => toldOf('exportCut') === cut + 1)
  socket.resume()
  await within('its connection ends', closed)
})

test('so is one who takes a kilobyte a second, however long that goes on', async () => {
  const response = await open()
  let isOpen = true
  const broken = new Promise<void>((resolve) => {
    response.once('error', () => {
      isOpen = false
      resolve()
    })
  })
  const sip = async () => {
    while (isOpen) {
      response.read(1024)
      await delay(1_000)
    }
  }
  const sipping = sip()
  await nothingRuns()
  response.resume()
  await broken
  await sipping
})

test('one who reads slowly but steadily gets everything', async () => {
  const whole = await exportOf(service, '/measurement/export')
  const response = await open()
  let bytes = 0
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length
    // Some 6 MB a second.
    await delay((chunk as Buffer).length / 6_000)
  }
  assert.equal(bytes, whole.bytes.length)
  assert.ok(response.complete)
})

test('one caller has half of the places: the next is told so, and others get theirs', async () => {
  const held = [await open(), await open()]
  const refused = await exportOf(service, '/measurement/export')
  assert.equal(refused.status, 503)
  assert.equal(refused.headers['retry-after'], '5')
  const { code, detail } = JSON.parse(refused.text)
  assert.equal(code, 'request.saturated')
  assert.match(detail, /You have 2 of 4 exports running/)
  const other = await exportOf(service, '/item/export', { as: emailOf('auditor') })
  assert.equal(other.status, 200)
  for (const response of held) response.destroy()
  await nothingRuns()
  const again = await open()
  await readToEnd(again)
})

test('an export whose criteria ask to count is told that it does not', async () => {
  for (const $count of [true, false]) {
    const { status, text } = await exportOf(service, '/measurement/export', { body: { $count } })
    assert.equal(status, 400)
    assert.match(text, /"path":"\$count".*manifest=true/)
  }
})
