/** Deliveries are queued with the notification, once for each user, and wait for their documents. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { transaction } from '../../../src/database/transaction.ts'
import {
  awaitAttachments,
  releaseMailing,
} from '../../../src/outbox/attachments/attachment-store.ts'
import { deliveryQueueOf, takeDeliveries } from '../../../src/outbox/delivery.ts'
import { savePreferences } from '../../../src/outbox/preferences/preferences.ts'
import {
  accept,
  mailing,
  type Queued,
  queueFor,
  queueOn,
  removeMailings,
  sendUntil,
  shareWithUsers,
  statuses,
} from '../../support/deliveries/a-mailing.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { within } from '../../support/wait.ts'

const service = await shareWithUsers()
const { pool } = service.database
beforeEach(() => removeMailings(service))

const rowsOf = async (text: string) => (await pool.query(text)).rows
const queue = (userIds: readonly number[], more: Partial<Queued> = {}) =>
  queueFor(service, userIds, more)
const all = [2, 3, 4, 5, 6, 7, 8]

test('each user with an address gets one e-mail, however often it is queued, and the others are returned', async () => {
  assert.deepEqual(await queue([2, 3, 9]), [9])
  assert.deepEqual(await queue([2, 3, 4, 9]), [9])
  assert.deepEqual(await statuses(service), ['queued', 'queued', 'queued'])
  const { sent } = await sendUntil(service, 'sent', accept)
  await queue([2, 3, 4])
  assert.deepEqual(await statuses(service), ['sent', 'sent', 'sent'])
  assert.deepEqual(sent.toSorted(), ['u2@example.com', 'u3@example.com', 'u4@example.com'])
})

test('a transaction that fails queues nothing', async () => {
  const failing = transaction(pool, async (connection) => {
    await queueOn(connection, [2])
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  assert.deepEqual(await rowsOf('SELECT FROM docket.mailing'), [])
})

test('template data is stored unchanged, whatever characters it has', async () => {
  const data = { ...mailing.data, record: { note: 'NUL \u0000 and \ud800 half' } }
  await queue([2], { data })
  const [kept] = await rowsOf('SELECT data FROM docket.mailing')
  assert.deepEqual(JSON.parse(kept?.data), data)
})

test('a user gets no e-mails of the kinds that their preferences exclude', async () => {
  const prefer = (email: 'immediately' | 'never') =>
    savePreferences(pool, 2, [{ entity: 'order', operation: 'create', email }])
  await prefer('never')
  await queue([2, 3])
  await queue([2], { id: 'other', operation: 'takeOwnership' })
  const queued = await rowsOf('SELECT user_id FROM docket.delivery ORDER BY id')
  assert.deepEqual(queued, [{ user_id: 3 }, { user_id: 2 }])
  await prefer('immediately')
  await queue([2], { id: 'third' })
  assert.equal((await statuses(service)).length, 3)
})

describe('e-mails that wait for their documents', () => {
  const attachJobs = `docket.job WHERE kind = 'email.attach'`
  const waiting = `docket.delivery WHERE due_at = 'infinity'`
  const countOf = async (from: string) =>
    Number((await rowsOf(`SELECT count(*) FROM ${from}`))[0].count)
  const waitAndJobs = async () => [await countOf(waiting), await countOf(attachJobs)]
  const removeJobs = () => pool.query('DELETE FROM docket.job')
  const mailingId = async () => (await rowsOf('SELECT id::int FROM docket.mailing'))[0].id
  const withDocument = { attachments: { printableDocuments: ['order'] } }

  /** Lets all due e-mails, or so many, wait for the documents of another audience. */
  const awaitDue = async (limit = 100) => {
    const queue = deliveryQueueOf('email', 8)
    const taken = await takeDeliveries(pool, queue, { limit, leaseSeconds: 30 })
    await Promise.all(taken.map((one) => awaitAttachments(pool, one, 'other')))
    return taken.length
  }

  test('a mailing with attachments waits, and has a job that makes them', async () => {
    await queue([2], { attachments: { printableDocuments: [], documentFunctions: ['x'] } })
    assert.deepEqual(await waitAndJobs(), [1, 1])
    assert.deepEqual(await rowsOf('SELECT state FROM docket.mailing'), [{ state: 'waiting' }])
  })

  test('the e-mails of a mailing that wait for documents share one job', async () => {
    await queue(all)
    assert.equal(await awaitDue(), 7)
    assert.deepEqual(await waitAndJobs(), [7, 1])
    await queue([2, 3, 4], { id: 'other' })
    await awaitDue()
    assert.equal(await countOf(attachJobs), 2)
  })

  test('an e-mail that starts to wait while the job ends is released by it or gets another job', async () => {
    await queue(all)
    const id = await mailingId()
    for (let round = 0; round < 10; round++) {
      assert.equal(await awaitDue(1), 1)
      // The job is running: a job that is added from here on is a new one.
      await removeJobs()
      await Promise.all([awaitDue(), releaseMailing(pool, id)])
      const [left, jobs] = await waitAndJobs()
      assert.ok(left === 0 || jobs === 1, `${left} e-mails wait, and there are ${jobs} jobs`)
      await removeJobs()
      await releaseMailing(pool, id)
    }
  })

  test('an e-mail that is queued while its mailing is released is released too', async () => {
    await queue([2], withDocument)
    const id = await mailingId()
    let release: Promise<void> | undefined
    await transaction(pool, async (connection) => {
      await queueOn(connection, [3], withDocument)
      release = releaseMailing(pool, id)
      await untilWaitingForLock(pool)
    })
    await release
    assert.equal(await countOf(waiting), 0)
  })

  test('batches of one event are queued at the same time', async () => {
    await queue([2], withDocument)
    await transaction(pool, async (connection) => {
      await queueOn(connection, [3], withDocument)
      const other = transaction(pool, (second) => queueOn(second, [4], withDocument))
      await within('the other batch is queued', other)
    })
    assert.deepEqual(await waitAndJobs(), [3, 1])
  })
})
