/** E-mail preferences of a user, and one-click unsubscribe (RFC 8058). */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { openSigner } from '../../../src/outbox/signed-token.ts'
import { invalidPaths } from '../../support/a-project.ts'
import { removeMailings, shareWithUsers } from '../../support/deliveries/a-mailing.ts'

const service = await shareWithUsers()
const signer = await openSigner(service.database.pool)
beforeEach(() => removeMailings(service))

const path = '/api/notifications/preferences'
const [as, other] = ['u2@example.com', 'u3@example.com']
type Pace = 'immediately' | 'hourly' | 'daily' | 'never'
const preference = (operation: string, email: Pace, entity = 'order') => ({
  entity,
  operation,
  email,
})
const both = (create: Pace, takeOwnership: Pace) => [
  preference('create', create),
  preference('takeOwnership', takeOwnership),
]
const [on, off] = ['immediately', 'never'] as const
const refused = preference('create', off)
const usual = { dailyAt: '08:00', quietHours: null }
const save = (body: unknown) => service.ask('PUT', path, { as, body })
const preferences = async (who = as) => (await service.ask('GET', path, { as: who })).json().data

describe('preferences', () => {
  test('list every kind of notification, enabled by default', async () => {
    const reply = await service.ask('GET', path, { as })
    assert.deepEqual([reply.status, reply.json()], [200, { data: both(on, on), ...usual }])
  })

  test('change only for the given kinds and only for the caller, also by several requests at once', async () => {
    const [reply = assert.fail()] = await Promise.all(
      [1, 2, 3].map(() => save({ data: [refused] })),
    )
    assert.deepEqual([reply.status, reply.json()], [200, { data: both(off, on), ...usual }])
    assert.deepEqual(await preferences(), both(off, on))
    assert.deepEqual(await preferences(other), both(on, on))
    await save({ data: both(on, 'daily').toReversed() })
    assert.deepEqual(await preferences(), both(on, 'daily'))
    await save({ data: [] })
    assert.deepEqual(await preferences(), both(on, 'daily'))
  })

  test('have times, which are changed alone', async () => {
    const quietHours = { from: '22:00', to: '06:30' }
    const timesAfter = async (times: object) => {
      const { data: _, ...saved } = (await save(times)).json()
      return saved
    }
    assert.deepEqual(await timesAfter({ quietHours }), { dailyAt: '08:00', quietHours })
    assert.deepEqual(await timesAfter({ dailyAt: '07:15' }), { dailyAt: '07:15', quietHours })
    assert.deepEqual(await timesAfter({ quietHours: null }), { dailyAt: '07:15', quietHours: null })
    const wrong = [{ dailyAt: '24:00' }, { dailyAt: '7:00' }, { quietHours: { from: '22:00' } }]
    for (const times of [...wrong, { quietHours: { from: '07:00', to: '07:00' } }])
      assert.equal((await save(times)).status, 400, JSON.stringify(times))
    assert.deepEqual(await timesAfter({}), { dailyAt: '07:15', quietHours: null })
  })

  const ofFirst = (...names: string[]) => names.map((name) => `data[0].${name}`)
  const invalid: readonly [body: unknown, paths: readonly string[]][] = [
    [{ data: [], dta: 1, x: 2 }, ['dta', 'x']],
    [{ data: [null, 'x', []] }, ['data[0]', 'data[1]', 'data[2]']],
    [{ data: [{}] }, ofFirst('entity', 'operation', 'email')],
    [{ data: [{ ...refused, email: false }] }, ['data[0].email']],
    // An unknown entity, an operation without notifications, a kind twice, SQL.
    [{ data: [preference('create', off, 'ordre')] }, ['data[0]']],
    [{ data: [preference('proceedToStep', off)] }, ['data[0]']],
    [{ data: [refused, preference('create', on)] }, ['data[1]']],
    [{ data: [preference("create'; --", off, 'order\0')] }, ['data[0]']],
  ]
  test('an invalid body is rejected and changes nothing', async () => {
    for (const [body, paths] of invalid)
      assert.deepEqual(invalidPaths(await save(body), 400), paths, JSON.stringify(body))
    assert.deepEqual(await preferences(), both(on, on))
  })
})

describe('the unsubscribe link', () => {
  const linkTo = (token: string) =>
    `/api/notifications/unsubscribe?token=${encodeURIComponent(token)}`
  const claim = { for: 'unsubscribe', user: 2, entity: 'order', operation: 'create' }
  const ask = (method: string, to: string, options: object = {}) =>
    service.ask(method, to, { as: null, ...options })
  const link = () => linkTo(signer.sign(claim))

  test('shows a page on GET and changes nothing', async () => {
    for (const method of ['GET', 'HEAD']) {
      const reply = await ask(method, link())
      assert.equal(reply.status, 200)
      assert.equal(reply.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(reply.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      if (method === 'GET') assert.match(reply.text, /<form method="post">/)
    }
    assert.deepEqual(await preferences(), both(on, on))
  })

  test('speaks the language of its user', async () => {
    const { pool } = service.database
    const german = JSON.stringify({ language: 'de' })
    await pool.query('INSERT INTO docket.console_settings (user_id, settings) VALUES (2, $1)', [
      german,
    ])
    const page = await ask('GET', link())
    assert.match(page.text, /<html lang="de">.*<button>Solche E-Mails abbestellen<\/button>/)
    assert.match((await ask('POST', link())).text, /^Erledigt: /)
    await pool.query('DELETE FROM docket.console_settings')
  })

  const part =
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
  test('unsubscribes by a POST with any body or none, and again by a second one', async () => {
    const bodies: readonly (readonly [type: string, body: string] | undefined)[] = [
      ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
      ['multipart/form-data; boundary=x', part],
      ['text/plain;charset=UTF-8', 'x'],
      undefined,
    ]
    for (const given of bodies) {
      await removeMailings(service)
      const options = given && { headers: { 'Content-Type': given[0] }, body: given[1] }
      for (let request = 0; request < 2; request++) {
        const reply = await ask('POST', link(), options)
        assert.deepEqual([reply.status, reply.text], [200, 'Done: no more e-mails like this.\n'])
        assert.deepEqual(await preferences(), both(off, on))
      }
      assert.deepEqual(await preferences(other), both(on, on))
    }
  })

  test('returns 404 for a token that the service has not signed', async () => {
    const [text = '', signature = ''] = signer.sign(claim).split('.')
    const forOther = Buffer.from(JSON.stringify({ ...claim, user: 3 })).toString('base64url')
    const tokens = [
      ...['', 'x', '.', text, `${text}.`, `.${signature}`, `${forOther}.${signature}`],
      ...[`${text}.${'A'.repeat(43)}`, `${text}.${signature.slice(0, -2)}`],
      // Signed by the service for another purpose.
      ...[signer.sign({ ...claim, for: 'attachment' }), signer.sign({})],
    ]
    for (const token of tokens)
      for (const method of ['GET', 'POST']) {
        const reply = await ask(method, linkTo(token))
        assert.deepEqual([reply.status, reply.json().code], [404, 'request.no-such-path'], token)
      }
    assert.equal((await ask('POST', '/api/notifications/unsubscribe')).status, 404)
    for (const user of [as, other]) assert.deepEqual(await preferences(user), both(on, on))
  })

  test('accepts a kind that does not exist any more, and is valid in every process', async () => {
    const gone = { ...claim, entity: 'gone' }
    const elsewhere = await openSigner(service.database.pool)
    assert.equal((await ask('POST', linkTo(elsewhere.sign(gone)))).status, 200)
  })
})
