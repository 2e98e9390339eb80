/** Audit events of sign-ins and credentials: each once, without anything that is secret or was typed. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { recordRefusal } from '../../../src/audit/record-audit.ts'
import { createApiKey, revokeApiKey } from '../../../src/auth/callers/api-keys.ts'
import { createLoginCode } from '../../../src/auth/sessions/sign-in.ts'
import { removeOldRows } from '../../../src/database/old-rows.ts'
import { transaction } from '../../../src/database/transaction.ts'
import { insertPerson } from '../../support/a-person.ts'
import { sharedProject } from '../../support/a-project.ts'
import { openBrowser } from '../../support/sessions/a-browser.ts'

const service = await sharedProject()
const { pool } = service.database

const good = 'correct horse battery'
const session = '/console/-/session'
let people = 0

const addPerson = async () => {
  people += 1
  const name = `audited-${people}`
  return { id: await insertPerson(pool, name, 'buyer'), email: `${name}@example.com` }
}

type Event = {
  readonly kind: string
  readonly user_id: number | null
  readonly about_user_id: number | null
  readonly session_id: number | null
  readonly times: number
  readonly address: string | null
  readonly user_agent: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** Events by or about a user, in their order. */
const eventsOf = async (userId: number): Promise<Event[]> => {
  const { rows } = await pool.query<Omit<Event, 'detail'> & { readonly detail: string }>(
    'SELECT * FROM docket.audit a WHERE a.user_id = $1 OR a.about_user_id = $1 ORDER BY a.id',
    [userId],
  )
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }))
}

const kindsOf = async (userId: number) => (await eventsOf(userId)).map(({ kind }) => kind)

const invite = async (userId: number) => {
  const { id, link } = (
    await service.ask('POST', '/api/invitations', { body: { user_id: userId } })
  ).json(201)
  return { id: Number(id), code: new URL(link).hash.replace('#invitation=', '') }
}
const accept = (code: string, browser = openBrowser(service)) =>
  browser.send('POST', '/console/-/invitation/accept', { body: { code, password: good } })
const signIn = (body: object, browser = openBrowser(service)) =>
  browser.send('POST', session, { body, headers: { 'User-Agent': 'Test browser' } })
const byPassword = (name: string, password: string, browser = openBrowser(service)) =>
  browser.send('POST', `${session}/password`, { body: { name, password } })

describe('the audit has once', () => {
  test('an invitation, its acceptance, the password, and the sign-in with its session', async () => {
    const { id } = await addPerson()
    const browser = openBrowser(service)
    await invite(id)
    const { code } = await invite(id)
    ;(await accept(code, browser)).json(200)
    const events = await eventsOf(id)
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['invite', 'invite', 'acceptInvitation', 'setPassword', 'signIn'],
    )
    const [invited, , , set, started] = events
    assert.deepEqual([invited?.user_id, invited?.about_user_id], [1, id])
    assert.deepEqual(set?.detail, { by: 'invitation' })
    assert.deepEqual(started?.detail, { way: 'invitation' })
    const { data } = (await browser.send('GET', '/console/-/sessions')).json(200)
    assert.equal(started?.session_id, data[0].id)
    assert.equal(started?.address, '127.0.0.1')
  })

  test('an invitation that is revoked, and not one that was not there', async () => {
    const { id } = await addPerson()
    const one = await invite(id)
    for (const status of [204, 404])
      assert.equal((await service.ask('DELETE', `/api/invitations/${one.id}`)).status, status)
    assert.deepEqual(await kindsOf(id), ['invite', 'revokeInvitation'])
  })

  test('a password that is changed, and a session that is ended', async () => {
    const { id, email } = await addPerson()
    const browser = openBrowser(service)
    ;(await accept((await invite(id)).code, browser)).json(200)
    const body = { password: good, new_password: 'another horse battery' }
    assert.equal((await browser.send('PUT', '/console/-/password', { body })).status, 204)
    const other = openBrowser(service)
    ;(await byPassword(email, 'another horse battery', other)).json(200)
    const { data } = (await other.send('GET', '/console/-/sessions')).json(200)
    const first = data.find((one: { is_current: boolean }) => !one.is_current)
    assert.equal((await other.send('DELETE', `/console/-/sessions/${first.id}`)).status, 204)
    assert.equal((await other.send('DELETE', session)).status, 204)
    const events = (await eventsOf(id)).slice(4)
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['setPassword', 'signIn', 'endSession', 'endSession'],
    )
    assert.deepEqual(events[0]?.detail, { by: 'change' })
    assert.deepEqual(events[1]?.detail, { way: 'password' })
    assert.equal(events[2]?.session_id, first.id)
  })

  test('an API key that is made and revoked, and a sign-in with it', async () => {
    const { id } = await addPerson()
    const { id: keyId, key } = await transaction(pool, (connection) =>
      createApiKey(connection, { userId: id, name: 'machine' }),
    )
    ;(await signIn({ api_key: key })).json(200)
    for (const isRevoked of [true, false])
      assert.equal(await transaction(pool, (one) => revokeApiKey(one, keyId)), isRevoked)
    const events = await eventsOf(id)
    assert.deepEqual(
      events.map(({ kind, detail }) => [kind, detail]),
      [
        ['createApiKey', { key_id: keyId }],
        ['signIn', { way: 'apiKey' }],
        ['revokeApiKey', { key_id: keyId }],
      ],
    )
    assert.equal(events[1]?.user_agent, 'Test browser')
    // The list names it to administrators, as the page of users does.
    const { data } = (await service.ask('GET', `/api/audit?user=${id}&kind=createApiKey`)).json(200)
    assert.deepEqual(data[0].detail, { key_id: keyId, key_name: 'machine' })
  })

  test('a sign-in by a link, and who became which other user', async () => {
    const { id } = await addPerson()
    const { id: other } = await addPerson()
    const browser = openBrowser(service)
    ;(await signIn({ code: await createLoginCode(pool, id) }, browser)).json(200)
    ;(await signIn({ user_id: other }, browser)).json(200)
    const [started, became] = await eventsOf(id)
    assert.deepEqual([started?.kind, started?.detail], ['signIn', { way: 'link' }])
    assert.deepEqual(
      [became?.kind, became?.user_id, became?.about_user_id],
      ['becomeUser', id, other],
    )
  })
})

