/** Bodies of hostile or careless clients: each is rejected with its own error. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOrder, invalidPaths, nextNumber, startProject } from '../../support/a-project.ts'
import type { Reply, TestService } from '../../support/service.ts'

const bodyLimit = 200_000

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await startProject({ BODY_LIMIT_BYTES: String(bodyLimit) })
  ask = service.ask
})
after(() => service.stop())

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

  test('JSON is accepted by each of its names, and nothing else', async () => {
    for (const type of [
      ...['application/json', 'application/json; charset=utf-8', 'Application/JSON'],
      'application/merge-patch+json',
    ]) {
      const reply = await post('/order/search', '{}', { 'Content-Type': type })
      assert.equal(reply.status, 200, type)
    }
    for (const type of [
      ...['text/plain', 'text/json', 'application/xml', 'application/jsonp', 'nonsense'],
      ...['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'],
    ]) {
      const reply = await post('/order', '{"number":"PO-1"}', { 'Content-Type': type })
      assert.deepEqual([reply.status, reply.json().code], [415, 'request.not-json'], type)
    }
  })

  test('a body without a media type is a 415; no body needs no media type', async () => {
    const untyped = await post('/order', bytes('{}'), {})
    assert.equal(untyped.status, 415)
    assert.equal((await ask('POST', '/order/search')).status, 200)
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

  test('any other JSON is not an object of fields', async () => {
    for (const body of ['null', 'true', '5', '"text"', '[]', '[{"number":"PO-1"}]'])
      assert.equal(invalidPaths(await post('/order', body), 400)[0], '', body)
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
    assert.equal((await post('/order', sized(bodyLimit))).status, 201)
    const reply = await post('/order', sized(bodyLimit + 1))
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

describe('numbers that would lose digits are rejected', () => {
  test('by their path', async () => {
    for (const [name, number] of [
      ['serial', '12345678901234567890'],
      ['total', '0.12345678901234567'],
      ['rate', '1e400'],
      ['extra', '1e999'],
    ] as const) {
      const body = `{"number":"${nextNumber()}","${name}":${number}}`
      assert.deepEqual(invalidPaths(await post('/order', body), 400), [name])
    }
  })

  test('a number deep in a json field is rejected by its whole path', async () => {
    const body = `{"number":"PO-1","extra":{"a":[{"b":9007199254740993}]}}`
    assert.deepEqual(invalidPaths(await post('/order', body), 400), ['extra.a[0].b'])
  })
})

describe('deep, unusual and dangerous values', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const deep = (levels: number) => `{"number":"${nextNumber()}","extra":${nested(levels)}}`

  test('64 levels of JSON are returned as they were sent', async () => {
    const reply = await post('/order', deep(64))
    assert.equal(reply.status, 201)
    assert.equal(JSON.stringify(reply.json().extra), nested(64))
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

  test('control characters and lone surrogates are rejected in every kind of text', async () => {
    const unfit = [
      '\u0000',
      'a\u0000b',
      '\u0007',
      '\u001b[2J',
      '\u007f',
      '\ud800',
      '\udc00',
      'a\ud83d',
    ]
    for (const field of ['group', 'notes', 'contact', 'number', 'extra'])
      for (const value of unfit) {
        const body = { number: nextNumber(), [field]: value }
        assert.deepEqual(invalidPaths(await ask('POST', '/order', { body }), 400), [field])
      }
  })

  test('a json field rejects them in names and nested values too', async () => {
    for (const extra of [{ 'a\u0000': 1 }, { a: [{ b: '\ud800' }] }]) {
      const body = { number: nextNumber(), extra }
      assert.deepEqual(invalidPaths(await ask('POST', '/order', { body }), 400), ['extra'])
    }
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
