/** E-mails through a real SMTP server: messages, addresses, credentials and TLS. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import {
  allBytes,
  anEmail,
  attachment,
  deliveryErrorOf,
  hostileTexts,
  neverAborted,
  sender,
} from '../../../support/email/an-email.ts'
import {
  answer,
  type SmtpTestServer,
  startServer,
  startSmtp,
} from '../../../support/email/providers/an-smtp-server.ts'

describe('a message', () => {
  let smtp: SmtpTestServer
  before(async () => {
    smtp = await startSmtp()
  })
  after(() => smtp.stop())

  test('arrives with addresses, subject, both parts and the message id', async () => {
    await smtp.provider.send(anEmail({ subject: 'Narudžba – 発注書' }), neverAborted)
    const mail = await smtp.last()
    assert.deepEqual(mail.from?.value, [{ name: sender.name, address: sender.address }])
    assert.equal(mail.replyTo?.value[0]?.address, sender.replyTo)
    assert.deepEqual([mail.to].flat()[0]?.value, [
      { name: 'Anna Example', address: 'anna@example.com' },
    ])
    assert.equal(mail.subject, 'Narudžba – 発注書')
    assert.equal(mail.messageId, '<event-1.0.7@docket.example.com>')
    assert.equal(mail.text?.trim(), 'Dear Anna,\n\nPO-1 was approved.')
    assert.equal(String(mail.html).trim(), anEmail().html)
  })

  test('arrives with every byte of its attachments', async () => {
    const csv = Buffer.from('a,b\r\n.\r\n"c\nd",€\r.\n')
    await smtp.provider.send(
      anEmail({
        attachments: [
          { filename: 'narudžba "1".pdf', mimetype: 'application/pdf', data: allBytes },
          { filename: '空.csv', mimetype: 'text/csv; charset=utf-8', data: csv },
        ],
      }),
      neverAborted,
    )
    const { attachments } = await smtp.last()
    assert.deepEqual(
      attachments.map(({ filename, contentType }) => [filename, contentType]),
      [
        ['narudžba "1".pdf', 'application/pdf'],
        ['空.csv', 'text/csv'],
      ],
    )
    assert.ok(attachments[0]?.content.equals(allBytes))
    assert.ok(attachments[1]?.content.equals(csv))
  })

  test('is not ended by a text that looks like its end', async () => {
    const text = 'before\n.\nafter\n..\n.QUIT\nFrom here'
    await smtp.provider.send(anEmail({ text, html: undefined }), neverAborted)
    assert.equal((await smtp.last()).text?.trim(), text)
  })

  test('gets no header and no recipient from hostile texts', async () => {
    await smtp.provider.send(anEmail({ attachments: [attachment('a.txt')] }), neverAborted)
    const keys = async () => (await smtp.last()).headerLines.map(({ key }) => key).sort()
    const known = await keys()
    for (const text of hostileTexts) {
      await smtp.provider.send(
        anEmail({
          to: { name: text, address: 'anna@example.com' },
          subject: text,
          attachments: [attachment(text)],
        }),
        neverAborted,
      )
      assert.deepEqual(await keys(), known, text)
      const { to, attachments } = await smtp.last()
      assert.deepEqual(
        [to].flat().flatMap((header) => header?.value.map(({ address }) => address)),
        ['anna@example.com'],
      )
      assert.equal(attachments.length, 1)
    }
  })

  test('arrives with the unsubscribe link', async () => {
    await smtp.provider.send(
      anEmail({ unsubscribeUrl: 'https://d.example/u?token=a.b' }),
      neverAborted,
    )
    const { headerLines } = await smtp.last()
    assert.deepEqual(
      headerLines.filter(({ key }) => key.startsWith('list-')).map(({ line }) => line),
      [
        'List-Unsubscribe: <https://d.example/u?token=a.b>',
        'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
      ],
    )
  })

  test('is sent over at most the configured number of connections', async () => {
    const before = smtp.taken.length
    await Promise.all(Array.from({ length: 30 }, () => smtp.provider.send(anEmail(), neverAborted)))
    assert.equal(smtp.taken.length, before + 30)
    assert.ok(smtp.connections() <= 2)
  })
})

describe('an invalid address', () => {
  let smtp: SmtpTestServer
  before(async () => {
    smtp = await startSmtp()
  })
  after(() => smtp.stop())

  // RFC 5321, 4.5.3.1: at most 64 characters before the @ and 255 after it.
  const invalid = [
    `${'a'.repeat(288)}@example.com`,
    'anna@example.com\r\nRCPT TO:<eve@example.com>',
    'anna@example.com>\r\nDATA',
    'anna@',
  ]
  for (const address of invalid)
    test(`${JSON.stringify(address.slice(0, 50))} is rejected without a retry`, async () => {
      const error = await deliveryErrorOf(smtp.provider, anEmail({ to: { name: 'A', address } }))
      assert.equal(error.retryable, false)
      assert.deepEqual(smtp.taken, [])
    })
})

describe('credentials and TLS', () => {
  const secured = (query = '') => ({
    options: { secure: true } satisfies SMTPServerOptions,
    url: (port: number) => `smtps://localhost:${port}${query}`,
  })
  const login: SMTPServerOptions = {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'me' && password === 's3cret/+'
        ? done(null, { user: 'me' })
        : done(answer(535, 'bad credentials')),
  }

  test('credentials of the URL are used, with percent-encoded characters', async (t) => {
    const smtp = await startServer(t, login, (port) => `smtp://me:s3cret%2F%2B@127.0.0.1:${port}`)
    await smtp.provider.send(anEmail(), neverAborted)
    assert.equal(smtp.taken.length, 1)
  })

  test('wrong credentials are retried and are not in the message', async (t) => {
    const smtp = await startServer(t, login, (port) => `smtp://me:wr0ng@127.0.0.1:${port}`)
    const error = await deliveryErrorOf(smtp.provider)
    assert.deepEqual([error.retryable, error.message], [true, 'SMTP: 535 bad credentials'])
  })

  test('an untrusted certificate is rejected, and nothing is sent', async (t) => {
    const { options, url } = secured()
    const smtp = await startServer(t, options, url)
    const error = await deliveryErrorOf(smtp.provider)
    assert.equal(error.retryable, true)
    assert.match(error.message, /certificate/)
    assert.deepEqual(smtp.taken, [])
  })

  test('the URL can allow an untrusted certificate', async (t) => {
    const { options, url } = secured('?tls.rejectUnauthorized=false')
    const smtp = await startServer(t, options, url)
    await smtp.provider.send(anEmail(), neverAborted)
    assert.equal(smtp.taken.length, 1)
  })

  test('a server that offers TLS gets no message without TLS', async (t) => {
    const smtp = await startServer(
      t,
      { disabledCommands: [] },
      (port) => `smtp://localhost:${port}`,
    )
    const error = await deliveryErrorOf(smtp.provider)
    assert.equal(error.retryable, true)
    assert.match(error.message, /certificate/)
  })
})
