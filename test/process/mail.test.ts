/**
 * What becomes of e-mails while a mail server, an API, a worker or the disk fails, and of texts
 * that would break out of them: real processes, from the change to what the other side gets.
 */
import assert from 'node:assert/strict'
import { watch } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { EmailAddress, ParsedMail } from 'mailparser'
import { startApi } from '../email/providers/an-api.ts'
import { afterwards } from '../support/afterwards.ts'
import { until } from '../support/wait.ts'
import {
  type Delivery,
  deliveriesOf,
  headersOf,
  injectedAddresses,
  injection,
  makeDue,
  makeUsers,
  oddNames,
  openSmtp,
  readAll,
  startProject,
  stop,
  tcpProxy,
  untilAll,
  untilGone,
} from './a-mail-project.ts'

const isFailed = ({ status }: Delivery) => status === 'failed'
const isSent = ({ status }: Delivery) => status === 'sent'
const oneLine = (words = '') => words.replaceAll(/\s+/g, ' ').trim()

test('what failed while there was no mail server arrives once there is one, each once', async () => {
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
  // Some because an operator wants it, the others when their time has come.
  const listed = await ask('GET', '/api/deliveries?status=failed&limit=30')
  for (const { id } of JSON.parse(listed.text).data)
    assert.equal((await ask('POST', `/api/deliveries/${id}/retry`)).status, 200)
  await until('thirty are taken', () => taken.length === 30)
  await makeDue(pool)
  await untilAll(project, 60, 'are sent', isSent)
  await stop(second)
  const found = taken.map(headersOf)
  const expected = titles.flatMap((title) => makeUsers(20).map((one) => `${title} ${one.address}`))
  const arrived = found.map(({ subject, to }) => `${subject} ${to}`)
  assert.deepEqual(arrived.toSorted(), expected.toSorted())
  assert.equal(new Set(found.map(({ id }) => id)).size, 60)
})

test('in a storm of refusals by an API none of two hundred e-mails is lost or goes twice', async () => {
  const project = await startProject(makeUsers(200))
  const later = { headers: { 'Retry-After': '3600' } }
  const api = await startApi({ status: 429, ...later })
  afterwards(api.stop)
  const worker = await project.startWorker({
    ...{ EMAIL_PROVIDER: 'sendgrid', SENDGRID_API_KEY: 'key', SENDGRID_API_URL: api.url },
    ...{ EMAILS_AT_ONCE: '10', EMAIL_MAX_TRIES: '20' },
  })
  await project.notify({ title: 'storm' })
  await untilAll(project, 200, 'have failed', isFailed)
  assert.equal(api.asked.length, 200)
  for (const { wait, last_error } of await deliveriesOf(project.pool)) {
    assert.ok(wait > 3500, `due in ${wait} s`)
    assert.match(last_error ?? '', /^SendGrid: 429 /)
  }
  const yes = { status: 202, body: '' }
  const gusts = [{ status: 500 }, { status: 429, ...later }, 'cut', { status: 503 }] as const
  const changes: { readonly from: number; readonly isYes: boolean }[] = []
  for (const next of [yes, ...gusts, yes, ...gusts.toReversed(), yes]) {
    // What is asked is kept just before it is answered: from here on the answer is another.
    const from = api.asked.length
    changes.push({ from, isYes: next === yes })
    api.next = next
    await makeDue(project.pool)
    await until('some have asked', () => api.asked.length >= from + 25)
  }
  // One may fail by the last gust after a look: it is due again at the next one.
  await until('all are sent', async () => {
    await makeDue(project.pool)
    return (await deliveriesOf(project.pool)).every(isSent)
  })
  await stop(worker)
  const asked = api.asked.map(({ body }, index) => {
    const { personalizations, headers } = JSON.parse(String(body))
    const isTaken = changes.findLast(({ from }) => from <= index)?.isYes ?? false
    return { to: personalizations[0].to[0].email, id: headers['Message-ID'], isTaken }
  })
  const taken = asked.filter(({ isTaken }) => isTaken).map(({ to }) => to)
  assert.deepEqual([taken.length, new Set(taken).size], [200, 200])
  // Each try has asked once, always with the same id.
  assert.equal(new Set(asked.map(({ to, id }) => `${to} ${id}`)).size, 200)
  const questions = Map.groupBy(asked, ({ to }) => to)
  for (const { address, tries } of await deliveriesOf(project.pool))
    assert.equal(questions.get(address)?.length, tries)
})

