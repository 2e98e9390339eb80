/** A user is forgotten: their names and addresses, how they sign in, and what was kept for them; what they did stays. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { userTables } from '../../../src/personal-data/user-tables.ts'
import { insertPerson } from '../../support/a-person.ts'
import { createAs } from '../../support/a-project.ts'
import { mailOf, startMailing } from '../../support/deliveries/a-mailing-project.ts'
import { deskProject } from '../../support/personal-data/a-desk-project.ts'
import { databaseOf } from '../../support/personal-data/stored-marks.ts'
import { until } from '../../support/wait.ts'

const service = await startMailing(deskProject, { agent: 'agent', officer: 'officer' })
const { ask, ids } = service
const { pool } = service.database
const { rowsOf, tablesWith, settled } = databaseOf(service)
const officer = { as: mailOf('officer') }

const forget = (id: number, options: object = officer) =>
  ask('POST', `/user/${id}/anonymise`, options)

/** A user whose every text has a mark, with everything that the service may keep for them. */
const addMarked = async (mark: string) => {
  const lower = mark.toLowerCase()
  const id = await insertPerson(pool, lower, 'agent', {
    first_name: `${mark}first`,
    full_name: `${mark}first Example`,
  })
  await pool.query(
    `INSERT INTO docket.session (digest, user_id, expires_at, user_agent) VALUES ('d' || $1, $2, now() + interval '1 hour', $1);`,
    [mark, id],
  )
  for (const [statement, ...values] of [
    [
      `INSERT INTO docket.audit (kind, user_id, address, user_agent) VALUES ('signIn', $1, '192.0.2.7', $2)`,
      id,
      mark,
    ],
    [
      `INSERT INTO docket.audit (kind, about_user_id, address, user_agent) VALUES ('refuseSignIn', $1, '192.0.2.7', $2)`,
      id,
      mark,
    ],
    // What another person did about them came from the browser of that person.
    [
      `INSERT INTO docket.audit (kind, user_id, about_user_id, address, user_agent)
       VALUES ('invite', $1, $2, '192.0.2.9', 'Firefox')`,
      ids.officer,
      id,
    ],
    [`INSERT INTO docket.api_key (name, user_id, digest) VALUES ($1, $2, $1)`, mark, id],
    [`INSERT INTO docket.password (user_id, hash) VALUES ($1, $2)`, id, mark],
    [`INSERT INTO docket.known_browser (user_id, digest) VALUES ($1, $2)`, id, mark],
    [`INSERT INTO docket.calendar_feed (user_id, digest) VALUES ($1, $2)`, id, mark],
    [
      `INSERT INTO docket.console_settings (user_id, settings) VALUES ($1, json_build_object('a', $2::text)::jsonb)`,
      id,
      mark,
    ],
    [
      `INSERT INTO docket.refused_sign_in (subject, email, is_email_verified, name, reason)
       VALUES ('abc', $1, true, $2, 'no user')`,
      mailOf(lower),
      `${mark}first Example`,
    ],
  ] as const)
    await pool.query(statement, [...values])
  return { id, as: mailOf(lower) }
}

describe('a user', () => {
  const mark = 'Zq7person'
  let user = { id: 0, as: '' }
  let ticket = 0
  before(async () => {
    user = await addMarked(mark)
    const body = { subject: 'A', agent_id: ids.agent }
    const headers = { 'Idempotency-Key': mark }
    ticket = (await ask('POST', '/ticket', { body, headers, as: user.as })).json(201).id
    const customer = await createAs(service, 'customer', aCustomer('1'), user.as)
    const action = { action: 'close', comment: `Yours, ${mark}first Example` }
    await ask('POST', `/customer/${customer.id}/proceedToStep`, { body: action, as: user.as })
    await settled()
    assert.ok((await tablesWith(mark)).length >= 12)
  })

  test('is forgotten in every table, and cannot sign in any more', async () => {
    assert.equal((await forget(user.id)).status, 200)
    await settled()
    assert.deepEqual(await tablesWith(mark), [])
    const { is_active, full_name, username, email, identity_provider_user_id } = (
      await ask('GET', `/user/${user.id}`)
    ).json(200)
    const name = `anonymised-${user.id}`
    assert.deepEqual(
      { is_active, full_name, username, email, identity_provider_user_id },
      {
        is_active: false,
        full_name: name,
        username: `${name}@example.invalid`,
        email: `${name}@example.invalid`,
        identity_provider_user_id: name,
      },
    )
    // This is a refused sign-in again, of which the service tells administrators for a month.
    assert.equal((await ask('GET', '/api/me', { as: user.as })).status, 401)
  })

  test('has done what they did', async () => {
    assert.equal((await ask('GET', `/ticket/${ticket}`)).json(200)._created_by, user.id)
    const [entry] = (await ask('GET', `/ticket/${ticket}/history`)).json(200).data
    assert.deepEqual(entry.user, { id: user.id, full_name: `anonymised-${user.id}` })
    const [{ comment }] = await rowsOf(
      `SELECT comment FROM docket.history WHERE comment IS NOT NULL`,
    )
    assert.equal(comment, `Yours, anonymised-${user.id}`)
    const [{ message }] = await rowsOf(
      `SELECT content->>'message' AS message FROM docket.notification WHERE user_id = $1`,
      ids.agent,
    )
    assert.ok(message.endsWith(`(anonymised-${user.id})`), message)
    const byOfficer = { user_id: ids.officer, about_user_id: user.id }
    const audit = await rowsOf(
      'SELECT kind, user_id, about_user_id, address, user_agent FROM docket.audit WHERE user_id IS NOT NULL ORDER BY id',
    )
    assert.deepEqual(audit, [
      { kind: 'signIn', user_id: user.id, about_user_id: null, address: null, user_agent: null },
      { ...byOfficer, kind: 'invite', address: '192.0.2.9', user_agent: 'Firefox' },
      { ...byOfficer, kind: 'anonymise', address: null, user_agent: null },
    ])
  })
})

