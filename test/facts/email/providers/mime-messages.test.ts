/** E-mails as MIME messages, by each provider that sends such: addresses, texts, attachments and headers. */
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type ParsedMail, simpleParser } from 'mailparser'
import type { Email, EmailProvider } from '../../../../src/outbox/email/email.ts'
import { fileProvider } from '../../../../src/outbox/email/providers/file-provider.ts'
import {
  allBytes,
  anEmail,
  attachment,
  hostileTexts,
  neverAborted,
  replyTo,
  sender,
} from '../../../support/email/an-email.ts'
import { startProvider } from '../../../support/email/providers/an-api.ts'
import { startSmtp } from '../../../support/email/providers/an-smtp-server.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

type Sending = {
  readonly provider: EmailProvider
  /** The message that was sent last, unparsed. */
  readonly last: () => Promise<string | Buffer>
  readonly stop: () => Promise<unknown>
}

const providers: Readonly<Record<string, () => Promise<Sending>>> = {
  file: async () => {
    const root = temporaryFolder()
    const last = async () => {
      const names = await readdir(root)
      return readFile(join(root, names.sort().at(-1) ?? ''))
    }
    return { provider: fileProvider(root, sender), last, stop: async () => undefined }
  },
  SMTP: async () => {
    const { provider, taken, stop } = await startSmtp()
    return { provider, last: async () => taken.at(-1) ?? '', stop }
  },
  SES: async () => {
    const { api, provider } = await startProvider.SES()
    const last = async () => {
      const { Content } = JSON.parse(String(api.asked.at(-1)?.body))
      return Buffer.from(Content.Raw.Data, 'base64')
    }
    const stop = async () => {
      await provider.close()
      await api.stop()
    }
    return { provider, last, stop }
  },
}

const addressesOf = (of: ParsedMail['to']) => [of].flat().flatMap((one) => one?.value ?? [])
const keysOf = ({ headerLines }: ParsedMail) => headerLines.map(({ key }) => key).sort()
const anna = { name: 'Anna Example', address: 'anna@example.com' }
const letters = [
  // With other line ends than those of e-mails.
  ['Subject: A letter\n\nHello\n', '7bit'],
  [
    'Subject: A letter\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nžofija\r\n',
    '8bit',
  ],
] as const
const beyondAscii = 'Žofija Čačić 🦊 株式会社'

