/** Attachments are created by a job, stored once for all e-mails of a mailing, and read by link and by delivery. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { documentLimitsOf, functionLimitsOf } from '../../../src/config/process-limits.ts'
import { createBatcher } from '../../../src/database/batcher.ts'
import { createTypstEngine } from '../../../src/documents/typst/typst-engine.ts'
import { createProjectFunctions } from '../../../src/functions/project-functions.ts'
import { attachDocumentsOf } from '../../../src/notify/attach-documents.ts'
import { createFunctionServices } from '../../../src/notify/function-calls.ts'
import type { Observation } from '../../../src/observations.ts'
import {
  type CreatedAttachment,
  findMailing,
  storeAttachments,
} from '../../../src/outbox/attachments/attachment-store.ts'
import { createAttachmentsOf } from '../../../src/outbox/channels/compose-delivery.ts'
import { removeOldMailings } from '../../../src/outbox/channels.ts'
import type { TakenDelivery } from '../../../src/outbox/delivery.ts'
import { openSigner } from '../../../src/outbox/signed-token.ts'
import { afterwards } from '../../support/afterwards.ts'
import {
  mailing,
  queueFor,
  removeMailings,
  shareWithUsers,
} from '../../support/deliveries/a-mailing.ts'
import { uploadFile } from '../../support/uploads.ts'

const service = await shareWithUsers()
const { pool } = service.database
const signer = await openSigner(pool)
before(async () => {
  await pool.query(
    `INSERT INTO records.printable_document (code, name, entity_key, template_source) VALUES
     ('endless', 'Endless', 'order', $1), ('invalid', 'Invalid', 'order', '#nothing'),
     ('scripts', 'Scripts', 'order', 'ไทย 😀')`,
    ['#for a in range(1000000) { for b in range(1000000) { let c = a + b } }'],
  )
})
beforeEach(() => removeMailings(service))

const data = Buffer.from('a,b\r\n1,"ž"\r\n')
const document = { filename: "Ž'1 (a).csv", mimetype: 'text/csv', data }
const byAdministrator = { ...mailing.data, actor: { id: 1 } }

const rowsOf = async (text: string) => (await pool.query(text)).rows
const countOf = async (table: string) =>
  Number((await rowsOf(`SELECT count(*) FROM docket.${table}`))[0].count)

/** The delivery of a mailing with the properties that its documents need. */
const deliveryOf = async (mailingId: number): Promise<TakenDelivery> => {
  const [row] = await rowsOf(
    `SELECT id::int, mailing_id::int, user_id, audience FROM docket.delivery WHERE mailing_id = ${mailingId}`,
  )
  return { ...row, has_documents: true }
}

/** What the e-mail of a mailing has, if it may have so many bytes. */
const documentsOf = async (mailingId: number, maxBytes: number, audience = '') => {
  const { blobs } = service.runtime
  const deps = { pool, blobs, signer, publicUrl: service.url, maxBytes }
  return createAttachmentsOf(deps)(await deliveryOf(mailingId), audience)
}

const made = [{ attachment: document }, { name: 'x', fault: 'no template' }]

/** Queues a mailing to the administrator and stores its attachments twice at once; returns its id. */
const storeMailing = async (event: string, documents: readonly CreatedAttachment[] = made) => {
  await queueFor(service, [1], {
    id: event,
    data: byAdministrator,
    attachments: { printableDocuments: ['x'], documentFunctions: ['y'] },
  })
  const [{ id }] = await rowsOf(`SELECT id::int FROM docket.mailing WHERE event = '${event}'`)
  const waiting = await findMailing(pool, id)
  assert.deepEqual([waiting?.actor_id, waiting?.requested.printableDocuments], [1, ['x']])
  await Promise.all([1, 2].map(() => storeAttachments(pool, id, '', documents)))
  return id
}

const statusOf = async (token: string) =>
  (await service.ask('GET', `/api/attachments?token=${token}`, { as: null })).status

