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

  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/merge-patch+json',
  ])
    test(`${type} is accepted`, async () => {
      const reply = await post('/order/search', '{}', { 'Content-Type': type })
      assert.equal(reply.status, 200)
    })

  for (const type of [
    'text/plain',
    'text/json',
    'application/xml',
    'application/jsonp',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
    'nonsense',
  ])
    test(`${type} is a 415`, async () => {
      const reply = await post('/order', '{"number":"PO-1"}', { 'Content-Type': type })
      assert.deepEqual([reply.status, reply.json().code], [415, 'request.not-json'])
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

  const notUtf8: readonly [string, number[]][] = [
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['a character cut short', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ]
  for (const [what, wrong] of notUtf8)
    test(`${what} is not valid UTF-8`, async () => {
      const reply = await post('/order', bytes('{"number":"PO-1","notes":"', wrong, '"}'))
      assert.deepEqual([reply.status, reply.json().code], [400, 'request.malformed-json'])
      assert.equal(reply.json().detail, 'The body is not valid UTF-8.')
    })

  for (const body of ['null', 'true', '5', '"text"', '[]', '[{"number":"PO-1"}]'])
    test(`${body} is not an object of fields`, async () => {
      assert.equal(invalidPaths(await post('/order', body), 400)[0], '')
    })
})

describe('malformed JSON is a 400 with its line and column', () => {
  for (const [body, place] of [
    ['{"number": nope}', 'line 1, column 12'],
    ['{\n"number": "PO-1",\n}', 'line 3, column 1'],
    ['{"number": "PO-1"} trailing', 'line 1, column 20'],
    ["{'number': 'PO-1'}", 'line 1, column 2'],
  ] as const)
    test(`${JSON.stringify(body)} is malformed at ${place}`, async () => {
      const reply = await post('/order', body)
      assert.deepEqual([reply.status, reply.json().code], [400, 'request.malformed-json'])
      assert.equal(reply.json().detail, `The JSON is malformed at ${place}.`)
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
  for (const [name, number] of [
    ['serial', '12345678901234567890'],
    ['serial', '9007199254740993'],
    ['total', '0.12345678901234567'],
    ['total', '12345678.10000000001'],
    ['rate', '1e400'],
    ['extra', '1e999'],
  ] as const)
    test(`"${name}": ${number} is rejected by its path`, async () => {
      const body = `{"number":"${nextNumber()}","${name}":${number}}`
      assert.deepEqual(invalidPaths(await post('/order', body), 400), [name])
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
    test(`control characters and lone surrogates are rejected in ${field}`, async () => {
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
