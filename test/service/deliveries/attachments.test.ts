/** Attachments are stored once for all e-mails of a mailing, and read by link and by delivery. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  findMailing,
  storeAttachments,
} from '../../../src/deliveries/attachments/attachment-store.ts'
import { createAttachmentsOf } from '../../../src/deliveries/channels/email-attachments.ts'
import { removeOldMailings } from '../../../src/deliveries/retention.ts'
import type { TakenDelivery } from '../../../src/deliveries/sending/taken-delivery.ts'
import { openSigner } from '../../../src/deliveries/signed-token.ts'
import {
  mailing,
  queueFor,
  removeMailings,
  shareWithUsers,
} from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await shareWithUsers()
  await removeMailings(service)
})

const data = Buffer.from('a,b\r\n1,"ž"\r\n')
const document = { filename: "Ž'1 (a).csv", mimetype: 'text/csv', data }

const noAudience = { audienceOf: () => '' }

/** The delivery of a mailing with the properties that its documents need. */
const deliveryOf = async (mailingId: number): Promise<TakenDelivery> => {
  const text =
    'SELECT id::int, mailing_id::int, user_id, audience FROM docket.delivery WHERE mailing_id = $1'
  const { rows } = await service.database.pool.query(text, [mailingId])
  return { ...rows[0], has_documents: true }
}

/** Queues a mailing to the administrator and stores its attachments; returns its id. */
const storeMailing = async (event: string) => {
  const { pool } = service.database
  await queueFor(service, [1], {
    id: event,
    data: { ...mailing.data, actor: { id: 1 } },
    attachments: { printableDocuments: ['x'], documentFunctions: ['y'] },
  })
  const { rows } = await pool.query('SELECT id FROM docket.mailing WHERE event = $1', [event])
  const id = Number(rows[0].id)
  const waiting = await findMailing(pool, id)
  assert.deepEqual([waiting?.actor_id, waiting?.requested.printableDocuments], [1, ['x']])
  const documents = [{ attachment: document }, { name: 'x', fault: 'no template' }]
  await Promise.all([1, 2].map(() => storeAttachments(pool, id, '', documents)))
  return id
}

test('attachments are stored once, the e-mail becomes due, and missing documents are listed', async () => {
  const { pool } = service.database
  const id = await storeMailing('one')
  await storeMailing('two')
  const count = async (table: string) =>
    Number((await pool.query(`SELECT count(*) FROM docket.${table}`)).rows[0].count)
  assert.deepEqual([await count('attachment'), await count('attachment_data')], [4, 1])
  const { rows } = await pool.query(
    'SELECT due_at <= now() AS due FROM docket.delivery WHERE mailing_id = $1',
    [id],
  )
  assert.deepEqual(rows, [{ due: true }])
  const signer = await openSigner(pool)
  const deps = { signer, publicUrl: service.url, maxBytes: 1000, ...noAudience }
  const documents = await createAttachmentsOf(deps)(await deliveryOf(id), pool)
  assert.deepEqual(documents, { attachments: [document], links: [], missing: ['x'] })
})

test('an attachment that is too large is sent as a link that is signed and expires', async () => {
  const { pool } = service.database
  const signer = await openSigner(pool)
  const id = await storeMailing('large')
  const deps = { signer, publicUrl: service.url, maxBytes: 1, ...noAudience }
  const { attachments, links } = await createAttachmentsOf(deps)(await deliveryOf(id), pool)
  assert.deepEqual([attachments, links.length, links[0]?.filename], [[], 1, document.filename])
  const answer = await fetch(links[0]?.url ?? '')
  assert.deepEqual([answer.status, Buffer.from(await answer.arrayBuffer())], [200, data])
  assert.equal(
    answer.headers.get('content-disposition'),
    "attachment; filename*=UTF-8''%C5%BD%271%20%28a%29.csv",
  )
  const { id: delivery } = await deliveryOf(id)
  const tokenUntil = (until: string) =>
    signer.sign({ for: 'attachment', delivery, position: 0, until })
  for (const token of [
    tokenUntil('2020-01-01'),
    `${tokenUntil('2099-01-01')}x`,
    'a.b',
    '',
    signer.sign({ for: 'unsubscribe' }),
    signer.sign({ for: 'attachment', mailing: id, position: 0, until: '2099-01-01' }),
  ]) {
    const reply = await service.ask('GET', `/api/attachments?token=${token}`, { as: null })
    assert.equal(reply.status, 404, token)
  }
})

test('a link stops working without its recipient, permission, record or delivery', async () => {
  const { pool } = service.database
  const signer = await openSigner(pool)
  const id = await storeMailing('ended')
  const { id: delivery } = await deliveryOf(id)
  const token = signer.sign({ for: 'attachment', delivery, position: 0, until: '2099-01-01' })
  const status = async () =>
    (await service.ask('GET', `/api/attachments?token=${token}`, { as: null })).status
  const assertEnds = async (change: string, undo: string) => {
    await pool.query(change)
    assert.equal(await status(), 404, change)
    await pool.query(undo)
    assert.equal(await status(), 200, undo)
  }
  const users = (change: string) => `UPDATE records."user" SET ${change} WHERE id = 1`
  for (const [column, value, before] of [
    ['is_blocked', 'true', 'false'],
    ['is_active', 'false', 'true'],
    ['_is_deleted', 'true', 'false'],
  ])
    await assertEnds(users(`${column} = ${value}`), users(`${column} = ${before}`))
  const roleOf = (key: string) => `(SELECT id FROM records.security_role WHERE key = '${key}')`
  await assertEnds(
    users(`security_role_id = ${roleOf('nobody')}`),
    users(`security_role_id = ${roleOf('administrator')}`),
  )
  const records = 'UPDATE records."order" SET _is_deleted ='
  await assertEnds(`${records} true`, `${records} false`)
  await pool.query('DELETE FROM docket.mailing WHERE id = $1', [id])
  assert.equal(await status(), 404)
})

test('an attachment of a delivery is read by its position', async () => {
  const { id } = await deliveryOf(await storeMailing('seen'))
  const read = (position: string) =>
    service.ask('GET', `/api/deliveries/${id}/attachments/${position}`)
  assert.equal((await read('0')).text, data.toString())
  for (const none of ['1', '9', 'x']) assert.equal((await read(none)).status, 404, none)
})

test('old mailings are removed, with documents that no mailing refers to', async () => {
  const { pool } = service.database
  await pool.query(`UPDATE docket.mailing SET created_at = now() - interval '400 days'`)
  await pool.query(`UPDATE docket.attachment_data SET created_at = now() - interval '400 days'`)
  const id = await storeMailing('recent')
  await removeOldMailings(pool, 365)
  const { rows } = await pool.query('SELECT id::int FROM docket.mailing')
  assert.deepEqual(rows, [{ id }])
  assert.equal((await pool.query('SELECT FROM docket.attachment_data')).rowCount, 1)
  await pool.query('DELETE FROM docket.mailing')
  await removeOldMailings(pool, 365)
  assert.equal((await pool.query('SELECT FROM docket.attachment_data')).rowCount, 0)
})
