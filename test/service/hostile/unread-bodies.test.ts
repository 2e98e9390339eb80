/** Bodies of unknown callers are not read; corpus.test.ts shows what bodies cost. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startProject } from '../../support/a-project.ts'
import { sendRaw } from '../../support/hostile/raw-http.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await startProject()
})
after(() => service.stop())

const megabytes = 4_000_000
const headOf = (path: string, length: number, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${more}Content-Length: ${length}\r\n\r\n`

describe('a body of an unknown caller', () => {
  for (const [path, status] of [
    ['/order', 401],
    ['/order/search', 401],
    ['/x', 401],
    ['/api/notifications/explain', 401],
    ['/a/b/c/d/e/f', 404],
    ['/api/nothing', 404],
    ['/api/health/live', 405],
  ] as const)
    test(`is not read: POST ${path} returns ${status} before the body is complete, and the connection closes`, async () => {
      const send = headOf(path, megabytes) + '['.repeat(1000)
      const { status: received, text } = await sendRaw(service.url, { send, until: 'closed' })
      assert.equal(received, status, text)
      assert.match(text, /\r\nConnection: close\r\n/i)
      assert.match(text, /"code":"/)
    })

  test('is never parsed as a request: bytes after a rejected body are ignored', async () => {
    const token = await service.tokenOf()
    const next = `DELETE /order/1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`
    const body = ' '.repeat(200_000)
    const { text } = await sendRaw(service.url, {
      send: headOf('/order', body.length) + body + next,
      until: 'closed',
    })
    assert.equal(text.split('HTTP/1.1 ').length, 2, text)
  })

  test('does not close the connection when it is short and complete', async () => {
    const send = `${headOf('/order', 2)}{}${headOf('/order', 2, 'Connection: close\r\n')}{}`
    const { text } = await sendRaw(service.url, { send, until: 'closed' })
    assert.equal(text.split('HTTP/1.1 401').length, 3, text)
  })
})
