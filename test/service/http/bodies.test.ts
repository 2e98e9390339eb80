/** Bodies and heads of hostile or careless clients: each is rejected with its own error; and what caches may store. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createOrder, invalidPaths, nextNumber, sharedProject } from '../../support/a-project.ts'
import { sendRaw } from '../../support/hostile/raw-http.ts'
import type { Reply } from '../../support/service.ts'

const service = await sharedProject()
const { ask } = service
const authorization = `Authorization: Bearer ${await service.tokenOf()}\r\n`

const send = (head: string, body = '') =>
  sendRaw(service.url, {
    send: `${head}${authorization}Connection: close\r\n\r\n${body}`,
    until: 'closed',
  })

/** Posts bytes unchanged. */
const post = async (
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
): Promise<Reply> => {
  const authorization = { Authorization: `Bearer ${await service.tokenOf()}` }
  const response = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { ...authorization, ...headers },
    body,
  })
  const text = await response.text()
  const json = () => JSON.parse(text)
  return { status: response.status, headers: response.headers, text, json }
}

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)))

describe('media types and encodings of bodies', () => {
  test('a name beyond ASCII is stored as sent, with and without a byte order mark', async () => {
    for (const mark of [[], [0xef, 0xbb, 0xbf]]) {
      const number = nextNumber()
      const reply = await post('/order', bytes(mark, `{"number":"${number}","notes":"Šibenik 😀"}`))
      assert.deepEqual([reply.status, reply.json().notes], [201, 'Šibenik 😀'])
    }
  })

  test('JSON in UTF-8 is accepted by each of its names, and nothing else', async () => {
    for (const [type, encoding, status] of [
      ...['application/json', 'Application/JSON', 'application/merge-patch+json'].map(
        (name) => [name, 'identity', 200] as const,
      ),
      ['application/json; charset=utf-8', 'identity', 200],
      ['application/json; charset="UTF-8"', 'identity', 200],
      ['application/json; charset=utf-16', 'identity', 415],
      ['application/json;charset=latin1', 'identity', 415],
      ['application/json', 'gzip', 415],
      ['text/json', 'identity', 415],
      ['application/jsonp', 'identity', 415],
      ['multipart/form-data; boundary=x', 'identity', 415],
    ] as const) {
      const headers = { 'Content-Type': type, 'Content-Encoding': encoding }
      const reply = await post('/order/search', '{}', headers)
      assert.equal(reply.status, status, `${type} ${encoding}`)
      if (status === 415) assert.equal(reply.json().code, 'request.not-json')
    }
    assert.equal((await post('/order', bytes('{}'), {})).status, 415)
  })

  test('an empty JSON body is no body: a search returns all records, a create gets no fields', async () => {
    assert.equal((await post('/order/search', '')).status, 200)
    assert.deepEqual(invalidPaths(await post('/order', ''), 400), ['', 'number'])
  })

  test('what is not valid UTF-8 is malformed', async () => {
    for (const wrong of [
      // A lone continuation byte, an overlong slash, a surrogate, a character cut short, Latin-1, UTF-16.
      ...[[0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xe9], [0xff, 0xfe, 0x7b, 0x00]],
    ]) {
      const reply = await post('/order', bytes('{"number":"PO-1","notes":"', wrong, '"}'))
      assert.deepEqual([reply.status, reply.json().code], [400, 'request.malformed-json'])
      assert.equal(reply.json().detail, 'The body is not valid UTF-8.')
    }
  })

  // Other places: facts/http/lossless-json.
  test('malformed JSON is a 400 with its line and column', async () => {
    const reply = await post('/order', '{\n"number": "PO-1",\n}')
    assert.deepEqual([reply.status, reply.json().code], [400, 'request.malformed-json'])
    assert.equal(reply.json().detail, 'The JSON is malformed at line 3, column 1.')
  })
})

