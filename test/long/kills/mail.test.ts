/**
 * E-mails while a mail server, an API, a worker, PostgreSQL or the disk fails:
 * real processes, from the change to the received message.
 */
import assert from 'node:assert/strict'
import { watch } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { afterwards } from '../../support/afterwards.ts'
import { startApi } from '../../support/email/providers/an-api.ts'
import { startOwnServer } from '../../support/own-server.ts'
import {
  type Delivery,
  deliveriesOf,
  headersOf,
  makeDue,
  makeUsers,
  oneLine,
  openSmtp,
  readAll,
  startProject,
  stop,
  tcpProxy,
  untilAll,
} from '../../support/processes/a-mail-project.ts'
import { killWhileSending } from '../../support/processes/killed-mailing.ts'
import { until } from '../../support/wait.ts'

const isFailed = ({ status }: Delivery) => status === 'failed'
const isSent = ({ status }: Delivery) => status === 'sent'

test('e-mails that failed while there was no mail server arrive once each when there is one', async () => {
  const project = await startProject(makeUsers(20))
  const { pool, ask } = project
  const { taken, port: inside } = await openSmtp()
  const { settings, open } = tcpProxy(inside)
  const first = await project.startWorker(settings)
  const titles = ['one', 'two', 'three']
  for (const title of titles) await project.notify({ title })
  await untilAll(project, 60, 'have failed', isFailed)
  for (const { tries, wait, last_error } of await deliveriesOf(pool)) {
    assert.ok(tries === 1 && wait > 20, `due in ${wait} s after ${tries}`)
    assert.match(last_error ?? '', /^SMTP: .*ECONNREFUSED/)
  }
  await stop(first)
  const second = await project.startWorker(settings)
  await makeDue(pool)
  await untilAll(project, 60, 'have failed again', (one) => isFailed(one) && one.tries === 2)
  await open()
  // Some because an operator retries them, the others when they are due.
  const listed = await ask('GET', '/api/deliveries?status=failed&limit=30')
  for (const { id } of JSON.parse(listed.text).data)
    assert.equal((await ask('POST', `/api/deliveries/${id}/retry`)).status, 200)
  await until('thirty are received', () => taken.length === 30)
  await makeDue(pool)
  await untilAll(project, 60, 'are sent', isSent)
  await stop(second)
  const found = taken.map(headersOf)
  const expected = titles.flatMap((title) => makeUsers(20).map((one) => `${title} ${one.address}`))
  const arrived = found.map(({ subject, to }) => `${subject} ${to}`)
  assert.deepEqual(arrived.toSorted(), expected.toSorted())
  assert.equal(new Set(found.map(({ id }) => id)).size, 60)
})

test('while an API rejects many requests, none of two hundred e-mails is lost or sent twice', async () => {
  const project = await startProject(makeUsers(200))
  const later = { headers: { 'Retry-After': '3600' } }
  const api = await startApi({ status: 429, ...later })
  afterwards(api.stop)
  const worker = await project.startWorker({
    EMAIL_PROVIDER: 'sendgrid',
    SENDGRID_API_KEY: 'key',
    SENDGRID_API_URL: api.url,
    EMAILS_AT_ONCE: '10',
    EMAIL_MAX_TRIES: '20',
  })
  await project.notify({ title: 'storm' })
  await untilAll(project, 200, 'have failed', isFailed)
  assert.equal(api.asked.length, 200)
  for (const { wait, last_error } of await deliveriesOf(project.pool)) {
    assert.ok(wait > 3500, `due in ${wait} s`)
    assert.match(last_error ?? '', /^SendGrid: 429 /)
  }
  const success = { status: 202, body: '' }
  const rejections = [{ status: 500 }, { status: 429, ...later }, 'cut', { status: 503 }] as const
  const changes: { readonly from: number; readonly isAccepting: boolean }[] = []
  for (const next of [success, ...rejections, success, ...rejections.toReversed(), success]) {
    // A request is recorded just before its response: from here on the responses differ.
    const from = api.asked.length
    changes.push({ from, isAccepting: next === success })
    api.next = next
    await makeDue(project.pool)
    await until('some requests have arrived', () => api.asked.length >= from + 25)
  }
  // One may fail with the last rejection after a check: it is due again at the next one.
  await until('all are sent', async () => {
    await makeDue(project.pool)
    return (await deliveriesOf(project.pool)).every(isSent)
  })
  await stop(worker)
  const asked = api.asked.map(({ body }, index) => {
    const { personalizations, headers } = JSON.parse(String(body))
    const isAccepted = changes.findLast(({ from }) => from <= index)?.isAccepting ?? false
    return { to: personalizations[0].to[0].email, id: headers['Message-ID'], isAccepted }
  })
  const taken = asked.filter(({ isAccepted }) => isAccepted).map(({ to }) => to)
  assert.deepEqual([taken.length, new Set(taken).size], [200, 200])
  // Each attempt has sent one request, always with the same id.
  assert.equal(new Set(asked.map(({ to, id }) => `${to} ${id}`)).size, 200)
  const requestsByUser = Map.groupBy(asked, ({ to }) => to)
  for (const { address, tries } of await deliveriesOf(project.pool))
    assert.equal(requestsByUser.get(address)?.length, tries)
})

