/** Which e-mails a person wants, and the one click that ends those of a kind (RFC 8058). */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { openSigner, type Signer } from '../../src/deliveries/signed-token.ts'
import { invalidPaths } from '../support/a-project.ts'
import type { TestService } from '../support/service.ts'
import { empty, startWithPeople } from './a-mailing.ts'

let service: TestService
let signer: Signer
before(async () => {
  service = await startWithPeople()
  signer = await openSigner(service.database.pool)
})
after(() => service.stop())
beforeEach(() => empty(service))

const path = '/api/notifications/preferences'
const as = 'u2@example.com'
const wish = (operation: string, email: boolean, entity = 'order') => ({ entity, operation, email })
const save = (body: unknown) => service.ask('PUT', path, { as, body })
const wishes = async (who = as) => (await service.ask('GET', path, { as: who })).json().data

describe('preferences', () => {
  test('every kind of notification is there, and wanted by default', async () => {
    const reply = await service.ask('GET', path, { as })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.json(), { data: [wish('create', true), wish('takeOwnership', true)] })
  })

  test('what is named changes, the rest stays, of nobody else anything', async () => {
    const reply = await save({ data: [wish('create', false)] })
    assert.equal(reply.status, 200)
    const expected = [wish('create', false), wish('takeOwnership', true)]
    assert.deepEqual(reply.json(), { data: expected })
    assert.deepEqual(await wishes(), expected)
    assert.deepEqual(await wishes('u3@example.com'), [
      wish('create', true),
      wish('takeOwnership', true),
    ])
    await save({ data: [wish('takeOwnership', false), wish('create', true)] })
    assert.deepEqual(await wishes(), [wish('create', true), wish('takeOwnership', false)])
    await save({ data: [] })
    assert.deepEqual(await wishes(), [wish('create', true), wish('takeOwnership', false)])
  })

  test('the same twice is the same once, also at the same moment', async () => {
    const body = { data: [wish('create', false)] }
    const replies = await Promise.all(Array.from({ length: 5 }, () => save(body)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
    assert.equal((await wishes())[0].email, false)
  })

  const refused: [title: string, body: unknown, paths: string[]][] = [
    ['no object', [wish('create', false)], ['']],
    ['nothing', {}, ['data']],
    ['no array', { data: wish('create', false) }, ['data']],
    ['unknown properties', { data: [], dta: 1, x: 2 }, ['dta', 'x']],
    ['no objects', { data: [null, 'x', []] }, ['data[0]', 'data[1]', 'data[2]']],
    ['nothing in them', { data: [{}] }, ['data[0].entity', 'data[0].operation', 'data[0].email']],
    [
      'other types',
      { data: [{ entity: ['order'], operation: { x: 1 }, email: 'false' }] },
      ['data[0].entity', 'data[0].operation', 'data[0].email'],
    ],
    [
      'a property too many',
      { data: [{ ...wish('create', false), emial: true }] },
      ['data[0].emial'],
    ],
    ['an entity that there is not', { data: [wish('create', false, 'ordre')] }, ['data[0]']],
    ['an operation without notifications', { data: [wish('proceedToStep', false)] }, ['data[0]']],
    ['a kind twice', { data: [wish('create', false), wish('create', true)] }, ['data[1]']],
    ['text for the database', { data: [wish("create'; --", false, 'order\0')] }, ['data[0]']],
  ]
  for (const [title, body, paths] of refused)
    test(`a body with ${title} is refused, and nothing changes`, async () => {
      assert.deepEqual(invalidPaths(await save(body), 400), paths)
      assert.deepEqual(await wishes(), [wish('create', true), wish('takeOwnership', true)])
    })

  test('a near miss is suggested', async () => {
    const { errors } = (await save({ data: [{ ...wish('create', false), emial: true }] })).json()
    assert.match(errors[0].message, /did you mean "email"/)
  })

  test('nobody has none, and parameters are refused', async () => {
    for (const method of ['GET', 'PUT'])
      assert.equal((await service.ask(method, path, { as: null, body: undefined })).status, 401)
    assert.equal((await service.ask('GET', `${path}?user=3`, { as })).status, 400)
  })
})

describe('the click', () => {
  const linkTo = (claim: object) =>
    `/api/notifications/unsubscribe?token=${encodeURIComponent(signer.sign(claim))}`
  const claim = { for: 'unsubscribe', user: 2, entity: 'order', operation: 'create' }
  const ask = (method: string, to: string, headers = {}, body?: string) =>
    service.ask(method, to, { as: null, headers, ...(body !== undefined && { body }) })
  const isEnded = async () => !(await wishes())[0].email

  test('looking at the address shows a page and changes nothing', async () => {
    for (const method of ['GET', 'HEAD']) {
      const reply = await ask(method, linkTo(claim))
      assert.equal(reply.status, 200)
      assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(reply.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      if (method === 'GET') assert.match(reply.text, /<form method="post">/)
    }
    assert.equal(await isEnded(), false)
  })

  const clicks: [title: string, headers: Record<string, string>, body: string][] = [
    [
      'a form',
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      'List-Unsubscribe=One-Click',
    ],
    [
      'a form of several parts',
      { 'Content-Type': 'multipart/form-data; boundary=x' },
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
    ['an empty form', { 'Content-Type': 'application/x-www-form-urlencoded' }, ''],
    ['anything else', { 'Content-Type': 'text/plain;charset=UTF-8' }, 'x'],
  ]
  for (const [title, headers, body] of clicks)
    test(`a click that sends ${title} ends e-mails of the kind, a second one too`, async () => {
      for (let click = 0; click < 2; click++) {
        const reply = await ask('POST', linkTo(claim), headers, body)
        assert.deepEqual([reply.status, reply.text], [200, 'Done: no more e-mails like this.\n'])
        assert.equal(await isEnded(), true)
      }
      assert.deepEqual(await wishes(), [wish('create', false), wish('takeOwnership', true)])
      assert.deepEqual(await wishes('u3@example.com'), [
        wish('create', true),
        wish('takeOwnership', true),
      ])
    })

  test('a click without a body counts', async () => {
    assert.equal((await ask('POST', linkTo(claim))).status, 200)
    assert.equal(await isEnded(), true)
  })

  test('an address that was not made by the service is none', async () => {
    const [text = '', signature = ''] = signer.sign(claim).split('.')
    const other = Buffer.from(JSON.stringify({ ...claim, user: 3 })).toString('base64url')
    const tokens = [
      '',
      'x',
      '.',
      text,
      `${text}.`,
      `${text}.${'A'.repeat(43)}`,
      `${text}.${signature.slice(0, -2)}`,
      `${other}.${signature}`,
      `.${signature}`,
      // Signed here, for something else.
      signer.sign({ ...claim, for: 'attachment' }),
      signer.sign({}),
    ]
    for (const token of tokens)
      for (const method of ['GET', 'POST']) {
        const to = `/api/notifications/unsubscribe?token=${encodeURIComponent(token)}`
        const reply = await ask(method, to)
        assert.deepEqual(
          [reply.status, reply.json().type],
          [404, 'urn:docket:error:request.no-such-path'],
          token,
        )
      }
    assert.equal((await ask('POST', '/api/notifications/unsubscribe')).status, 404)
    assert.equal(await isEnded(), false)
    assert.equal((await wishes('u3@example.com'))[0].email, true)
  })

  test('a kind that there is no more is ended all the same', async () => {
    const gone = linkTo({ ...claim, entity: 'gone' })
    assert.equal((await ask('POST', gone)).status, 200)
  })

  test('all processes know the addresses of each other', async () => {
    const others = await Promise.all([1, 2, 3].map(() => openSigner(service.database.pool)))
    for (const other of others) assert.deepEqual(other.read(signer.sign(claim)), claim)
  })
})
