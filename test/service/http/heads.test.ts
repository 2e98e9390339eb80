/** Headers that could be misunderstood silently, bodies of length 0, and what caches may store. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createOrder, nextNumber, sharedProject } from '../../support/a-project.ts'
import { sendRaw } from '../../support/hostile/raw-http.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let authorization: string
before(async () => {
  service = await sharedProject()
  authorization = `Authorization: Bearer ${await service.tokenOf()}\r\n`
})

const send = (head: string, body = '') =>
  sendRaw(service.url, {
    send: `${head}${authorization}Connection: close\r\n\r\n${body}`,
    until: 'closed',
  })

describe('the header Host', () => {
  test('given twice is a 400', async () => {
    const { status, text } = await send(
      'GET /order HTTP/1.1\r\nHost: localhost\r\nhOST: localhost\r\n',
    )
    assert.equal(status, 400)
    assert.match(text, /Host is given more than once/)
  })

  for (const [host, status] of [
    ['localhost', 200],
    ['LOCALHOST:3000', 200],
    ['127.0.0.1:3000', 200],
    ['[::1]:3000', 200],
    ['docket.localhost', 200],
    ['evil.example', 421],
    ['localhost.evil.example', 421],
    ['127.0.0.1.nip.io', 421],
    ['10.0.0.1', 421],
    ['', 421],
  ] as const)
    test(`"${host}" gets a ${status} from a service with the development issuer`, async () => {
      for (const path of ['/order', '/api/metrics', '/api/openapi.json']) {
        const answer = await send(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n`)
        assert.equal(answer.status, status, path)
      }
    })
})

describe('a body', () => {
  const post = (headers: string, body: string, path = '/order') =>
    send(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${body.length}\r\n`,
      body,
    )
  const json = 'Content-Type: application/json\r\n'

  for (const [headers, status] of [
    [`${json}Content-Encoding: identity\r\n`, 201],
    [`${json}Content-Encoding: gzip\r\n`, 415],
    [`${json}Content-Encoding: x\r\n`, 415],
    ['Content-Type: application/json; charset=utf-8\r\n', 201],
    ['Content-Type: application/json; charset="UTF-8"\r\n', 201],
    ['Content-Type: application/json; charset=utf-16\r\n', 415],
    ['Content-Type: application/json;charset=latin1\r\n', 415],
  ] as const)
    test(`with ${JSON.stringify(headers)} gets a ${status}`, async () => {
      const answer = await post(headers, `{"number":"${nextNumber()}"}`)
      assert.equal(answer.status, status, answer.text)
      if (status === 415) assert.match(answer.text, /"code":"request.not-json"/)
    })

  test('of length 0 is no body of any type, with a length or in chunks', async () => {
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/json']) {
      const { id } = await createOrder(service)
      const own = `HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n`
      for (const path of ['/order/search', '/order/export', `/order/${id}/takeOwnership`]) {
        const head = `POST ${path} ${own}`
        const measured = await send(`${head}Content-Length: 0\r\n`)
        assert.match(String(measured.status), /^20/, measured.text)
        const chunked = await send(`${head}Transfer-Encoding: chunked\r\n`, '0\r\n\r\n')
        assert.match(String(chunked.status), /^20/, chunked.text)
      }
      const { status } = await send(`DELETE /order/${id} ${own}Content-Length: 0\r\n`)
      assert.equal(status, 204)
    }
  })

  test('in chunks with another media type is a 415', async () => {
    const head =
      'POST /order HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n'
    assert.equal((await send(head, '2\r\n{}\r\n0\r\n\r\n')).status, 415)
  })
})

describe('cache headers', () => {
  test('forbid storing lists and errors, and allow a record only for its caller with revalidation', async () => {
    const { id } = await createOrder(service)
    const cacheControl = async (path: string) =>
      (await service.ask('GET', path)).headers.get('cache-control')
    assert.equal(await cacheControl(`/order/${id}`), 'private, no-cache')
    for (const path of [
      '/order',
      `/order/${id}/history`,
      '/order/999999',
      '/nothing/here/at/all',
      '/api/me',
      '/api/entities',
      '/api/notifications',
      '/api/tasks',
      '/api/deliveries',
      '/api/mail',
    ])
      assert.equal(await cacheControl(path), 'no-store', path)
    const { headers } = await service.ask('GET', `/order/${id}`)
    const again = await service.ask('GET', `/order/${id}`, {
      headers: { 'If-None-Match': headers.get('etag') ?? '' },
    })
    assert.equal(again.status, 304)
    assert.equal(again.headers.get('cache-control'), 'private, no-cache')
  })
})

test('a HEAD request whose headers are too large gets a response without a body', async () => {
  const send = `HEAD /order?x=${'x'.repeat(40_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const { status, text } = await sendRaw(service.url, { send, until: 'closed' })
  assert.equal(status, 400)
  assert.match(text, /\r\nContent-Length: [1-9]\d+\r\n/)
  assert.ok(text.endsWith('\r\n\r\n'), text)
})