for (const [name, start] of Object.entries(providers))
  describe(`a message by ${name}`, () => {
    let sending: Sending
    before(async () => {
      sending = await start()
    })
    after(() => sending.stop())
    /** Sends an e-mail, and reads the message with another library. */
    const parsed = async (values: Partial<Email> = {}) => {
      await sending.provider.send(anEmail(values), neverAborted)
      return simpleParser(await sending.last())
    }

    test('has addresses, subject, both parts, the message id, and headers for programs and RFC 8058', async () => {
      const unsubscribeUrl = `https://docket.example.com/api/notifications/unsubscribe?token=${'a'.repeat(200)}`
      const mail = await parsed({ unsubscribeUrl })
      assert.equal(mail.messageId, '<event-1.0.7@docket.example.com>')
      assert.equal(mail.subject, 'Order PO-1')
      const from = { name: sender.name, address: sender.address }
      assert.deepEqual(addressesOf(mail.from), [from])
      assert.deepEqual(addressesOf(mail.to), [anna])
      assert.equal(mail.text?.trim(), 'Dear Anna,\n\nPO-1 was approved.')
      assert.equal(String(mail.html).trim(), anEmail().html)
      assert.deepEqual(mail.attachments, [])
      // A reply address is a parameter of SES.
      if (name !== 'SES')
        assert.deepEqual(addressesOf(mail.replyTo), [{ name: '', address: replyTo }])
      const lines = mail.headerLines.filter(({ key }) => /^(list|auto|x-auto)-/.test(key))
      assert.deepEqual(
        lines.map(({ line }) => line.replaceAll(/\s+/g, ' ')),
        [
          'Auto-Submitted: auto-generated',
          'X-Auto-Response-Suppress: OOF, AutoReply',
          `List-Unsubscribe: <${unsubscribeUrl}>`,
          'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
        ],
      )
    })

    test('has every byte of its attachments, also when they are a part of a larger buffer', async () => {
      const part = allBytes.subarray(3, 60_001)
      const csv = Buffer.from('a,b\r\n.\r\n"c\nd",€\r.\n')
      const { attachments } = await parsed({
        attachments: [
          { filename: 'narudžba "1".pdf', mimetype: 'application/pdf', data: allBytes },
          attachment('part.bin', new Uint8Array(part.buffer, part.byteOffset, part.byteLength)),
          { filename: '空.csv', mimetype: 'text/csv; charset=utf-8', data: csv },
          { filename: 'empty.txt', mimetype: 'text/plain', data: new Uint8Array() },
          attachment('large.bin', Buffer.alloc(300_000, 'mail')),
        ],
      })
      assert.deepEqual(
        attachments.map(({ filename, contentType }) => `${filename} ${contentType}`),
        [
          ...['narudžba "1".pdf application/pdf', 'part.bin application/octet-stream'],
          ...['空.csv text/csv', 'empty.txt text/plain', 'large.bin application/octet-stream'],
        ],
      )
      const expected = [allBytes, part, csv, Buffer.alloc(0), Buffer.alloc(300_000, 'mail')]
      for (const [index, data] of expected.entries())
        assert.ok(attachments[index]?.content.equals(data), `attachment ${index}`)
    })

    // What follows is made before a provider has it.
    if (name !== 'file') return

    test('has a letter as a message that is not encoded, so that programs can open it', async () => {
      for (const [letter, encoding] of letters) {
        const attachments = [
          { filename: 'letter.eml', mimetype: 'message/rfc822', data: Buffer.from(letter) },
        ]
        await sending.provider.send(anEmail({ attachments }), neverAborted)
        const raw = Buffer.from(await sending.last()).toString('latin1')
        const [, headers = '', body = ''] =
          /\r\n(Content-Type: message\/rfc822.*?)\r\n\r\n(.*?)\r\n--/s.exec(raw) ?? []
        assert.match(headers, new RegExp(`^Content-Transfer-Encoding: ${encoding}$`, 'm'))
        const { subject, text } = await simpleParser(Buffer.from(body, 'latin1'))
        assert.deepEqual([subject, text?.trim()], ['A letter', letter.trim().split(/\s/).at(-1)])
      }
    })

    test('has a message that is no lines of text as a file of bytes', async () => {
      for (const data of [Buffer.from([65, 0, 66]), Buffer.alloc(2_000, 'x')])
        for (const mimetype of ['message/rfc822', 'multipart/mixed; b=a']) {
          const attachments = [{ filename: 'letter.eml', mimetype, data }]
          const [file] = (await parsed({ attachments })).attachments
          assert.doesNotMatch(
            String(await sending.last()),
            /Content-Type: (message|multipart\/mixed; b=)/,
          )
          assert.ok(file?.content.equals(data))
        }
    })

    test('gets no header and no recipient from names, subjects and file names', async () => {
      const known = keysOf(await parsed({ attachments: [attachment('a.txt')] }))
      for (const text of hostileTexts) {
        const to = { name: text, address: anna.address }
        const mail = await parsed({ to, subject: text, attachments: [attachment(`${text}.txt`)] })
        const found = addressesOf(mail.to).map(({ address }) => address)
        assert.deepEqual(found, [anna.address], text)
        assert.deepEqual(keysOf(mail), known, text)
        assert.equal(mail.attachments.length, 1)
        assert.equal(String(mail.html).trim(), anEmail().html)
      }
    })

    test('keeps characters beyond ASCII, and a subject that looks like an encoded word', async () => {
      for (const subject of [
        beyondAscii.repeat(10),
        '=?utf-8?B?SGVsbG8=?=',
        '=?utf-8?Q?Hi?= =?utf-8?Q?there?= and more',
        `${'=?utf-8?B?SGVsbG8=?= '.repeat(20)}end`,
        'Is 1=?2',
      ]) {
        const to = { name: beyondAscii, address: anna.address }
        const attachments = [attachment(`${beyondAscii}.pdf`)]
        const mail = await parsed({ subject, to, attachments })
        assert.equal(mail.subject, subject)
        assert.equal(keysOf(mail).filter((key) => key === 'subject').length, 1)
        assert.equal(addressesOf(mail.to)[0]?.name, beyondAscii)
        assert.equal(mail.attachments[0]?.filename, `${beyondAscii}.pdf`)
      }
    })

    test('has no content of paths and URLs', async () => {
      const folder = temporaryFolder()
      const file = join(folder, 'secret.txt')
      await writeFile(file, 'secret')
      const html = `<img src="file://${file}"><img src="http://127.0.0.1:9/x.png">`
      const { attachments } = await parsed({ text: file, html, attachments: [attachment(file)] })
      assert.equal(attachments.map(({ content }) => String(content)).join(), 'text')
    })
  })