test('attachments are stored once and read by their position, the e-mail becomes due, and missing documents are listed', async () => {
  const id = await storeMailing('one')
  await storeMailing('two')
  assert.deepEqual([await countOf('attachment'), await countOf('attachment_data')], [4, 1])
  assert.equal(await countOf('delivery WHERE due_at <= now()'), 2)
  const expected = { attachments: [document], links: [], missing: ['x'] }
  assert.deepEqual(await documentsOf(id, 1000), expected)
  const path = `/api/deliveries/${(await deliveryOf(id)).id}/attachments`
  assert.equal((await service.ask('GET', `${path}/0`)).text, data.toString())
  for (const none of ['1', '9', 'x'])
    assert.equal((await service.ask('GET', `${path}/${none}`)).status, 404, none)
})

test('an attachment that is too large is sent as a link that is signed and expires', async () => {
  const id = await storeMailing('large')
  const { attachments, links } = await documentsOf(id, 1)
  assert.deepEqual([attachments, links.length, links[0]?.filename], [[], 1, document.filename])
  const answer = await fetch(links[0]?.url ?? '')
  assert.deepEqual([answer.status, Buffer.from(await answer.arrayBuffer())], [200, data])
  assert.equal(
    answer.headers.get('content-disposition'),
    `attachment; filename="Z'1 (a).csv"; filename*=UTF-8''%C5%BD%271%20%28a%29.csv`,
  )
  const { id: delivery } = await deliveryOf(id)
  const tokenUntil = (until: string) =>
    signer.sign({ for: 'attachment', delivery, position: 0, until })
  for (const token of [
    tokenUntil('2020-01-01'),
    `${tokenUntil('2099-01-01')}x`,
    signer.sign({ for: 'attachment', mailing: id, position: 0, until: '2099-01-01' }),
  ])
    assert.equal(await statusOf(token), 404, token)
})

test('a file of the record is read from the store: for the e-mail, by its link, and it is missed while it is not there', async () => {
  await uploadFile(service, 'scan.txt', 'Scanned')
  const [file] = await rowsOf(
    `INSERT INTO docket.file (entity_key, entity_id, column_name, sha256, filename, mimetype, bytes, user_id)
     SELECT 'order', 1, 'scan', sha256, filename, mimetype, bytes, 1 FROM docket.upload RETURNING id, sha256`,
  )
  const id = await storeMailing('filed', [{ file }, { file: { id: 0 } }, ...made])
  const scan = { filename: 'scan.txt', mimetype: 'text/plain', data: Buffer.from('Scanned') }
  const expected = { attachments: [scan, document], links: [], missing: ['x'] }
  assert.deepEqual(await documentsOf(id, 1000), expected)
  // What has no room is a link, and the others stay.
  const { attachments, links } = await documentsOf(id, document.data.length)
  assert.deepEqual([attachments, links.map(({ filename }) => filename)], [[scan], ["Ž'1 (a).csv"]])
  const [link] = (await documentsOf(id, 1)).links
  const answer = await fetch(link?.url ?? '')
  assert.deepEqual([answer.headers.get('content-length'), await answer.text()], ['7', 'Scanned'])
  const { id: delivery } = await deliveryOf(id)
  const shown = (await service.ask('GET', `/api/deliveries/${delivery}`)).json().attachments[0]
  assert.deepEqual([shown.filename, shown.size], ['scan.txt', 7])
  await service.runtime.blobs.remove(file.sha256)
  await assert.rejects(
    documentsOf(id, 1000),
    /^DeliveryError: The bytes of its attachment "scan.txt" cannot be read: .+ is missing in .+ docket files --check/,
  )
})

test('a link stops working without its recipient, permission, record or delivery', async () => {
  const id = await storeMailing('ended')
  const { id: delivery } = await deliveryOf(id)
  const token = signer.sign({ for: 'attachment', delivery, position: 0, until: '2099-01-01' })
  const roleOf = (key: string) => `(SELECT id FROM records.security_role WHERE key = '${key}')`
  for (const [table, column, value, before] of [
    ['user', 'is_blocked', 'true', 'false'],
    ['user', 'is_active', 'false', 'true'],
    ['user', '_is_deleted', 'true', 'false'],
    ['user', 'security_role_id', roleOf('nobody'), roleOf('administrator')],
    ['order', '_is_deleted', 'true', 'false'],
  ] as const) {
    const set = (to: string) =>
      pool.query(`UPDATE records."${table}" SET ${column} = ${to} WHERE id = 1`)
    await set(value)
    assert.equal(await statusOf(token), 404, column)
    await set(before)
    assert.equal(await statusOf(token), 200, column)
  }
  await pool.query('DELETE FROM docket.mailing WHERE id = $1', [id])
  assert.equal(await statusOf(token), 404)
})

