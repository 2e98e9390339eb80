/** What a person wants hourly or daily, or gets in quiet hours, comes in one e-mail at their time, exactly once. */
import assert from 'node:assert/strict'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { before, beforeEach, test } from 'node:test'
import {
  mailing,
  queueFor,
  removeMailings,
  shareWithUsers,
  startSenders,
} from '../../support/deliveries/a-mailing.ts'
import { mailsOf } from '../../support/deliveries/a-mailing-project.ts'
import { until } from '../../support/wait.ts'

const service = await shareWithUsers()
const { pool } = service.database
const as = 'u2@example.com'
let folder: string
before(() => {
  folder = join(service.config.PROJECT, '.docket', 'mail')
})
beforeEach(async () => {
  await removeMailings(service)
  await pool.query('DELETE FROM docket.console_settings')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
})

const choose = async (email: string, times: object = {}) => {
  const data = [{ entity: 'order', operation: 'create', email }]
  const path = '/api/notifications/preferences'
  assert.equal((await service.ask('PUT', path, { as, body: { data, ...times } })).status, 200)
}
const rows = async (columns: string, where = 'true') =>
  (await pool.query(`SELECT ${columns} FROM docket.delivery WHERE ${where} ORDER BY id`)).rows
/** Makes what waits for a time due now. */
const passTime = () =>
  pool.query(
    `UPDATE docket.delivery SET due_at = now() WHERE due_at > now() AND due_at <> 'infinity'`,
  )
const environment = { PUBLIC_URL: 'https://docket.example.com' }
const start = () => startSenders(service, environment)
const isDone = async () =>
  (await rows('status')).every(({ status }) => status === 'sent' || status === 'dead')
const titled = (id: string, title: string, more: object = {}) =>
  queueFor(service, [2], { id, title, ...more })

test('what waits comes in one e-mail in the language of its reader, and is sent with it', async () => {
  await choose('daily')
  await service.ask('PATCH', '/console/-/settings.json', { as, body: { language: 'de' } })
  for (const id of ['a', 'b', 'c']) await titled(id, `Notice ${id} <b>`)
  await queueFor(service, [3], { id: 'a' })
  const stop = await start()
  await until('the other one is sent', async () => (await mailsOf(service)).length === 1)
  const waiting = await rows('due_at::text', `user_id = 2 AND status = 'queued'`)
  assert.equal(waiting.length, 4)
  assert.equal(waiting.filter(({ due_at: dueAt }) => dueAt === 'infinity').length, 3)
  await passTime()
  await until('all are sent', isDone)
  await stop()
  const digests = (await mailsOf(service)).filter(({ subject }) => subject?.includes('(3)'))
  assert.equal(digests.length, 1)
  const [digest] = digests
  assert.match(digest?.subject ?? '', /: Benachrichtigungen \(3\)$/)
  for (const id of ['a', 'b', 'c'])
    assert.match(digest?.html || '', new RegExp(`Notice ${id} &lt;b&gt;`))
  assert.match(digest?.html || '', /href="[^"]*\/console\/-\/settings"/)
  const lines = digest?.headerLines.map(({ key }) => key) ?? []
  for (const name of ['auto-submitted', 'list-unsubscribe', 'list-unsubscribe-post'])
    assert.ok(lines.includes(name), name)
  const line = digest?.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line ?? ''
  const [, link = ''] = /<(.*)>/.exec(line.replaceAll(/\s+/g, '')) ?? []
  const { pathname, search } = new URL(link)
  assert.equal((await service.ask('POST', pathname + search, { as: null })).status, 200)
  const { data } = (await service.ask('GET', '/api/notifications/preferences', { as })).json()
  assert.deepEqual(
    data.map(({ email }: { email: string }) => email),
    ['never', 'immediately'],
  )
  const sent = await rows('sent_at IS NOT NULL AS sent', 'user_id = 2')
  assert.deepEqual(sent, Array(4).fill({ sent: true }))
  // Composed again where its message is not kept any more.
  await pool.query('DELETE FROM docket.sent_message')
  const [{ id } = assert.fail()] = await rows('id', `user_id = 2 AND digest_id IS NULL`)
  const { as_sent: asSent, subject } = (
    await service.ask('GET', `/api/deliveries/${id}/message`)
  ).json(200)
  assert.deepEqual([asSent, subject], [false, digest?.subject])
})

