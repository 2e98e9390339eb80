/** The provider smtp against a real SMTP server: what arrives, and how refusals are sorted. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { SendFault } from '../../src/email/provider.ts'
import { smtpProvider } from '../../src/email/providers/smtp-provider.ts'
import { anEmail, sender } from './an-email.ts'

type Behaviour = Pick<SMTPServerOptions, 'onRcptTo' | 'onData' | 'onConnect' | 'onAuth'>

const mails: ParsedMail[] = []
const receive: NonNullable<Behaviour['onData']> = (stream, _session, done) => {
  simpleParser(stream).then((mail) => {
    mails.push(mail)
    done()
  }, done)
}

const start = async (behaviour: Behaviour, options: SMTPServerOptions = {}) => {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    ...options,
    onData: receive,
    ...behaviour,
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const provider = smtpProvider({ url: `smtp://127.0.0.1:${port}`, atOnce: 2, sender })
  const stop = async () => {
    await provider.close()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { provider, stop, port }
}

const patience = () => AbortSignal.timeout(20_000)
const refusalOf = async (sending: Promise<void>): Promise<SendFault> => {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof SendFault, String(error))
  return error
}
const refusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode })

describe('what arrives', () => {
  let place: Awaited<ReturnType<typeof start>>
  before(async () => {
    place = await start({})
  })
  after(() => place.stop())

  test('addresses, subject, both parts, headers and attachments byte for byte', async () => {
    const data = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251))
    const attachments = [
      { filename: 'narudžba "1".pdf', mimetype: 'application/pdf', data },
      {
        filename: '空.csv',
        mimetype: 'text/csv; charset=utf-8',
        data: Buffer.from('a,b\r\n"c\nd",€\r\n'),
      },
    ]
    await place.provider.send(anEmail({ attachments }), patience())
    const mail = mails.at(-1)
    assert.ok(mail)
    assert.deepEqual(
      [mail.from?.value[0]?.address, mail.from?.value[0]?.name],
      ['docket@example.com', 'Docket, "the" service'],
    )
    assert.equal(
      (mail.to as { value: { address: string; name: string }[] }).value[0]?.address,
      'anna@example.com',
    )
    assert.equal(mail.subject, 'Narudžba – 発注書')
    assert.equal(mail.messageId, '<event.0.7@docket.example>')
    assert.match(mail.text ?? '', /^Dear Anna/)
    assert.match(String(mail.html), /<p>Dear Anna/)
    assert.equal((mail.replyTo?.value ?? [])[0]?.address, 'help@example.com')
    const list = mail.headers.get('list') as { unsubscribe?: { url?: string } } | undefined
    assert.equal(list?.unsubscribe?.url, 'https://docket.example/u?token=a.b')
    const oneClick = mail.headerLines.find(({ key }) => key === 'list-unsubscribe-post')
    assert.equal(oneClick?.line, 'List-Unsubscribe-Post: List-Unsubscribe=One-Click')
    assert.deepEqual(
      mail.attachments.map(({ filename, contentType }) => [filename, contentType]),
      [
        ['narudžba "1".pdf', 'application/pdf'],
        ['空.csv', 'text/csv'],
      ],
    )
    assert.deepEqual(
      mail.attachments.map(({ content }) => Buffer.compare(content, data)).slice(0, 1),
      [0],
    )
    assert.equal(mail.attachments[1]?.content.toString(), 'a,b\r\n"c\nd",€\r\n')
  })

  test('line ends in names and subjects make no headers of their own', async () => {
    const hostile = 'Anna\r\nBcc: eve@example.com\r\n\r\nbody'
    await place.provider.send(
      anEmail({
        subject: hostile,
        to: { name: hostile, address: 'anna@example.com' },
        attachments: [{ filename: hostile, mimetype: 'text/plain', data: Buffer.from('x') }],
      }),
      patience(),
    )
    const mail = mails.at(-1)
    assert.ok(mail)
    assert.equal(mail.headers.has('bcc'), false)
    assert.equal((mail.to as { value: unknown[] }).value.length, 1)
    assert.equal(mail.attachments.length, 1)
  })

  test('an address of 300 characters is refused for good, never cut', async () => {
    const address = `${'a'.repeat(288)}@example.com`
    const before = mails.length
    const fault = await refusalOf(
      place.provider.send(anEmail({ to: { name: 'A', address } }), patience()),
    )
    assert.deepEqual([fault.verdict, mails.length], ['never', before])
  })
})

describe('what is refused', () => {
  const cases: readonly [
    name: string,
    behaviour: Behaviour,
    verdict: 'again' | 'never',
    text: RegExp,
  ][] = [
    [
      'greylisting (450) is tried again',
      { onRcptTo: (_a, _s, done) => done(refusal(450, 'come back later')) },
      'again',
      /come back later/,
    ],
    [
      'an address that there is not (550) is final',
      { onRcptTo: (_a, _s, done) => done(refusal(550, 'no such user')) },
      'never',
      /no such user/,
    ],
    [
      'a message that is refused (554) is final',
      {
        onData: (stream, _s, done) => {
          stream.resume()
          stream.on('end', () => done(refusal(554, 'spam')))
        },
      },
      'never',
      /spam/,
    ],
    [
      'a server that is busy (421) is tried again',
      { onConnect: (_s, done) => done(refusal(421, 'too busy')) },
      'again',
      /./,
    ],
  ]
  for (const [name, behaviour, verdict, text] of cases)
    test(name, async () => {
      const place = await start(behaviour)
      try {
        const fault = await refusalOf(place.provider.send(anEmail(), patience()))
        assert.equal(fault.verdict, verdict)
        assert.match(fault.message, text)
      } finally {
        await place.stop()
      }
    })

  test('a server that says nothing more is tried again when the patience ends', async () => {
    const place = await start({ onData: (stream) => void stream.resume() })
    const fault = await refusalOf(place.provider.send(anEmail(), AbortSignal.timeout(300)))
    assert.deepEqual(
      [fault.verdict, fault.message],
      ['again', 'The server did not answer in time.'],
    )
    await place.stop()
  })

  test('no server at all is tried again', async () => {
    const place = await start({})
    await place.stop()
    const provider = smtpProvider({ url: `smtp://127.0.0.1:${place.port}`, atOnce: 1, sender })
    const fault = await refusalOf(provider.send(anEmail(), patience()))
    assert.equal(fault.verdict, 'again')
    await provider.close()
  })

  test("wrong credentials are the operator's to mend, and are not shown", async () => {
    const server = await start(
      { onAuth: (_auth, _session, done) => done(refusal(535, 'bad credentials')) },
      { authOptional: false, allowInsecureAuth: true },
    )
    const provider = smtpProvider({
      url: `smtp://me:s3cret@127.0.0.1:${server.port}`,
      atOnce: 1,
      sender,
    })
    const fault = await refusalOf(provider.send(anEmail(), patience()))
    assert.equal(fault.verdict, 'again')
    assert.doesNotMatch(fault.message, /s3cret/)
    await provider.close()
    await server.stop()
  })
})