test('old mailings are removed, with documents that no mailing refers to', async () => {
  await storeMailing('old')
  for (const table of ['mailing', 'attachment_data'])
    await pool.query(`UPDATE docket.${table} SET created_at = now() - interval '400 days'`)
  const id = await storeMailing('recent')
  await removeOldMailings(pool, 365)
  assert.deepEqual(await rowsOf('SELECT id::int FROM docket.mailing'), [{ id }])
  assert.equal(await countOf('attachment_data'), 1)
  await pool.query('DELETE FROM docket.mailing')
  await removeOldMailings(pool, 365)
  assert.equal(await countOf('attachment_data'), 0)
})

describe('a document, for a recipient who may not read all its data,', () => {
  /** Queues a mailing with a document; returns how to run its job, and how many e-mails are due and documents missing. */
  const queueWithDocument = async (code: string, timeoutMs: number) => {
    const { config, runtime } = service
    const observations: Observation[] = []
    const observe = (observation: Observation) => observations.push(observation)
    const opened = { ...runtime.documentsOn(pool), observe }
    const engine = createTypstEngine({ timeZone: 'UTC', ...documentLimitsOf(config), timeoutMs })
    afterwards(() => engine.close())
    const functions = createProjectFunctions({
      files: { document: new Map(), handler: new Map() },
      services: createFunctionServices(opened),
      observe,
      limits: functionLimitsOf(config),
      watch: false,
    })
    const batcher = createBatcher(pool)
    const deps = {
      pool,
      catalog: service.project.catalog,
      timeZone: 'UTC',
      observe,
      functions,
      permissions: runtime.permissions,
      documents: { ...opened, engine },
      batcher,
    }
    const attachments = { printableDocuments: [code], documentFunctions: [] }
    await queueFor(service, [2], { data: byAdministrator, attachments })
    const [{ id }] = await rowsOf('SELECT id::int FROM docket.mailing')
    const { signal } = new AbortController()
    return {
      attempt: (attempt: number) =>
        attachDocumentsOf(deps, { mailing_id: id }, { jobId: '1', attempt, of: 25, signal }),
      dueAndMissing: async () => [
        await countOf('delivery WHERE due_at <= now()'),
        observations.filter(({ kind }) => kind === 'attachmentFailed').length,
      ],
    }
  }

  test('that takes too long is retried', async () => {
    const { attempt, dueAndMissing } = await queueWithDocument('endless', 500)
    for (const number of [1, 2])
      await assert.rejects(attempt(number), /endless: The document "endless" took longer than/)
    assert.deepEqual(await dueAndMissing(), [0, 0])
    await attempt(3)
    assert.deepEqual(await dueAndMissing(), [1, 1])
  })

  test('with letters that no font has is sent, and the delivery says so', async () => {
    const { attempt, dueAndMissing } = await queueWithDocument('scripts', 30_000)
    await attempt(1)
    assert.deepEqual(await dueAndMissing(), [1, 0])
    const [{ id, mailing_id, audience }] = await rowsOf(
      'SELECT id::int, mailing_id::int, audience FROM docket.delivery',
    )
    const { attachments, missing } = await documentsOf(mailing_id, 1_000_000, audience)
    assert.deepEqual([attachments.length, missing], [1, []])
    const shown = (await service.ask('GET', `/api/deliveries/${id}`)).json().attachments[0]
    assert.equal(shown.fault, 'boxes are printed instead of Thai, emoji, because no font has them')
    assert.ok(shown.size > 0)
  })

  test('with an invalid template is not retried', async () => {
    const { attempt, dueAndMissing } = await queueWithDocument('invalid', 30_000)
    await attempt(1)
    assert.deepEqual(await dueAndMissing(), [1, 1])
  })
})
