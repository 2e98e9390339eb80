/** What is stored about a user is given to administrators and to the user, without secrets and what they may not read. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createAs } from '../../support/a-project.ts'
import { mailOf, startMailing } from '../../support/deliveries/a-mailing-project.ts'
import { deskProject } from '../../support/personal-data/a-desk-project.ts'
import { databaseOf } from '../../support/personal-data/stored-marks.ts'

const service = await startMailing(deskProject, { agent: 'agent', own: 'own_remover' })
const { ask, ids } = service
const { rowsOf, settled } = databaseOf(service)
const agent = { as: mailOf('agent') }
const dataOf = (id: number, options: object = {}) => ask('GET', `/api/people/${id}/data`, options)

let ticket = 0
before(async () => {
  ticket = (await createAs(service, 'ticket', { subject: 'A', agent_id: ids.agent }, agent.as)).id
  await createAs(service, 'ticket', { subject: 'B', agent_id: ids.agent })
  await rowsOf(
    `INSERT INTO docket.api_key (name, user_id, digest) VALUES ('till', $1, 'Zq7digest')`,
    ids.agent,
  )
  await rowsOf(
    `INSERT INTO docket.audit (kind, user_id, about_user_id, address)
     VALUES ('signIn', $1, NULL, '192.0.2.7'), ('invite', 1, $1, '192.0.2.9')`,
    ids.agent,
  )
  await rowsOf(`INSERT INTO docket.password (user_id, hash) VALUES ($1, 'Zq7hash')`, ids.agent)
  await rowsOf(`INSERT INTO docket.console_settings VALUES ($1, '{"theme":"dark"}')`, ids.agent)
  await settled()
})

type Kept = { table: string; rows: number; data: Record<string, unknown>[] }

test('administrators get the record, links, and what is kept', async () => {
  const reply = await dataOf(ids.agent)
  const { user, links, kept } = reply.json(200)
  assert.equal(reply.headers.get('cache-control'), 'no-store')
  assert.equal(user.email, mailOf('agent'))
  assert.deepEqual(
    links.map(({ entity, field, rows }: { entity: string; field: string; rows: number }) => [
      entity,
      field,
      rows,
    ]),
    [
      ['ticket', 'agent', 2],
      ['ticket', '_created_by', 1],
      ['ticket', '_updated_by', 1],
    ],
  )
  assert.deepEqual(links[1].ids, [ticket])
  const byTable = new Map(kept.map((one: Kept) => [one.table, one]))
  const table = (name: string) => byTable.get(name) as Kept
  assert.deepEqual(Object.keys(table('api_key').data[0] ?? {}), [
    'created_at',
    'name',
    'scope',
    'last_used_at',
    'expires_at',
    'revoked_at',
  ])
  assert.equal(table('api_key').data[0]?.name, 'till')
  assert.deepEqual(table('console_settings').data, [{ at: null, settings: { theme: 'dark' } }])
  assert.equal(table('notification').rows, 2)
  assert.equal(table('delivery').data[0]?.address, mailOf('agent'))
  assert.deepEqual(
    table('history').data.map(({ operation, entity_id }) => [operation, entity_id]),
    [['create', ticket]],
  )
  // Where others were when they invited the user is theirs.
  assert.deepEqual(
    table('audit')
      .data.map(({ kind, address }) => [kind, address])
      .sort(),
    [
      ['invite', null],
      ['signIn', '192.0.2.7'],
    ],
  )
  assert.ok(!/Zq7(digest|hash)/.test(reply.text))
})

test('users get their own, without rows of the history', async () => {
  const { user, kept } = (await dataOf(ids.agent, agent)).json(200)
  assert.equal(user.id, ids.agent)
  const history = kept.find(({ table }: Kept) => table === 'history')
  assert.deepEqual([history.rows, history.data], [1, []])
  const own = (await dataOf(ids.own, { as: mailOf('own') })).json(200)
  // This role reads no tickets, and its user is hidden from nobody by this.
  assert.deepEqual(own.links, [])
})

test('others get nothing, and the audit says who asked', async () => {
  assert.equal((await dataOf(ids.agent, { as: mailOf('own') })).status, 403)
  assert.equal((await dataOf(4711, { as: mailOf('own') })).status, 403)
  assert.equal((await dataOf(4711)).status, 404)
  assert.deepEqual(
    await rowsOf(
      `SELECT user_id, about_user_id FROM docket.audit WHERE kind = 'exportPerson' ORDER BY id`,
    ),
    [
      { user_id: 1, about_user_id: ids.agent },
      { user_id: ids.agent, about_user_id: ids.agent },
      { user_id: ids.own, about_user_id: ids.own },
    ],
  )
})
