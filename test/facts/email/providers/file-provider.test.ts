/** The provider "file" writes each e-mail to a complete file that mail programs read. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { simpleParser } from 'mailparser'
import type { Email } from '../../../../src/email/email.ts'
import { fileProvider } from '../../../../src/email/providers/file-provider.ts'
import {
  allBytes,
  anEmail,
  attachment,
  deliveryErrorOf,
  hostileTexts,
  neverAborted,
  sender,
} from '../../../support/email/an-email.ts'

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'docket-mail-'))
})
after(() => rm(root, { recursive: true, force: true }))

let folders = 0
const newFolder = () => join(root, String(++folders), 'mail')

const write = async (email: Email): Promise<{ name: string; text: Buffer; directory: string }> => {
  const directory = newFolder()
  await fileProvider(directory, sender).send(email, neverAborted)
  const [name = '', ...others] = await readdir(directory)
  assert.deepEqual(others, [])
  return { name, directory, text: await readFile(join(directory, name)) }
}
const parsed = async (email: Email) => simpleParser((await write(email)).text)

test('an e-mail is written to one file, named by time and recipient', async () => {
  const { name, text } = await write(anEmail())
  assert.match(name, /^\d{4}-\d\d-\d\dT[\d.-]+Z_anna@example\.com_.*\.eml$/)
  const mail = await simpleParser(text)
  assert.equal(mail.messageId, '<event-1.0.7@docket.example.com>')
  assert.equal(mail.subject, 'Order PO-1')
  assert.deepEqual(mail.from?.value, [{ name: sender.name, address: sender.address }])
  assert.deepEqual(mail.replyTo?.value, [{ name: '', address: 'office@example.com' }])
  assert.deepEqual([mail.to].flat()[0]?.value, [
    { name: 'Anna Example', address: 'anna@example.com' },
  ])
  assert.equal(mail.text?.trim(), 'Dear Anna,\n\nPO-1 was approved.')
  assert.equal(String(mail.html).trim(), '<p>Dear Anna,</p><p>PO-1 was approved.</p>')
  assert.equal(mail.attachments.length, 0)
})

test('attachments keep every byte, also when they are a part of a larger buffer', async () => {
  const part = allBytes.subarray(3, 60_001)
  const { attachments } = await parsed(
    anEmail({
      attachments: [
        { filename: 'all.pdf', mimetype: 'application/pdf', data: allBytes },
        attachment('part.bin', new Uint8Array(part.buffer, part.byteOffset, part.byteLength)),
        { filename: 'empty.txt', mimetype: 'text/plain', data: new Uint8Array() },
      ],
    }),
  )
  assert.deepEqual(
    attachments.map(({ filename, contentType }) => [filename, contentType]),
    [
      ['all.pdf', 'application/pdf'],
      ['part.bin', 'application/octet-stream'],
      ['empty.txt', 'text/plain'],
    ],
  )
  const [all, some, none] = attachments.map(({ content }) => content)
  assert.ok(all?.equals(allBytes))
  assert.ok(some?.equals(part))
  assert.equal(none?.length, 0)
})

test('the unsubscribe link is in the headers of RFC 8058', async () => {
  const unsubscribeUrl = `https://docket.example.com/api/notifications/unsubscribe?token=${'a'.repeat(200)}`
  const { headerLines } = await parsed(anEmail({ unsubscribeUrl }))
  const lineOf = (key: string) => headerLines.find((line) => line.key === key)?.line
  assert.equal(
    lineOf('list-unsubscribe')?.replaceAll(/\s+/g, ' '),
    `List-Unsubscribe: <${unsubscribeUrl}>`,
  )
  assert.equal(lineOf('list-unsubscribe-post'), 'List-Unsubscribe-Post: List-Unsubscribe=One-Click')
})

test('names, subjects and file names cannot add headers or recipients', async () => {
  const found = (await parsed(anEmail({ attachments: [attachment('a.txt')] }))).headerLines
  for (const text of hostileTexts) {
    const mail = await parsed(
      anEmail({
        to: { name: text, address: 'anna@example.com' },
        subject: text,
        attachments: [attachment(`${text}.txt`)],
      }),
    )
    assert.deepEqual(
      [mail.to].flat().flatMap((to) => to?.value.map(({ address }) => address)),
      ['anna@example.com'],
      text,
    )
    assert.deepEqual(
      mail.headerLines.map(({ key }) => key).sort(),
      found.map(({ key }) => key).sort(),
      text,
    )
    assert.equal(mail.attachments.length, 1)
    assert.equal(mail.attachments[0]?.content.toString(), 'text')
    assert.equal(String(mail.html).trim(), anEmail().html)
  }
})

test('a subject that looks like an encoded word is kept unchanged', async () => {
  for (const subject of [
    '=?utf-8?B?SGVsbG8=?=',
    '=?utf-8?Q?Hi?= =?utf-8?Q?there?= and more',
    `${'=?utf-8?B?SGVsbG8=?= '.repeat(20)}end`,
    'Is 1=?2',
  ]) {
    const mail = await parsed(anEmail({ subject }))
    assert.equal(mail.subject, subject)
    assert.equal(mail.headerLines.filter(({ key }) => key === 'subject').length, 1)
  }
})

test('characters beyond ASCII are kept', async () => {
  const text = 'Žofija Čačić 🦊 株式会社'
  const { to, subject, attachments } = await parsed(
    anEmail({
      to: { name: text, address: 'anna@example.com' },
      subject: text.repeat(10),
      attachments: [attachment(`${text}.pdf`)],
    }),
  )
  assert.equal([to].flat()[0]?.value[0]?.name, text)
  assert.equal(subject, text.repeat(10))
  assert.equal(attachments[0]?.filename, `${text}.pdf`)
})

test('paths and URLs in an e-mail are not read', async () => {
  const file = join(root, 'secret.txt')
  await writeFile(file, 'secret')
  const mail = await parsed(
    anEmail({
      text: file,
      html: `<img src="file://${file}"><img src="http://127.0.0.1:9/x.png">`,
      attachments: [attachment(file)],
    }),
  )
  assert.equal(mail.attachments[0]?.content.toString(), 'text')
  assert.equal(mail.attachments.length, 1)
})

test('an address cannot lead out of the folder or make the file name too long', async () => {
  for (const address of [
    '../../../etc/passwd@example.com',
    'a\0b@example.com',
    `${'x'.repeat(288)}@example.com`,
  ]) {
    const { name, text } = await write(anEmail({ to: { name: '', address } }))
    assert.match(name, /^[\w.@-]+\.eml$/)
    assert.ok(name.length < 240)
    assert.ok(text.length > 0)
  }
})

test('e-mails to one recipient at the same time are different files', async () => {
  const directory = newFolder()
  const provider = fileProvider(directory, sender)
  const event = 'e'.repeat(100)
  const ids = Array.from({ length: 20 }, (_, index) => `<${event}.0.${index}@docket.example.com>`)
  await Promise.all(ids.map((messageId) => provider.send(anEmail({ messageId }), neverAborted)))
  assert.equal((await readdir(directory)).length, ids.length)
})

test('only the owner can read the folder and its files', async () => {
  const { directory, name } = await write(anEmail())
  assert.equal((await stat(directory)).mode & 0o777, 0o700)
  assert.equal((await stat(join(directory, name))).mode & 0o777, 0o600)
})

test('an e-mail is retried when its folder cannot be written', async () => {
  const file = join(root, 'a-file')
  await writeFile(file, '')
  const error = await deliveryErrorOf(fileProvider(join(file, 'mail'), sender))
  assert.equal(error.retryable, true)
  assert.equal(error.message, 'The e-mail could not be written: ENOTDIR.')
})

test('an e-mail of a few mebibytes is written completely', async () => {
  const data = Buffer.alloc(5_000_000, 'mail')
  const { attachments } = await parsed(anEmail({ attachments: [attachment('large.bin', data)] }))
  assert.ok(attachments[0]?.content.equals(data))
})

test('hasTaken finds a written e-mail by its message id', async () => {
  const directory = newFolder()
  const provider = fileProvider(directory, sender)
  await provider.send(anEmail(), neverAborted)
  const found = [anEmail().messageId, '<other@docket.example.com>'].map((id) =>
    provider.hasTaken?.(id, neverAborted),
  )
  assert.deepEqual(await Promise.all(found), [true, false])
})
