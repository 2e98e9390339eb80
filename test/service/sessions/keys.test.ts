/** API keys that users make and revoke for themselves, and that administrators revoke. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { insertPerson } from '../../support/a-person.ts'
import { sharedProject } from '../../support/a-project.ts'
import { type Browser, openBrowser } from '../../support/sessions/a-browser.ts'

const service = await sharedProject()
const { pool } = service.database
const good = 'correct horse battery'
const scope = 'supplier:read,export'
let people = 0

/** A user who has signed in with a password. */
const addMember = async () => {
  people += 1
  const name = `keyed-${people}`
  const id = await insertPerson(pool, name, 'buyer')
  const { link } = (await service.ask('POST', '/api/invitations', { body: { user_id: id } })).json(
    201,
  )
  const code = new URL(link).hash.replace('#invitation=', '')
  const browser = openBrowser(service)
  await browser.send('POST', '/console/-/invitation/accept', { body: { code, password: good } })
  return { id, browser, email: `${name}@example.com` }
}

const make = (browser: Browser, body: object) => browser.send('POST', '/console/-/keys', { body })
const listOf = async (browser: Browser) =>
  (await browser.send('GET', '/console/-/keys')).json(200).data
const withKey = (key: string, path: string, method = 'GET') =>
  service.ask(method, path, { as: null, headers: { Authorization: `Bearer ${key}` } })

const auditOf = async (userId: number, kind: string) => {
  const { rows } = await pool.query(
    'SELECT user_id, address IS NOT NULL AS is_placed, detail FROM docket.audit WHERE kind = $1 AND about_user_id = $2 ORDER BY id',
    [kind, userId],
  )
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }))
}

describe('the keys of a user', () => {
  test('are made with a name, a scope and an end, shown once, listed, and revoked at once', async () => {
    const { id, browser } = await addMember()
    const until = '2999-12-31'
    const reply = await make(browser, {
      name: 'Till',
      scope: ' supplier : export, read',
      until,
    })
    const { key, ...made } = reply.json(201)
    assert.equal(reply.headers.get('Cache-Control'), 'no-store')
    assert.deepEqual(
      { ...made, id: 0, created_at: '' },
      {
        id: 0,
        name: 'Till',
        start: key.slice(0, 11),
        scope,
        unknown_entities: [],
        created_at: '',
        last_used_at: null,
        expires_at: '2999-12-31T23:00:00.000Z',
      },
    )
    assert.deepEqual(await listOf(browser), [made])
    assert.equal((await withKey(key, '/supplier')).status, 200)
    assert.equal((await withKey(key, '/order')).status, 404)
    const path = `/console/-/keys/${made.id}`
    assert.equal((await browser.send('DELETE', path)).status, 204)
    assert.equal((await withKey(key, '/supplier')).status, 401)
    assert.deepEqual(await listOf(browser), [])
    assert.equal((await browser.send('DELETE', path)).status, 404)
    assert.deepEqual(
      service.observations.flatMap((one) =>
        one.kind === 'credentialChanged' && one.userId === id
          ? [[one.credential, one.change, one.by]]
          : [],
      ),
      [
        ['API key', 'added', 'user'],
        ['API key', 'removed', 'user'],
      ],
    )
    const detail = { key_id: made.id }
    assert.deepEqual(
      [await auditOf(id, 'createApiKey'), await auditOf(id, 'revokeApiKey')],
      [
        [{ user_id: id, is_placed: true, detail: { ...detail, scope } }],
        [{ user_id: id, is_placed: true, detail }],
      ],
    )
  })

  test('are made after a further proof, and by no key', async () => {
    const { id, browser } = await addMember()
    await pool.query('UPDATE docket.session SET proven_at = NULL WHERE user_id = $1', [id])
    assert.equal((await make(browser, { name: 'Till' })).json(403).code, 'caller.not-proven')
    const { key } = await createApiKey(pool, { userId: id, name: 'whole' })
    assert.equal((await withKey(key, '/console/-/keys', 'POST')).status, 400)
    const headers = { Authorization: `Bearer ${key}` }
    const asked = { as: null, headers, body: { name: 'Further' } }
    assert.equal(
      (await service.ask('POST', '/console/-/keys', asked)).json(404).code,
      'session.unknown',
    )
    const fromKey = openBrowser(service)
    await fromKey.send('POST', '/console/-/session', { body: { api_key: key } })
    assert.equal((await make(fromKey, { name: 'Further' })).json(403).code, 'caller.not-proven')
    // Such a session lasts no longer than the key.
    await fromKey.send('POST', '/console/-/session', { body: { api_key: key } })
    await pool.query('UPDATE docket.api_key SET expires_at = now() WHERE user_id = $1', [id])
    assert.equal((await fromKey.send('GET', '/api/me')).status, 401)
  })

  test('have what is wrong with them named', async () => {
    const { browser } = await addMember()
    const rows: readonly [body: object, path: string, message: RegExp][] = [
      [{ name: 'a\u0000b' }, 'name', /NUL|character/i],
      [{ name: 'Till', scope: 'suplier:read' }, 'scope', /did you mean "supplier"\?/],
      [{ name: 'Till', scope: 'supplier:raed' }, 'scope', /did you mean "read"\?/],
      [{ name: 'Till', until: '2020-01-01' }, 'until', /has not passed/],
      [{ name: 'Till', until: '2999-02-31' }, 'until', /has not passed/],
    ]
    for (const [body, path, message] of rows) {
      const [issue] = (await make(browser, body)).json(400).errors
      assert.deepEqual([issue.path, message.test(issue.message)], [path, true], issue.message)
    }
    assert.deepEqual(await listOf(browser), [])
  })

  test('name the entities of their scope that the project has no more, and have no right on them', async () => {
    const { id, browser } = await addMember()
    const one = { userId: id, name: 'old', scope: 'gone:*;supplier:read' }
    const { key } = await createApiKey(pool, one)
    const [listed] = await listOf(browser)
    assert.deepEqual(listed.unknown_entities, ['gone'])
    assert.equal((await withKey(key, '/supplier')).status, 200)
    assert.deepEqual(Object.keys((await withKey(key, '/api/me')).json(200).permissions), [
      'supplier',
    ])
  })

  test('are seen and revoked by administrators, and by no other user', async () => {
    const [{ id, browser }, other] = [await addMember(), await addMember()]
    const { key, ...made } = (await make(browser, { name: 'Till' })).json(201)
    const path = `/api/accounts/${id}/keys`
    assert.deepEqual((await service.ask('GET', path)).json(200).data, [made])
    assert.equal((await other.browser.send('DELETE', `/console/-/keys/${made.id}`)).status, 404)
    const ofOther = `/api/accounts/${other.id}/keys/${made.id}`
    assert.equal((await service.ask('DELETE', ofOther)).status, 404)
    assert.equal((await withKey(key, '/supplier')).status, 200)
    assert.equal((await service.ask('DELETE', `${path}/${made.id}`)).status, 204)
    assert.equal((await withKey(key, '/supplier')).status, 401)
    assert.deepEqual(
      (await auditOf(id, 'revokeApiKey')).map((one) => one.user_id),
      [1],
    )
  })

  test('are at most 100', async () => {
    const { id, browser } = await addMember()
    await pool.query(
      "INSERT INTO docket.api_key (name, user_id, digest, created_at) SELECT 'one', $1, gen_random_uuid(), now() FROM generate_series(1, 100)",
      [id],
    )
    const [issue] = (await make(browser, { name: 'Till' })).json(400).errors
    assert.match(issue.message, /100 keys already/)
  })
})
