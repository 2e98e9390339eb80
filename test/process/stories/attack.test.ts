/**
 * Three users try to access what they may not: one with few permissions, one who was blocked, one with a token
 * from elsewhere. Every attempt fails and reveals nothing, and the records are unchanged.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose'
import { projectFiles } from '../../support/a-project.ts'
import { type DocketProcess, startDocket } from '../../support/docket-process.ts'
import { closeOf, openSocket, sendRaw } from '../../support/hostile/raw-http.ts'
import { until, within } from '../../support/wait.ts'

const secret = '31337.42'
let docket: DocketProcess
let ask: DocketProcess['ask']
let orderId = 0
let rowsBefore: string
before(async () => {
  const users = {
    ...{ owner: 'buyer', clerk: 'clerk', otherBuyer: 'buyer', nobody: 'nobody' },
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

describe('with a foreign token', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const coded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = (): JWTPayload => ({
    ...{ sub: 'admin@example.com', iss: 'docket-development', aud: 'docket' },
    ...{ iat: now(), exp: now() + 600 },
  })
  const ownKey = async () =>
    JSON.parse(await readFile(join(docket.directory, '.docket', 'development-issuer.json'), 'utf8'))
  /** Signed with the key of the service: everything else has to be valid too. */
  const signed = async (more: object, header: object = {}) => {
    const jwk = await ownKey()
    return new SignJWT({ ...claims(), ...more } as JWTPayload)
      .setProtectedHeader({ alg: 'ES256', kid: jwk.kid, ...header })
      .sign(await importJWK(jwk, 'ES256'))
  }
  const tries: Readonly<Record<string, () => Promise<string>>> = {
    'without a signature': async () => `${coded({ alg: 'none' })}.${coded(claims())}.`,
    'signed with the public key as a secret': async () => {
      const { d: _secret, ...publicKey } = await ownKey()
      return new SignJWT(claims())
        .setProtectedHeader({ alg: 'HS256', kid: publicKey.kid })
        .sign(Buffer.from(JSON.stringify(publicKey)))
    },
    'signed by a key in its own header': async () => {
      const { privateKey, publicKey } = await generateKeyPair('ES256')
      return new SignJWT(claims())
        .setProtectedHeader({ alg: 'ES256', jwk: await exportJWK(publicKey) })
        .sign(privateKey)
    },
    'with claims that were changed after signing': async () => {
      const [header, , signature] = (await signed({ sub: 'nobody' })).split('.')
      return `${header}.${coded(claims())}.${signature}`
    },
    'that has expired': () => signed({ exp: now() - 600 }),
    'that is not yet valid': () => signed({ nbf: now() + 600 }),
    'for another audience': () => signed({ aud: 'another' }),
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

  test('a valid token is accepted only in its header', async () => {
    const token = docket.tokenOf('admin')
    assert.equal((await ask('admin', 'GET', '/order')).status, 200)
    assert.equal((await ask(null, 'GET', `/order?access_token=${token}`)).status, 401)
    const send = `GET /order HTTP/1.1\r\nHost: localhost\r\nCookie: token=${token}\r\n\r\n`
    assert.equal((await sendRaw(docket.url, { send, until: 'answered' })).status, 401)
  })
})