const aCustomer = (code: string, more: object = {}) => ({
  code,
  first_name: 'Some',
  last_name: 'Body',
  mail: `some${code}@example.com`,
  born_on: '1990-01-01',
  ...more,
})

describe('what is on its way', () => {
  const isRepeated = () =>
    until('the texts are removed once', async () => {
      const rows = await rowsOf(
        `SELECT FROM docket.job WHERE kind = 'personalData.forget' AND payload->>'before' IS NOT NULL`,
      )
      return rows.length > 0
    })

  test('is found too: what a transaction writes that began before', async () => {
    const mark = 'Zq7tardy'
    const user = await addMarked(mark)
    const late = await pool.connect()
    await late.query('BEGIN')
    await late.query(
      `INSERT INTO docket.notification (_id, timestamp, user_id, entity_id, entity_key, content)
       VALUES (gen_random_uuid(), now(), $1, 1, 'ticket', $2)`,
      [ids.agent, JSON.stringify({ title: `By ${mark}first Example` })],
    )
    await forget(user.id)
    await isRepeated()
    await late.query('COMMIT')
    late.release()
    await settled()
    assert.deepEqual(await tablesWith(mark), [])
  })

  test('is found too: a message that is being sent', async () => {
    const mark = 'Zq7sending'
    const user = await addMarked(mark)
    const body = { subject: 'B', agent_id: ids.agent }
    await ask('POST', '/ticket', { body, as: user.as })
    await settled()
    const [{ id }] = await rowsOf(
      `UPDATE docket.delivery d SET status = 'sending', due_at = now() + interval '1 hour'
       FROM docket.mailing m
       WHERE m.id = d.mailing_id AND m.data::text LIKE $1 AND d.user_id = $2 RETURNING d.id`,
      `%${mark}%`,
      ids.agent,
    )
    await forget(user.id)
    await isRepeated()
    assert.ok((await tablesWith(mark)).includes('docket.mailing'))
    await rowsOf(`UPDATE docket.delivery SET status = 'sent' WHERE id = $1`, id)
    await settled()
    assert.deepEqual(await tablesWith(mark), [])
  })
})

test('who has left leaves nothing either in the records that were handed over', async () => {
  const mark = 'Zq7leaver'
  const user = await addMarked(mark)
  const body = { subject: 'C', agent_id: user.id }
  const ticket = (await ask('POST', '/ticket', { body })).json(201).id
  // Later it would be for nobody.
  await settled()
  const left = await ask('POST', `/api/accounts/${user.id}/leave`, { body: { to: ids.agent } })
  assert.equal(left.json(200).items.length, 1)
  await settled()
  assert.equal((await forget(user.id)).status, 200)
  await settled()
  assert.deepEqual(await tablesWith(mark), [])
  const { data } = (await ask('GET', `/ticket/${ticket}/history`)).json(200)
  assert.ok(data.some(({ comment }: { comment: string | null }) => comment?.includes('has left')))
})

describe('who may do it', () => {
  test('administrators are forgotten by administrators alone, and nobody by themselves', async () => {
    const other = await insertPerson(pool, 'other-admin', 'administrator')
    assert.equal((await forget(other)).status, 403)
    assert.equal((await forget(ids.officer)).status, 403)
    assert.equal((await forget(1, {})).status, 403)
    assert.equal((await forget(other, {})).status, 200)
  })

  test('a second one at once waits, and both are done', async () => {
    const id = await insertPerson(pool, 'twice', 'agent')
    const replies = await Promise.all([forget(id), forget(id)])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    )
  })
})

test('every table with users is one of those that say what becomes of them', async () => {
  const tables = await rowsOf(
    `SELECT DISTINCT c.relname AS name
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relnamespace = 'docket'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attname LIKE '%user_id' AND NOT a.attisdropped
     ORDER BY 1`,
  )
  assert.deepEqual(
    tables.map(({ name }) => name),
    userTables.map(({ name }) => name).toSorted(),
  )
})
