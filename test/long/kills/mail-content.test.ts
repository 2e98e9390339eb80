/** Hostile texts and attachments in e-mails: real processes, from the change to the received message. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailAddress, ParsedMail } from 'mailparser'
import {
  type Delivery,
  injectedAddresses,
  injection,
  oddNames,
  oneLine,
  openSmtp,
  readAll,
  startProject,
  untilAll,
} from '../../support/processes/a-mail-project.ts'

test('injected texts arrive as text, attachments beyond the size limit as links', async () => {
  const names = ['Ann', `Ben${injection}`, '"Cid" <eve@example.com>, x\\']
  const users = names.map((name, n) => ({ name, address: `p${n}@example.com` }))
  const others = injectedAddresses.map((address) => ({ name: 'Dan', address }))
  const project = await startProject([...users, ...others])
  const { taken, settings } = await openSmtp()
  await project.startWorker({ ...settings, ATTACHMENTS_MAX_BYTES: '20000' })
  const isOver = ({ address, status, tries }: Delivery) =>
    tries === 1 && status === (injectedAddresses.includes(address) ? 'dead' : 'sent')
  const notes = Array.from({ length: 8_000 }, (_, n) => n * n).join(' ')
  await project.notify({ title: 'Large', notes }, 'letter')
  const title = `../../"A"${injection}`
  await project.notify({ title, notes: injection }, 'letter')
  await untilAll(project, 12, 'are sent, or rejected permanently', isOver)
  const all = await readAll(taken)
  const large = all.find(({ subject }) => subject === 'Large')
  const mails = all.filter(({ subject }) => subject === oneLine(title))
  const recipientsIn = ({ to }: ParsedMail) => [to].flat().flatMap((header) => header?.value ?? [])
  const lineOf = ({ name, address = '' }: EmailAddress) => `${oneLine(name)} ${address}`
  assert.deepEqual(mails.flatMap(recipientsIn).map(lineOf).toSorted(), users.map(lineOf).toSorted())
  const keysOf = (mail?: ParsedMail) => mail?.headerLines.map(({ key }) => key)
  for (const mail of mails) {
    assert.deepEqual(keysOf(mail), keysOf(large))
    const expectedStart = `${title} Dear ${recipientsIn(mail)[0]?.name}, ${injection} The attachment path could not`
    assert.ok(oneLine(mail.text).startsWith(oneLine(expectedStart)), mail.text ?? '')
    assert.match(oneLine(mail.text), /The attachment lines could not be created/)
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