test('workers killed when the mail server accepts repeat only the e-mails that they were sending', () =>
  killWhileSending(150, 5))

test('an e-mail that does not fit on the disk waits, is never visible incomplete, and arrives later', async () => {
  const project = await startProject(makeUsers(3))
  const { pool, ask, directory } = project
  const readMail = async () => {
    const { data } = JSON.parse((await ask('GET', '/api/mail')).text)
    const paths: string[] = data.map(({ name }: { name: string }) => `/api/mail/${name}`)
    const mail = await Promise.all(paths.map(async (path) => (await ask('GET', path)).text))
    for (const message of mail) {
      const [, boundary] = /boundary="(.*)"/.exec(message) ?? []
      assert.ok(message.endsWith(`\r\n--${boundary}--\r\n`), message.slice(-200))
    }
    return mail
  }
  const folder = join(directory, '.docket', 'mail')
  await mkdir(folder, { recursive: true })
  const seen = new Set<string>()
  watch(folder, { persistent: false }, (_event, name) => seen.add(name ?? ''))
  const full = await project.startWorker({ NODE_COMPILE_CACHE: '' }, 128)
  const notes = `${'A long text. '.repeat(20_000)}The end.`
  await project.notify({ title: 'large', notes })
  await untilAll(project, 3, 'have failed', isFailed)
  await project.notify({ title: 'small', notes: 'short' })
  await makeDue(pool)
  const isOver = (one: Delivery) => (isFailed(one) ? one.tries === 2 : isSent(one))
  await untilAll(project, 6, 'are sent, or have failed again', isOver)
  assert.equal((await readMail()).length, 3)
  for (const { last_error, wait } of (await deliveriesOf(pool)).filter(isFailed)) {
    assert.equal(last_error, 'The e-mail could not be written: EFBIG.')
    assert.ok(wait > 100, `due in ${wait} s`)
  }
  // No incomplete file was ever listed by name, and none is left to fill the disk.
  const listable = [...seen].filter((name) => name.endsWith('.eml'))
  assert.deepEqual((await readdir(folder)).toSorted(), listable.toSorted())
  await stop(full)
  await project.startWorker({})
  await makeDue(pool)
  await untilAll(project, 6, 'are sent', isSent)
  const mails = await readAll(await readMail())
  const whole = mails.filter(({ text = '' }) => oneLine(text).includes(notes))
  assert.deepEqual([mails.length, whole.map(({ subject }) => subject)], [6, Array(3).fill('large')])
})

test('two workers that send while PostgreSQL is stopped four times send no e-mail twice', {
  timeout: 240_000,
}, async () => {
  const database = await startOwnServer()
  const { pool } = database
  const userCount = 100
  const project = await startProject(makeUsers(userCount), database)
  const { taken, settings } = await openSmtp()
  const given = { ...settings, EMAILS_AT_ONCE: '10' }
  const workers = await Promise.all([project.startWorker(given), project.startWorker(given)])
  const rounds = 4
  for (let round = 1; round <= rounds; round++) {
    const stopAt = taken.length + userCount / 4
    await project.notify({ title: `round ${round}` })
    await until('some are sent', () => taken.length >= stopAt)
    await database.stop()
    await database.start()
    // An attempt that got e-mails and did not send them keeps its lease until it expires.
    await until(`all e-mails of round ${round} are sent`, async () => {
      await pool.query(`UPDATE docket.delivery SET due_at = now() WHERE status = 'failed'`)
      const rows = await deliveriesOf(pool)
      return rows.length === round * userCount && rows.every(isSent)
    })
  }
  await stop(...workers)
  const ids = taken.map(headersOf).map(({ to, id }) => `${to} ${id}`)
  assert.deepEqual([ids.length, new Set(ids).size], [rounds * userCount, rounds * userCount])
})
