/**
 * Three people try to get what is not theirs: one with few rights, one who was blocked, one with a token of
 * another house. Nothing that they try works, nothing of it is told, and the records are as they were.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose'
import { closeOf, openSocket, sendRaw } from '../hostile/raw-http.ts'
import { projectFiles } from '../support/a-project.ts'
import { type DocketProcess, startDocket } from '../support/docket-process.ts'
import { until, within } from '../support/wait.ts'

const secret = '31337.42'
let docket: DocketProcess
let ask: DocketProcess['ask']
let orderId = 0
let rowsBefore: string
before(async () => {
  const users = {
    ...{ owner: 'buyer', poor: 'clerk', curious: 'buyer', stranger: 'nobody' },
    ...{ registrar: 'registrar', blocked: 'buyer' },
  }
  docket = await startDocket({ files: projectFiles, users })
  ask = docket.ask
  const { status, text, json } = await ask('admin', 'POST', '/order', {
    ...{ number: 'AB-1', notes: '=1+1', margin: secret, contact: 'a@example.com' },
  })
  assert.equal(status, 201, text)
  orderId = json().id
  assert.equal((await ask('owner', 'POST', '/order', { number: 'AB-2' })).status, 201)
  assert.equal((await ask('admin', 'POST', '/salary', { amount: secret })).status, 201)
  rowsBefore = await allRows()
})
after(() => docket.stop())

/** Everything that an attack could have changed. */
const allRows = async (): Promise<string> => {
  const { rows } = await docket.pool.query(
    `SELECT (SELECT json_agg(o ORDER BY id) FROM records."order" o) AS orders, (SELECT json_agg(s ORDER BY id) FROM records.salary s) AS salaries,
       (SELECT json_agg(json_build_object('id', u.id, 'role', u.security_role_id, 'subject', u.identity_provider_user_id) ORDER BY id) FROM records."user" u) AS users`,
  )
  return JSON.stringify(rows)
}

describe('with a token of another house', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = (): JWTPayload => ({
    ...{ sub: 'admin@example.com', iss: 'docket-development', aud: 'docket' },
    ...{ iat: now(), exp: now() + 600 },
  })
  const ownKey = async () =>
    JSON.parse(await readFile(join(docket.directory, '.docket', 'development-issuer.json'), 'utf8'))
  /** Signed with the very key of the service: all the rest has to be right as well. */
  const signed = async (more: object, header: object = {}) => {
    const jwk = await ownKey()
    return new SignJWT({ ...claims(), ...more } as JWTPayload)
      .setProtectedHeader({ alg: 'ES256', kid: jwk.kid, ...header })
      .sign(await importJWK(jwk, 'ES256'))
  }
  const tries: Readonly<Record<string, () => Promise<string>>> = {
    'signed by nobody': async () => `${coded({ alg: 'none' })}.${coded(claims())}.`,
    'signed with the public key as a secret': async () => {
      const { d: _secret, ...publicKey } = await ownKey()
      return new SignJWT(claims())
        .setProtectedHeader({ alg: 'HS256', kid: publicKey.kid })
        .sign(Buffer.from(JSON.stringify(publicKey)))
    },
    'signed by a key that it brings along': async () => {
      const { privateKey, publicKey } = await generateKeyPair('ES256')
      return new SignJWT(claims())
        .setProtectedHeader({ alg: 'ES256', jwk: await exportJWK(publicKey) })
        .sign(privateKey)
    },
    'with other claims than were signed': async () => {
      const [header, , signature] = (await signed({ sub: 'stranger' })).split('.')
      return `${header}.${coded(claims())}.${signature}`
    },
    'that has expired': () => signed({ exp: now() - 600 }),
    'that is not yet valid': () => signed({ nbf: now() + 600 }),
    'for somebody else': () => signed({ aud: 'another' }),
    'of another issuer': () => signed({ iss: 'https://other.example' }),
    'of a number': () => signed({ sub: 12345 }),
    'that ends a session': () => signed({}, { typ: 'logout+jwt' }),
    'that is bound to a key': () => signed({ cnf: { jkt: 'x' } }),
  }
  for (const [what, make] of Object.entries(tries))
    test(`a token ${what} is a 401 that repeats nothing of it`, async () => {
      const token = await make()
      const { status, text } = await ask(null, 'GET', '/order', undefined, token)
      assert.equal(status, 401)
      for (const part of token.split('.')) assert.ok(part === '' || !text.includes(part))
    })

  test('the right token is taken in its header only', async () => {
    const token = docket.tokenOf('admin')
    assert.equal((await ask('admin', 'GET', '/order')).status, 200)
    assert.equal((await ask(null, 'GET', `/order?access_token=${token}`)).status, 401)
    const send = `GET /order HTTP/1.1\r\nHost: localhost\r\nCookie: token=${token}\r\n\r\n`
    assert.equal((await sendRaw(docket.url, { send, until: 'answered' })).status, 401)
  })
})

