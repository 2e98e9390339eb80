/** Notifications, e-mails and attachments show only what the role of the recipient may read. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { until } from '../../support/wait.ts'
import {
  type ContractService,
  mailOf,
  mailText,
  secrets,
  shownIn,
  startContracts,
  textsOf,
} from './a-contract-service.ts'

let contracts: ContractService
before(async () => {
  contracts = await startContracts()
})
after(() => contracts.stop())

test('a role that may read everything gets all values in the notification, the e-mail and the attachments', async () => {
  const { content, mail, files: sent } = await contracts.receive('default', 'manager')
  assert.deepEqual(shownIn(content), Object.keys(secrets))
  assert.match(content, /paid/)
  assert.deepEqual(shownIn(mailText(mail)), Object.keys(secrets))
  assert.equal(sent.length, 3)
  assert.deepEqual(shownIn(sent.join(' ')), Object.keys(secrets))
})

test('hidden fields and unreadable records are empty in the notification, the e-mail and the attachments', async () => {
  const { content, mail, files: sent } = await contracts.receive('default', 'limited')
  assert.deepEqual(shownIn(content), [])
  assert.doesNotMatch(content, /paid/)
  assert.match(content, /by Administrator/, 'the actor is shown by name')
  assert.doesNotMatch(content, /admin@example\.com/)
  assert.deepEqual(shownIn(mailText(mail)), [])
  assert.doesNotMatch(mailText(mail), /admin@example\.com/)
  assert.match(mail.text ?? '', /by \.\s*$/m, 'the creator is a link to an unreadable user')
  assert.equal(sent.length, 3)
  assert.deepEqual(shownIn(sent.join(' ')), [])
  assert.doesNotMatch(sent.join(' '), /admin@example\.com/)
  assert.match(sent[0] ?? '', /^sheet/)
})

test('a linked record that the role may read as its creator is shown to its creator', async () => {
  const own = await contracts.create('office', { name: secrets.office }, mailOf('limited'))
  const { content, mail, files: sent } = await contracts.receive('default', 'limited', own)
  assert.deepEqual([shownIn(content), shownIn(mailText(mail))], [['office'], ['office']])
  assert.deepEqual(shownIn(sent.join(' ')), ['office'])
})

test('skipRightsCheck notifies users who may not read the record, without its values', async () => {
  const { content, mail, files: sent } = await contracts.receive('any', 'nobody')
  assert.deepEqual([shownIn(content), shownIn(mailText(mail)), sent], [[], [], []])
})

test('showHidden shows values that the role may not read', async () => {
  const { content, mail, files: sent } = await contracts.receive('shown', 'nobody')
  assert.deepEqual(shownIn(content), Object.keys(secrets))
  assert.deepEqual(shownIn(mailText(mail)), Object.keys(secrets))
  assert.deepEqual(shownIn(sent.join(' ')), Object.keys(secrets))
})

test('the default content names a record by its id when its display field is hidden', async () => {
  const { content } = await contracts.receive('plain', 'limited')
  assert.deepEqual(shownIn(content), [])
  assert.match(content, /New: Contract \d+/)
  assert.match((await contracts.receive('plain', 'manager')).content, /New: Contract TITLESECRET/)
})

test('explain shows the content that each recipient would read', async () => {
  const id = await contracts.create('contract', {
    ...{
      topic: 'default',
      title: secrets.title,
      salary: secrets.salary,
      vault_id: contracts.ids.vault,
    },
    ...{ approver_id: contracts.ids.limited },
  })
  const body = { entityKey: 'contract', entityId: id, operation: 'create' }
  const { entries } = (await contracts.ask('POST', '/api/notifications/explain', { body })).json()
  assert.equal(entries[0].recipients[0].told, true)
  assert.deepEqual(shownIn(JSON.stringify(entries[0].recipients)), [])
})

test('a recipient whose role changes before sending gets the values that the new role may read', async () => {
  const { pool } = contracts.database
  const roleOf = async (name: string) =>
    (
      await pool.query('SELECT security_role_id AS id FROM records."user" WHERE id = $1', [
        contracts.ids[name],
      ])
    ).rows[0].id
  const { files: before } = await contracts.receive('default', 'manager')
  assert.ok(shownIn(before.join(' ')).length > 0)
  const [manager, limited] = [await roleOf('manager'), await roleOf('limited')]
  await pool.query('UPDATE records."user" SET security_role_id = $2 WHERE id = $1', [
    contracts.ids.manager,
    limited,
  ])
  await pool.query(
    `UPDATE docket.delivery SET status = 'queued', due_at = now(), tries = 0 WHERE user_id = $1`,
    [contracts.ids.manager],
  )
  await until(
    'the e-mails are sent again',
    async () =>
      (
        await pool.query(`SELECT FROM docket.delivery WHERE user_id = $1 AND status <> 'sent'`, [
          contracts.ids.manager,
        ])
      ).rowCount === 0,
  )
  const mail = await contracts.newestMail('manager')
  const names = shownIn((await textsOf(mail)).join(' '))
  await pool.query('UPDATE records."user" SET security_role_id = $2 WHERE id = $1', [
    contracts.ids.manager,
    manager,
  ])
  assert.deepEqual(names, [])
})

const notificationsOf = async (name: string): Promise<string> =>
  (await contracts.ask('GET', '/api/notifications?limit=1', { as: mailOf(name) })).text

for (const [name, expected] of [
  ['manager', /Contract TITLESECRET/],
  ['limited', /Contract \d+\)/],
  ['nobody', /Contract \d+\)/],
] as const)
  test(`the notification of a task names its record for ${name} by a field that they may read`, async () => {
    const id = await contracts.create('contract', { title: secrets.title })
    const task = { description: `for ${name}`, assigne_id: contracts.ids[name] }
    const reply = await contracts.ask('POST', `/contract/${id}/task`, { body: task })
    assert.equal(reply.status, 201, reply.text)
    await until('the user is notified', async () =>
      (await notificationsOf(name)).includes(`for ${name}`),
    )
    assert.match(await notificationsOf(name), expected)
  })