describe('a refused sign-in', () => {
  const refusalsOf = async (userId: number) =>
    (await eventsOf(userId)).filter(({ kind }) => kind === 'refuseSignIn')

  test('names the user whose name was given, and counts those that are alike', async () => {
    const { id, email } = await addPerson()
    ;(await accept((await invite(id)).code)).json(200)
    for (const password of ['wrong', 'wrong too']) await byPassword(email, password)
    const refusals = await refusalsOf(id)
    // The minute may have ended between them.
    assert.equal(
      refusals.reduce((sum, { times }) => sum + times, 0),
      2,
    )
    assert.deepEqual(refusals[0]?.detail, { way: 'password', reason: 'wrong' })
    assert.equal(refusals[0]?.user_id, null)
  })

  test('names one who may not sign in, too, and answers them like everybody', async () => {
    const { detail } = (await byPassword('nobody-here@example.com', good)).json(401)
    for (const state of ['is_active = false', 'is_blocked = true']) {
      const { id, email } = await addPerson()
      ;(await accept((await invite(id)).code)).json(200)
      await pool.query(`UPDATE records."user" SET ${state} WHERE id = $1`, [id])
      assert.equal((await byPassword(email, good)).json(401).detail, detail)
      assert.equal((await refusalsOf(id)).length, 1)
    }
  })

  test('has nothing that was typed, and no credential', async () => {
    const typed = ['Secret-As-Name-1', 'Secret-As-Password-2', 'docket_SecretKey3', 'SecretCode4']
    await byPassword(typed[0] ?? '', typed[1] ?? '')
    await signIn({ api_key: typed[2] })
    await signIn({ code: typed[3] })
    await accept(typed[3] ?? '')
    const { rows } = await pool.query<{ text: string }>(
      'SELECT a::text AS text FROM docket.audit a',
    )
    assert.ok(rows.length > 0)
    for (const { text } of rows)
      for (const word of [...typed, good]) assert.ok(!text.includes(word), text)
  })

  test('cannot fill the table: of a minute, those of further addresses are one event', async () => {
    const { id } = await addPerson()
    await pool.query(`DELETE FROM docket.audit WHERE kind = 'refuseSignIn'`)
    for (let at = 0; at < 130; at += 1)
      await recordRefusal(pool, {
        way: 'password',
        reason: 'wrong',
        userId: id,
        origin: { address: `2001:db8::${at}`, userAgent: undefined },
      })
    const { rows } = await pool.query<{ times: number }>(
      `SELECT times FROM docket.audit WHERE kind = 'refuseSignIn' ORDER BY times DESC`,
    )
    // Of one minute or two.
    assert.ok(rows.length <= 122, String(rows.length))
    assert.equal(
      rows.reduce((sum, { times }) => sum + times, 0),
      130,
    )
  })
})

test('events are removed after AUDIT_DAYS', async () => {
  const { id } = await addPerson()
  await invite(id)
  await invite(id)
  await pool.query(
    `UPDATE docket.audit SET at = now() - interval '31 days'
     WHERE id = (SELECT min(a.id) FROM docket.audit a WHERE a.about_user_id = $1)`,
    [id],
  )
  await removeOldRows(pool, 'audit', 30)
  assert.deepEqual(await kindsOf(id), ['invite'])
})