describe('with few rights', () => {
  const reads: readonly (readonly [method: string, path: string, body?: unknown])[] = [
    ['GET', '/order'],
    ['GET', '/order?sort=margin'],
    ['GET', '/order/1?include=lines'],
    ['GET', '/order/1/history'],
    ['POST', '/order/search', { $select: ['margin'] }],
    ['POST', '/order/search', { $where: { margin: { $gt: '1' } } }],
    ['POST', '/order/search', { $where: { $or: [{ margin: secret }] } }],
    ['POST', '/order/search', { $orderBy: ['-margin'] }],
    ['POST', '/order_line/search', { $select: ['order.margin'] }],
    ['POST', '/order/export', { $select: ['margin'] }],
    ['POST', '/order/export'],
    ['POST', '/order/1/proceedToStep', { action: 'margin' }],
    ['GET', '/salary'],
    ['GET', '/salary/1'],
    ['POST', '/salary/search', {}],
    ['POST', '/salary/export'],
    ['GET', '/salary/1/task'],
    ['POST', '/api/notifications/explain', { entity: 'salary', id: 1 }],
    ['GET', '/api/openapi.json'],
    ['GET', '/api/entities'],
    ['GET', '/api/deliveries'],
    ['GET', '/api/mail'],
    ['GET', '/api/jobs'],
  ]
  for (const [method, path, body] of reads)
    test(`${method} ${path} ${JSON.stringify(body) ?? ''} tells none of them what is hidden`, async () => {
      for (const person of ['curious', 'poor', 'stranger', 'registrar']) {
        const { text, headers, status } = await ask(person, method, path, body)
        assert.ok(status < 500, `${person}: ${status}`)
        const told = text + JSON.stringify([...headers])
        assert.ok(!told.includes('31337'), `${person}: ${told}`)
      }
    })

  test('what the role hides, or others own, cannot be written', async () => {
    const tries: readonly (readonly [
      person: string,
      method: string,
      path: string,
      body?: object,
    ])[] = [
      ['curious', 'PATCH', `/order/${orderId}`, { notes: 'mine' }],
      ['curious', 'DELETE', `/order/${orderId}`],
      ['curious', 'PATCH', '/order/2', { margin: '1' }],
      ['curious', 'PATCH', '/order/2', { _created_by: docket.idOf('curious') }],
      ['poor', 'PATCH', `/order/${orderId}`, { notes: 'mine' }],
      ['poor', 'POST', '/supplier', { code: 'X', _owner: docket.idOf('poor') }],
      ['poor', 'POST', '/order', { number: 'AB-9', margin: '1', id: 1 }],
      ['stranger', 'POST', '/order', { number: 'AB-9' }],
      ['stranger', 'DELETE', '/salary/1'],
      ['stranger', 'POST', '/salary', { amount: '1', __proto__: { amount: '2' }, _version: 9 }],
      ['stranger', 'POST', '/order/1/task', { description: 'mine' }],
      ['stranger', 'POST', '/order/1/restore'],
    ]
    for (const [person, method, path, body] of tries) {
      const { status, text } = await ask(person, method, path, body)
      assert.ok(status >= 400 && status < 500, `${person} ${method} ${path}: ${status} ${text}`)
    }
  })

  test('nobody makes themselves an administrator, not even who keeps the users', async () => {
    const { rows } = await docket.pool.query(
      `SELECT id FROM records.security_role WHERE key = 'administrator'`,
    )
    const administrator = rows[0].id
    for (const person of ['poor', 'stranger', 'registrar'])
      for (const [method, path, body] of [
        ['PATCH', `/user/${docket.idOf(person)}`, { security_role_id: administrator }],
        ['PATCH', '/user/1', { identity_provider_user_id: person }],
        ['PATCH', '/user/1', { is_blocked: true }],
        ['DELETE', '/user/1', undefined],
        ['PATCH', `/security_role/${administrator}`, { key: 'clerk' }],
        ['DELETE', `/security_role/${administrator}`, undefined],
      ] as const) {
        const { status, text } = await ask(person, method, path, body)
        assert.ok(status >= 400 && status < 500, `${person} ${method} ${path}: ${status} ${text}`)
      }
  })

  test('texts are texts: of SQL, of templates, of paths and of sheets', async () => {
    const injection = ["' OR 1=1 --", '$1', "'; DROP TABLE records.order; --", '{{ 7 | times: 6 }}']
    for (const text of injection) {
      const found = await ask('curious', 'POST', '/order/search', { $where: { notes: text } })
      assert.deepEqual(found.json().data, [], text)
      const path = `/order/${encodeURIComponent(text)}`
      assert.ok([400, 404].includes((await ask('curious', 'GET', path)).status), path)
    }
    for (const path of [
      '/order/1/documents/..%2f..%2fetc%2fpasswd',
      '/api/mail/..%2f..%2fdocket.json',
    ])
      assert.ok([403, 404].includes((await ask('curious', 'GET', path)).status), path)
    const sheet = await ask('admin', 'POST', '/order/export', { $select: ['notes'] })
    assert.match(sheet.text, /'=1\+1/)
  })
})

test('a person who is blocked is out at once, also where they are already in', async () => {
  const send = `GET /api/notifications/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${docket.tokenOf('blocked')}\r\n\r\n`
  assert.equal((await ask('blocked', 'GET', '/order')).status, 200)
  const stream = await openSocket(docket.url)
  let heard = ''
  stream.on('data', (part) => {
    heard += part
  })
  const closed = closeOf(stream)
  stream.write(send)
  await until('the stream begins', () => heard.includes('retry: '))
  const blocked = { is_blocked: true }
  const { status } = await ask('admin', 'PATCH', `/user/${docket.idOf('blocked')}`, blocked)
  assert.equal(status, 200)
  for (const [method, path] of [
    ['GET', '/order'],
    ['POST', '/order/export'],
    ['GET', '/api/me'],
    ['GET', '/api/notifications/stream'],
  ] as const)
    assert.equal((await ask('blocked', method, path)).status, 401, path)
  await within('the stream ends', closed)
})

test('a request that two readers could read in two ways is refused, and one for another host', async () => {
  const token = docket.tokenOf('curious')
  const head = (lines: string) =>
    `POST /order/search HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${lines}\r\n\r\n`
  for (const send of [
    `${head('Content-Length: 2\r\nTransfer-Encoding: chunked')}0\r\n\r\n`,
    `${head('Content-Length: 2\r\nContent-Length: 3')}{}`,
    `${head('Transfer-Encoding: chunked, identity')}0\r\n\r\n`,
    `${head('Content-Length: +2')}{}`,
    `${head(' folded\r\nContent-Length: 2')}{}`,
  ])
    assert.equal((await sendRaw(docket.url, { send, until: 'closed' })).status, 400, send)
  const forged = 'GET /order HTTP/1.1\r\nHost: other.example\r\n\r\n'
  assert.equal((await sendRaw(docket.url, { send: forged, until: 'answered' })).status, 421)
})

test('afterwards every record is as it was, and the log tells no secret', async () => {
  assert.equal(await allRows(), rowsBefore)
  assert.equal((await ask('owner', 'GET', '/order/2')).status, 200)
  await until('the log tells of the requests', () => docket.printed().includes('requestAnswered'))
  for (const person of ['admin', 'owner', 'poor', 'blocked'])
    assert.ok(!docket.printed().includes(docket.tokenOf(person).split('.')[2] ?? ''))
  assert.ok(!docket.printed().includes(secret))
})