test('eight senders send one digest of many, and a digest that is being sent takes no more', async () => {
  await choose('daily')
  for (let index = 0; index < 20; index++) await titled(`many ${index}`, `Notice ${index}`)
  await passTime()
  const stops = await Promise.all(Array.from({ length: 8 }, start))
  await until('all are sent', isDone)
  assert.deepEqual(
    (await mailsOf(service)).map(({ subject }) => /\(\d+\)/.exec(subject ?? '')?.[0]),
    ['(20)'],
  )
  // The digest of this day is closed.
  await titled('late', 'Late')
  await until('the late one is sent by itself', async () => (await mailsOf(service)).length === 2)
  await Promise.all(stops.map((stop) => stop()))
  assert.deepEqual(await rows('status', 'digest_id IS NULL'), Array(2).fill({ status: 'sent' }))
})

test('a digest whose process was killed is sent by another one, with what it had', async () => {
  await choose('daily')
  await titled('one', 'Notice one')
  // As the killed process left it: taken, closed, and its lease not renewed.
  await pool.query(`UPDATE docket.mailing SET state = 'closed' WHERE entry = 'digest'`)
  await pool.query(
    `UPDATE docket.delivery SET status = 'sending', tries = 1, due_at = now() - interval '1 minute' WHERE due_at <> 'infinity'`,
  )
  await titled('two', 'Notice two')
  const stop = await start()
  await until('all are sent', isDone)
  await stop()
  const subjects = (await mailsOf(service)).map(({ subject }) => subject).toSorted()
  assert.equal(subjects.length, 2)
  // One notice alone is a digest, too: the first attempt may have sent it.
  assert.match(subjects[0] ?? '', /\(1\)$/)
  assert.equal(subjects[1], 'Notice two')
})

test('what may not be read any more is left out; one alone is sent as itself, and an empty digest is not sent', async () => {
  const setRole = (key: string) =>
    pool.query(
      `UPDATE records."user" SET security_role_id = (SELECT id FROM records.security_role WHERE key = '${key}') WHERE id = 2`,
    )
  await choose('daily')
  await titled('first', 'Notice 1')
  await passTime()
  const stop = await start()
  await until('it is sent', isDone)
  assert.deepEqual(
    (await mailsOf(service)).map(({ subject }) => subject),
    ['Notice 1'],
  )
  assert.deepEqual(await rows('digest_id'), [{ digest_id: null }])
  await titled('second', 'Notice 2')
  await titled('third', 'Notice 3')
  const sight = { skips_rights: false, shows_hidden: true }
  for (const id of ['shown', 'too'])
    await titled(id, `Notice ${id}`, { data: { ...mailing.data, sight } })
  await setRole('nobody')
  await passTime()
  await until('none waits', isDone)
  await setRole('buyer')
  await stop()
  // A rule that shows what is hidden shows it in a digest, too.
  const [, digest, ...others] = await mailsOf(service)
  assert.deepEqual([digest?.subject?.slice(-3), others.length], ['(2)', 0])
  const left = await rows('last_error', `status = 'dead'`)
  assert.deepEqual(left, Array(2).fill({ last_error: 'The recipient may not read it any more.' }))
})

test('a comment that was removed before its time is left out, and the digest has the rest', async () => {
  await choose('daily')
  await titled('gone', 'A removed comment', { data: { ...mailing.data, comment_id: 4711 } })
  for (const id of ['fourth', 'fifth']) await titled(id, `Notice ${id}`)
  await passTime()
  const stop = await start()
  await until('none waits', isDone)
  await stop()
  const [digest, ...others] = await mailsOf(service)
  assert.deepEqual(others, [])
  assert.match(digest?.subject ?? '', /\(2\)$/)
  assert.doesNotMatch(digest?.html || '', /removed comment/)
  assert.deepEqual(await rows('status'), Array(3).fill({ status: 'sent' }))
})

test('a comment that was removed before its e-mail ends the delivery, which says so until then', async () => {
  await queueFor(service, [2], { id: 'gone', data: { ...mailing.data, comment_id: 4711 } })
  const [{ id }] = await rows('id')
  const message = await service.ask('GET', `/api/deliveries/${id}/message`)
  assert.equal(message.status, 409)
  assert.match(message.text, /The comment was removed/)
  const stop = await start()
  await until('it is removed', async () => (await rows('id')).length === 0)
  await stop()
  assert.deepEqual(await mailsOf(service), [])
})

test('quiet hours hold what is not urgent, and "never" is never', async () => {
  const hourFromNow = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
  await choose('immediately', { quietHours: { from: hourFromNow(-1), to: hourFromNow(2) } })
  await titled('held', 'Held')
  await titled('urgent', 'Urgent', { urgent: true })
  const waits = `due_at = 'infinity' AS waits, digest_id IS NOT NULL AS held`
  assert.deepEqual(await rows(waits, `due_at = 'infinity' OR due_at <= now()`), [
    { waits: true, held: true },
    { waits: false, held: false },
  ])
  await choose('never')
  await titled('refused', 'Refused')
  assert.equal((await rows('id')).length, 3)
})