describe('bodies beyond the size limit are a 413', () => {
  const sized = (size: number) => {
    const start = `{"number":"${nextNumber()}"`
    return `${start}${' '.repeat(size - start.length - 1)}}`
  }

  test('a body of exactly the limit is accepted, one byte more is not', async () => {
    assert.equal((await post('/order', sized(4_194_304))).status, 201)
    const reply = await post('/order', sized(4_194_305))
    assert.deepEqual([reply.status, reply.json().code], [413, 'request.too-large'])
  })

  test('a body without a Content-Length is cut off at the limit too', async () => {
    const chunk = Buffer.from(' '.repeat(50_000))
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })
    const sent = fetch(`${service.url}/order`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await service.tokenOf()}`,
        'Content-Type': 'application/json',
      },
      body: endless,
      duplex: 'half',
    } as RequestInit)
    // The connection is closed while the client still sends, so it may not read the response.
    const outcome = await sent.then(
      (response) => String(response.status),
      () => 'cut',
    )
    assert.match(outcome, /^(413|cut)$/)
    assert.equal((await ask('GET', '/order?limit=1')).status, 200)
  })
})

// Each kind of number: facts/http/lossless-json.
test('a number that would lose digits is rejected by its whole path', async () => {
  const body = `{"number":"PO-1","serial":12345678901234567890,"extra":{"a":[{"b":9007199254740993}]}}`
  assert.deepEqual(invalidPaths(await post('/order', body), 400), ['serial', 'extra.a[0].b'])
})

describe('deep, unusual and dangerous values', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const deep = (levels: number) => `{"number":"${nextNumber()}","extra":${nested(levels)}}`

  test('64 levels of JSON are returned as they were sent', async () => {
    assert.equal(JSON.stringify((await post('/order', deep(64))).json(201).extra), nested(64))
  })

  test('deeper JSON is a 400, also with digits or an Idempotency-Key that must be checked', async () => {
    const json = { 'Content-Type': 'application/json' }
    assert.deepEqual(invalidPaths(await post('/order', deep(80)), 400), ['extra'])
    assert.deepEqual(invalidPaths(await post('/order', deep(90_000)), 400), [''])
    const keyed = await post('/order', deep(90_000), { ...json, 'Idempotency-Key': 'deep' })
    assert.equal(keyed.status, 400)
    const digits = deep(90_000).replace('{', '{"serial":12345678901234567,')
    assert.equal((await post('/order', digits)).status, 400)
  })

  test('__proto__ and constructor are unknown fields, and ordinary names inside json', async () => {
    const odd = '"__proto__":{"is_urgent":true},"constructor":{"prototype":1}'
    const refused = await post('/order', `{"number":"${nextNumber()}",${odd}}`)
    assert.deepEqual(invalidPaths(refused, 400), ['__proto__', 'constructor'])
    const kept = await post('/order', `{"number":"${nextNumber()}","extra":{${odd}}}`)
    assert.ok(kept.text.includes(`"extra":{${odd}}`), kept.text)
    assert.equal(kept.json().is_urgent, false)
  })

  test('a text that is too long for an index is a 422 of its field, on create and on change', async () => {
    const long = Array.from({ length: 20_000 }, (_, index) =>
      String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)),
    ).join('')
    const body = { code: long }
    assert.deepEqual(invalidPaths(await ask('POST', '/supplier', { body }), 422), ['code'])
    const { json } = await ask('POST', '/supplier', { body: { code: long.slice(0, 866) } })
    const changed = await ask('PATCH', `/supplier/${json().id}`, { body })
    assert.deepEqual(invalidPaths(changed, 422), ['code'])
    assert.equal((await createOrder(service, { notes: long })).notes, long)
  })
})

test('a body of length 0 is no body of any type, with a length or in chunks', async () => {
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

test('a body in chunks with another media type is a 415', async () => {
  const head =
    'POST /order HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n'
  assert.equal((await send(head, '2\r\n{}\r\n0\r\n\r\n')).status, 415)
})

describe('the header Host', () => {
  test('given twice is a 400', async () => {
    const { status, text } = await send(
      'GET /order HTTP/1.1\r\nHost: localhost\r\nhOST: localhost\r\n',
    )
    assert.equal(status, 400)
    assert.match(text, /Host is given more than once/)
  })

  test('is an address of this machine in a service with the development issuer, else a 421', async () => {
    for (const [host, status] of [
      ['localhost', 200],
      ['LOCALHOST:3000', 200],
      ['127.0.0.1:3000', 200],
      ['[::1]:3000', 200],
      ['docket.localhost', 200],
      ['localhost.evil.example', 421],
      ['127.0.0.1.nip.io', 421],
      ['10.0.0.1', 421],
      ['', 421],
    ] as const)
      assert.equal((await send(`GET /order HTTP/1.1\r\nHost: ${host}\r\n`)).status, status, host)
    for (const path of ['/api/metrics', '/api/openapi.json'])
      assert.equal((await send(`GET ${path} HTTP/1.1\r\nHost: evil.example\r\n`)).status, 421)
  })
})

test('cache headers forbid storing lists and errors, and allow a record only for its caller with revalidation', async () => {
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

test('a HEAD request whose headers are too large gets a response without a body', async () => {
  const send = `HEAD /order?x=${'x'.repeat(40_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const { status, text } = await sendRaw(service.url, { send, until: 'closed' })
  assert.equal(status, 400)
  assert.match(text, /\r\nContent-Length: [1-9]\d+\r\n/)
  assert.ok(text.endsWith('\r\n\r\n'), text)
})
