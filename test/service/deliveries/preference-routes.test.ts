/** E-mail preferences of a user, and one-click unsubscribe (RFC 8058). */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { openSigner, type Signer } from '../../../src/deliveries/signed-token.ts'
import { invalidPaths } from '../../support/a-project.ts'
import { removeMailings, shareWithUsers } from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let signer: Signer
before(async () => {
  service = await shareWithUsers()
  signer = await openSigner(service.database.pool)
})
beforeEach(() => removeMailings(service))

const path = '/api/notifications/preferences'
const as = 'u2@example.com'
const preference = (operation: string, email: boolean, entity = 'order') => ({
  entity,
  operation,
  email,
})
const save = (body: unknown) => service.ask('PUT', path, { as, body })
const preferences = async (who = as) => (await service.ask('GET', path, { as: who })).json().data

describe('preferences', () => {
  test('list every kind of notification, enabled by default', async () => {
    const reply = await service.ask('GET', path, { as })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.json(), {
      data: [preference('create', true), preference('takeOwnership', true)],
    })
  })

  test('change only for the given kinds and only for the caller', async () => {
    const reply = await save({ data: [preference('create', false)] })
    assert.equal(reply.status, 200)
    const expected = [preference('create', false), preference('takeOwnership', true)]
    assert.deepEqual(reply.json(), { data: expected })
    assert.deepEqual(await preferences(), expected)
    assert.deepEqual(await preferences('u3@example.com'), [
      preference('create', true),
      preference('takeOwnership', true),
    ])
    await save({ data: [preference('takeOwnership', false), preference('create', true)] })
    assert.deepEqual(await preferences(), [
      preference('create', true),
      preference('takeOwnership', false),
    ])
    await save({ data: [] })
    assert.deepEqual(await preferences(), [
      preference('create', true),
      preference('takeOwnership', false),
    ])
  })

  test('are the same after repeated and concurrent requests', async () => {
    const body = { data: [preference('create', false)] }
    const replies = await Promise.all(Array.from({ length: 5 }, () => save(body)))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
    assert.equal((await preferences())[0].email, false)
  })

  const invalid: [title: string, body: unknown, paths: string[]][] = [
    ['an array instead of an object', [preference('create', false)], ['']],
    ['no properties', {}, ['data']],
    ['an object instead of an array', { data: preference('create', false) }, ['data']],
    ['unknown properties', { data: [], dta: 1, x: 2 }, ['dta', 'x']],
    ['entries that are not objects', { data: [null, 'x', []] }, ['data[0]', 'data[1]', 'data[2]']],
    ['empty entries', { data: [{}] }, ['data[0].entity', 'data[0].operation', 'data[0].email']],
    [
      'wrong types',
      { data: [{ entity: ['order'], operation: { x: 1 }, email: 'false' }] },
      ['data[0].entity', 'data[0].operation', 'data[0].email'],
    ],
    [
      'an unknown property',
      { data: [{ ...preference('create', false), emial: true }] },
      ['data[0].emial'],
    ],
    ['an unknown entity', { data: [preference('create', false, 'ordre')] }, ['data[0]']],
    [
      'an operation without notifications',
      { data: [preference('proceedToStep', false)] },
      ['data[0]'],
    ],
    [
      'a duplicate kind',
      { data: [preference('create', false), preference('create', true)] },
      ['data[1]'],
    ],
    ['SQL in the values', { data: [preference("create'; --", false, 'order\0')] }, ['data[0]']],
  ]
  for (const [title, body, paths] of invalid)
    test(`reject a body with ${title}, and do not change`, async () => {
      assert.deepEqual(invalidPaths(await save(body), 400), paths)
      assert.deepEqual(await preferences(), [
        preference('create', true),
        preference('takeOwnership', true),
      ])
    })

  test('suggest a similar property name', async () => {
    const { errors } = (
      await save({ data: [{ ...preference('create', false), emial: true }] })
    ).json()
    assert.match(errors[0].message, /did you mean "email"/)
  })
})

describe('the unsubscribe link', () => {
  const linkTo = (claim: object) =>
    `/api/notifications/unsubscribe?token=${encodeURIComponent(signer.sign(claim))}`
  const claim = { for: 'unsubscribe', user: 2, entity: 'order', operation: 'create' }
  const ask = (method: string, to: string, headers = {}, body?: string) =>
    service.ask(method, to, { as: null, headers, ...(body !== undefined && { body }) })
  const isUnsubscribed = async () => !(await preferences())[0].email

  test('shows a page on GET and changes nothing', async () => {
    for (const method of ['GET', 'HEAD']) {
      const reply = await ask(method, linkTo(claim))
      assert.equal(reply.status, 200)
      assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(reply.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      if (method === 'GET') assert.match(reply.text, /<form method="post">/)
    }
    assert.equal(await isUnsubscribed(), false)
  })

  const posts: [title: string, headers: Record<string, string>, body: string][] = [
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
  for (const [title, headers, body] of posts)
    test(`unsubscribes by a POST with ${title}, and again by a second one`, async () => {
      for (let request = 0; request < 2; request++) {
        const reply = await ask('POST', linkTo(claim), headers, body)
        assert.deepEqual([reply.status, reply.text], [200, 'Done: no more e-mails like this.\n'])
        assert.equal(await isUnsubscribed(), true)
      }
      assert.deepEqual(await preferences(), [
        preference('create', false),
        preference('takeOwnership', true),
      ])
      assert.deepEqual(await preferences('u3@example.com'), [
        preference('create', true),
        preference('takeOwnership', true),
      ])
    })

  test('unsubscribes by a POST without a body', async () => {
    assert.equal((await ask('POST', linkTo(claim))).status, 200)
    assert.equal(await isUnsubscribed(), true)
  })

  test('returns 404 for a token that the service has not signed', async () => {
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
      // Signed by the service for another purpose.
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
    assert.equal(await isUnsubscribed(), false)
    assert.equal((await preferences('u3@example.com'))[0].email, true)
  })

  test('accepts a kind that does not exist any more', async () => {
    const link = linkTo({ ...claim, entity: 'gone' })
    assert.equal((await ask('POST', link)).status, 200)
  })

  test('is valid in every process', async () => {
    const others = await Promise.all([1, 2, 3].map(() => openSigner(service.database.pool)))
    for (const other of others) assert.deepEqual(other.read(signer.sign(claim)), claim)
  })
})