test('a worker killed as the mail server says yes repeats what was on its way, and nothing else', async () => {
  const project = await startProject(makeUsers(150))
  const taken: string[] = []
  // Nothing is taken before everything is written down, and the next kill is prepared.
  let gate = Promise.withResolvers<void>()
  let atYes = () => {}
  const { settings } = await openSmtp({
    onData: (stream, _session, done) => {
      const take = async (message: string) => {
        await gate.promise
        taken.push(message)
        done()
        atYes()
      }
      text(stream).then(take).catch(done)
    },
  })
  const startWorker = () => project.startWorker({ ...settings, EMAILS_AT_ONCE: '8' })
  let worker = await startWorker()
  await project.notify({ title: 'kill' })
  await untilAll(project, 150, 'are there', () => true)
  const onTheWay: string[] = []
  for (let kill = 0; kill < 5; kill++) {
    const { child, ended } = worker
    const enough = taken.length + 10
    atYes = () => {
      if (taken.length !== enough) return
      // At the very yes, or when it is just being written down.
      if (kill % 2 === 0) child.kill('SIGKILL')
      else setTimeout(() => child.kill('SIGKILL'), kill)
    }
    gate.resolve()
    assert.equal((await ended).code, null)
    gate = Promise.withResolvers()
    await untilGone(project.pool)
    const left = (await deliveriesOf(project.pool)).filter(({ status }) => status === 'sending')
    // Those that were left before have no lease.
    onTheWay.push(...left.flatMap(({ address, wait }) => (wait > 0 ? address : [])))
    await project.pool.query(`UPDATE docket.delivery SET due_at = now() WHERE status = 'sending'`)
    worker = await startWorker()
  }
  gate.resolve()
  await untilAll(project, 150, 'are sent', isSent)
  await stop(worker)
  const found = taken.map(headersOf)
  for (const { address, tries } of await deliveriesOf(project.pool)) {
    const came = found.filter(({ to }) => to === address).length
    const most = 1 + onTheWay.filter((to) => to === address).length
    assert.equal(tries, most, address)
    assert.ok(came >= 1 && came <= most, `${address} got ${came}, may have got ${most}`)
  }
  assert.ok(taken.length > 150, 'no kill has met a yes')
  assert.equal(new Set(found.map(({ to, id }) => `${to} ${id}`)).size, 150)
})

test('an e-mail that the disk has no room for waits, is never seen by half, and arrives at last', async () => {
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
  // No half was ever there under a name that is listed, none is left to keep the disk full.
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

test('hostile texts arrive as texts, documents beyond the limit as links to the whole of them', async () => {
  const names = ['Ann', `Ben${injection}`, '"Cid" <eve@example.com>, x\\']
  const people = names.map((name, n) => ({ name, address: `p${n}@example.com` }))
  const others = injectedAddresses.map((address) => ({ name: 'Dan', address }))
  const project = await startProject([...people, ...others])
  const { taken, settings } = await openSmtp()
  await project.startWorker({ ...settings, ATTACHMENTS_MAX_BYTES: '20000' })
  const isOver = ({ address, status, tries }: Delivery) =>
    tries === 1 && status === (injectedAddresses.includes(address) ? 'dead' : 'sent')
  const notes = Array.from({ length: 8_000 }, (_, n) => n * n).join(' ')
  await project.notify({ title: 'Large', notes }, 'letter')
  const title = `../../"A"${injection}`
  await project.notify({ title, notes: injection }, 'letter')
  await untilAll(project, 12, 'are sent, or refused for good', isOver)
  const all = await readAll(taken)
  const large = all.find(({ subject }) => subject === 'Large')
  const mails = all.filter(({ subject }) => subject === oneLine(title))
  const personOf = ({ to }: ParsedMail) => [to].flat().flatMap((header) => header?.value ?? [])
  const lineOf = ({ name, address = '' }: EmailAddress) => `${oneLine(name)} ${address}`
  assert.deepEqual(mails.flatMap(personOf).map(lineOf).toSorted(), people.map(lineOf).toSorted())
  const keysOf = (mail?: ParsedMail) => mail?.headerLines.map(({ key }) => key)
  for (const mail of mails) {
    assert.deepEqual(keysOf(mail), keysOf(large))
    const words = `${title} Dear ${personOf(mail)[0]?.name}, ${injection} The attachment path could not`
    assert.ok(oneLine(mail.text).startsWith(oneLine(words)), mail.text ?? '')
    assert.match(oneLine(mail.text), /The attachment lines could not be made/)
    assert.match(String(mail.html), /&lt;img src=x&gt; {{ 7 \| times: 6 }}{% if 1 %}y{% endif %}/)
    assert.doesNotMatch(String(mail.html), /<img/)
    const [slip, ...odd] = mail.attachments.map(({ filename }) => filename)
    assert.match(slip ?? '', /^slip-A-Bcc-eve-example\.com-img-src-x-[\w-]+\.pdf$/)
    assert.deepEqual(odd, oddNames)
  }
  assert.equal(large?.attachments.length, 0)
  const links = String(large?.html).matchAll(/href="([^"]*)">[^<]*<\/a> \(until/g)
  const linked = links.map(async ([, url = '']) => (await fetch(url)).text())
  const [pdf = '', ...files] = await Promise.all(linked)
  assert.match(pdf, /^%PDF[\s\S]{30000,}%%EOF\s*$/)
  assert.deepEqual(files, oddNames)
})