describe('with few permissions', () => {
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
    test(`${method} ${path} ${JSON.stringify(body) ?? ''} reveals hidden values to none of them`, async () => {
      for (const user of ['otherBuyer', 'clerk', 'nobody', 'registrar']) {
        const { text, headers, status } = await ask(user, method, path, body)
        assert.ok(status < 500, `${user}: ${status}`)
        const response = text + JSON.stringify([...headers])
        assert.ok(!response.includes('31337'), `${user}: ${response}`)
      }
    })

  test('hidden fields and records of others cannot be written', async () => {
    const tries: readonly (readonly [user: string, method: string, path: string, body?: object])[] =
      [
        ['otherBuyer', 'PATCH', `/order/${orderId}`, { notes: 'mine' }],
        ['otherBuyer', 'DELETE', `/order/${orderId}`],
        ['otherBuyer', 'PATCH', '/order/2', { margin: '1' }],
        ['otherBuyer', 'PATCH', '/order/2', { _created_by: docket.idOf('otherBuyer') }],
        ['clerk', 'PATCH', `/order/${orderId}`, { notes: 'mine' }],
        ['clerk', 'POST', '/supplier', { code: 'X', _owner: docket.idOf('clerk') }],
        ['clerk', 'POST', '/order', { number: 'AB-9', margin: '1', id: 1 }],
        ['nobody', 'POST', '/order', { number: 'AB-9' }],
        ['nobody', 'DELETE', '/salary/1'],
        ['nobody', 'POST', '/salary', { amount: '1', __proto__: { amount: '2' }, _version: 9 }],
        ['nobody', 'POST', '/order/1/task', { description: 'mine' }],
        ['nobody', 'POST', '/order/1/restore'],
      ]
    for (const [user, method, path, body] of tries) {
      const { status, text } = await ask(user, method, path, body)
      assert.ok(status >= 400 && status < 500, `${user} ${method} ${path}: ${status} ${text}`)
    }
  })

  test('no user can become an administrator, not even one who manages users', async () => {
    const { rows } = await docket.pool.query(
      `SELECT id FROM records.security_role WHERE key = 'administrator'`,
    )
    const administrator = rows[0].id
    for (const user of ['clerk', 'nobody', 'registrar'])
      for (const [method, path, body] of [
        ['PATCH', `/user/${docket.idOf(user)}`, { security_role_id: administrator }],
        ['PATCH', '/user/1', { identity_provider_user_id: user }],
        ['PATCH', '/user/1', { is_blocked: true }],
        ['DELETE', '/user/1', undefined],
        ['PATCH', `/security_role/${administrator}`, { key: 'clerk' }],
        ['DELETE', `/security_role/${administrator}`, undefined],
      ] as const) {
        const { status, text } = await ask(user, method, path, body)
        assert.ok(status >= 400 && status < 500, `${user} ${method} ${path}: ${status} ${text}`)
      }
  })

  test('injected SQL, templates, paths and formulas are stored as text', async () => {
    const injection = ["' OR 1=1 --", '$1', "'; DROP TABLE records.order; --", '{{ 7 | times: 6 }}']
    for (const text of injection) {
      const found = await ask('otherBuyer', 'POST', '/order/search', { $where: { notes: text } })
      assert.deepEqual(found.json().data, [], text)
      const path = `/order/${encodeURIComponent(text)}`
      assert.ok([400, 404].includes((await ask('otherBuyer', 'GET', path)).status), path)
    }
    for (const path of [
      '/order/1/documents/..%2f..%2fetc%2fpasswd',
      '/api/mail/..%2f..%2fdocket.json',
    ])
      assert.ok([403, 404].includes((await ask('otherBuyer', 'GET', path)).status), path)
    const sheet = await ask('admin', 'POST', '/order/export', { $select: ['notes'] })
    assert.match(sheet.text, /'=1\+1/)
  })
})

test('a blocked user loses access immediately, also on an open stream', async () => {
  const send = `GET /api/notifications/stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${docket.tokenOf('blocked')}\r\n\r\n`
  assert.equal((await ask('blocked', 'GET', '/order')).status, 200)
  const stream = await openSocket(docket.url)
  let received = ''
  stream.on('data', (part) => {
    received += part
  })
  const closed = closeOf(stream)
  stream.write(send)
  await until('the stream begins', () => received.includes('retry: '))
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

test('an ambiguous request is rejected, and so is one for another host', async () => {
  const token = docket.tokenOf('otherBuyer')
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

test('afterwards every record is unchanged, and the log contains no secret', async () => {
  assert.equal(await allRows(), rowsBefore)
  assert.equal((await ask('owner', 'GET', '/order/2')).status, 200)
  await until('the log contains the requests', () => docket.printed().includes('requestAnswered'))
  for (const user of ['admin', 'owner', 'clerk', 'blocked'])
    assert.ok(!docket.printed().includes(docket.tokenOf(user).split('.')[2] ?? ''))
  assert.ok(!docket.printed().includes(secret))
})
