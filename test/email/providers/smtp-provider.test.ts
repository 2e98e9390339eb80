/** E-mails through a real SMTP server: what arrives there, and how refusals are sorted. */
import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import { smtpProvider } from '../../../src/email/providers/smtp-provider.ts'
import { within } from '../../support/wait.ts'
import {
  allBytes,
  anEmail,
  attachment,
  hostileTexts,
  patience,
  refusalOf,
  sender,
} from '../an-email.ts'
import { answer, type Place, startSmtp } from './an-smtp-server.ts'

/** A server that is stopped with the test, however that ends. */
const startFor = async (t: TestContext, ...how: Parameters<typeof startSmtp>): Promise<Place> => {
  const place = await startSmtp(...how)
  t.after(place.stop)
  return place
}

describe('what arrives', () => {
  let place: Place
  before(async () => {
    place = await startSmtp()
  })
  after(() => place.stop())

  test('addresses, subject, both parts and the message id', async () => {
    await place.provider.send(anEmail({ subject: 'Narudžba – 発注書' }), patience)
    const mail = await place.last()
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

  test('attachments, byte for byte', async () => {
    const csv = Buffer.from('a,b\r\n.\r\n"c\nd",€\r.\n')
    await place.provider.send(
      anEmail({
        attachments: [
          { filename: 'narudžba "1".pdf', mimetype: 'application/pdf', data: allBytes },
          { filename: '空.csv', mimetype: 'text/csv; charset=utf-8', data: csv },
        ],
      }),
      patience,
    )
    const { attachments } = await place.last()
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

  test('a text that looks like the end of the message does not end it', async () => {
    const text = 'before\n.\nafter\n..\n.QUIT\nFrom here'
    await place.provider.send(anEmail({ text, html: undefined }), patience)
    assert.equal((await place.last()).text?.trim(), text)
  })

  test('hostile texts make no header and no recipient', async () => {
    await place.provider.send(anEmail({ attachments: [attachment('a.txt')] }), patience)
    const keys = async () => (await place.last()).headerLines.map(({ key }) => key).sort()
    const known = await keys()
    for (const text of hostileTexts) {
      await place.provider.send(
        anEmail({
          to: { name: text, address: 'anna@example.com' },
          subject: text,
          attachments: [attachment(text)],
        }),
        patience,
      )
      assert.deepEqual(await keys(), known, text)
      const { to, attachments } = await place.last()
      assert.deepEqual(
        [to].flat().flatMap((header) => header?.value.map(({ address }) => address)),
        ['anna@example.com'],
      )
      assert.equal(attachments.length, 1)
    }
  })

  test('the link that ends e-mails of a kind', async () => {
    await place.provider.send(
      anEmail({ unsubscribeUrl: 'https://d.example/u?token=a.b' }),
      patience,
    )
    const { headerLines } = await place.last()
    assert.deepEqual(
      headerLines.filter(({ key }) => key.startsWith('list-')).map(({ line }) => line),
      [
        'List-Unsubscribe: <https://d.example/u?token=a.b>',
        'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
      ],
    )
  })

  test('many e-mails over no more connections than are allowed', async () => {
    const before = place.taken.length
    await Promise.all(Array.from({ length: 30 }, () => place.provider.send(anEmail(), patience)))
    assert.equal(place.taken.length, before + 30)
    assert.ok(place.connections() <= 2)
  })
})

describe('addresses', () => {
  let place: Place
  before(async () => {
    place = await startSmtp()
  })
  after(() => place.stop())

  // RFC 5321, 4.5.3.1: at most 64 before the @, 255 behind it.
  const impossible = [
    `${'a'.repeat(288)}@example.com`,
    'anna@example.com\r\nRCPT TO:<eve@example.com>',
    'anna@example.com>\r\nDATA',
    'anna@',
  ]
  for (const address of impossible)
    test(`${JSON.stringify(address.slice(0, 50))} is refused for good, never cut`, async () => {
      const refusal = await refusalOf(place.provider, anEmail({ to: { name: 'A', address } }))
      assert.equal(refusal.retryable, false)
      assert.deepEqual(place.taken, [])
    })
})

describe('what is refused', () => {
  const refuse = (code: number): NonNullable<SMTPServerOptions['onData']> => {
    return (stream, _session, done) => {
      stream.resume()
      stream.on('end', () => done(answer(code, 'refused')))
    }
  }
  const cases: [title: string, options: SMTPServerOptions, retryable: boolean][] = [
    [
      'an address that comes too early (450, greylisting) is tried again',
      { onRcptTo: (_to, _session, done) => done(answer(450, 'refused')) },
      true,
    ],
    [
      'an address that there is not (550) is final',
      { onRcptTo: (_to, _session, done) => done(answer(550, 'refused')) },
      false,
    ],
    ['a message that is refused (554) is final', { onData: refuse(554) }, false],
    [
      'a message for which there is no room now (452) is tried again',
      { onData: refuse(452) },
      true,
    ],
    ['a message that is too large (552) is final', { onData: refuse(552) }, false],
    [
      'a sender that is refused (550) is tried again, for the operator mends it',
      { onMailFrom: (_from, _session, done) => done(answer(550, 'refused')) },
      true,
    ],
    [
      'a server that wants credentials (530) is tried again',
      { onMailFrom: (_from, _session, done) => done(answer(530, 'refused')) },
      true,
    ],
    [
      'a server that wants credentials only at the recipient (530) is tried again',
      { onRcptTo: (_to, _session, done) => done(answer(530, 'refused')) },
      true,
    ],
    [
      'a server that is busy (421) is tried again',
      { onConnect: (_session, done) => done(answer(421, 'refused')) },
      true,
    ],
    [
      'a server that serves nobody from here (554) is tried again',
      { onConnect: (_session, done) => done(answer(554, 'refused')) },
      true,
    ],
  ]
  for (const [title, options, retryable] of cases)
    test(title, async (t) => {
      const { provider } = await startFor(t, options)
      const refusal = await refusalOf(provider)
      assert.deepEqual([refusal.retryable, refusal.retryAfterMs], [retryable, undefined])
      assert.match(refusal.message, /^SMTP: \d{3} refused/)
    })

  test('a refusal of one recipient leaves the connection to the next', async (t) => {
    const place = await startFor(t, {
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith('no') ? answer(550, 'refused') : null),
    })
    const refused = anEmail({ to: { name: 'Nobody', address: 'no@example.com' } })
    for (let round = 0; round < 5; round++) {
      assert.equal((await refusalOf(place.provider, refused)).retryable, false)
      await place.provider.send(anEmail(), patience)
    }
    assert.ok(place.connections() <= 2)
  })
})

describe('a server that is not well', () => {
  const startOther = async (t: TestContext, onSocket: (socket: Socket) => void) => {
    const server = createServer(onSocket).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const provider = smtpProvider({ url: `smtp://127.0.0.1:${port}`, atOnce: 1, sender })
    t.after(async () => {
      await provider.close()
      await new Promise((resolve) => server.close(resolve))
    })
    return provider
  }

  test('no answer to a message is tried again when the patience ends, and the connection is cut', async (t) => {
    const heard = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const place = await startFor(t, {
      onData: (stream) => {
        stream.resume()
        heard.resolve()
      },
      onClose: () => closed.resolve(),
    })
    const end = new AbortController()
    const refusal = refusalOf(place.provider, anEmail(), end.signal)
    await within('it has the message', heard.promise)
    end.abort()
    assert.deepEqual(
      [(await refusal).retryable, (await refusal).message],
      [true, 'SMTP: The server did not answer in time.'],
    )
    await within('the connection is closed', closed.promise)
  })

  test('patience that ended before sends nothing', async (t) => {
    const place = await startFor(t)
    assert.equal((await refusalOf(place.provider, anEmail(), AbortSignal.abort())).retryable, true)
    assert.deepEqual(place.taken, [])
  })

  test('a server that does not even greet is tried again when the patience ends', async (t) => {
    const connected = Promise.withResolvers<void>()
    const provider = await startOther(t, () => connected.resolve())
    const end = new AbortController()
    const refusal = refusalOf(provider, anEmail(), end.signal)
    await within('it is connected', connected.promise)
    end.abort()
    assert.equal((await refusal).retryable, true)
  })

  test('a connection that drops amid a message is tried again', async (t) => {
    const provider = await startOther(t, (socket) => {
      socket.on('error', () => undefined)
      socket.write('220 mail.example.com ESMTP\r\n')
      socket.on('data', (data) => {
        if (String(data).startsWith('DATA')) socket.destroy()
        else socket.write('250 ok\r\n')
      })
    })
    assert.equal((await refusalOf(provider)).retryable, true)
  })

  test('no server at all is tried again', async (t) => {
    const place = await startFor(t)
    await place.stop()
    const provider = smtpProvider({ url: `smtp://127.0.0.1:${place.port}`, atOnce: 1, sender })
    assert.equal((await refusalOf(provider)).retryable, true)
    await provider.close()
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

  test('credentials of the address are used, whatever is in them', async (t) => {
    const place = await startFor(t, login, (port) => `smtp://me:s3cret%2F%2B@127.0.0.1:${port}`)
    await place.provider.send(anEmail(), patience)
    assert.equal(place.taken.length, 1)
  })

  test("wrong ones are the operator's to mend, and are not shown", async (t) => {
    const place = await startFor(t, login, (port) => `smtp://me:wr0ng@127.0.0.1:${port}`)
    const refusal = await refusalOf(place.provider)
    assert.deepEqual([refusal.retryable, refusal.message], [true, 'SMTP: 535 bad credentials'])
  })

  test('a certificate that nobody vouches for is refused, and nothing is said', async (t) => {
    const { options, url } = secured()
    const place = await startFor(t, options, url)
    const refusal = await refusalOf(place.provider)
    assert.equal(refusal.retryable, true)
    assert.match(refusal.message, /certificate/)
    assert.deepEqual(place.taken, [])
  })

  test('the address may say that it is taken all the same', async (t) => {
    const { options, url } = secured('?tls.rejectUnauthorized=false')
    const place = await startFor(t, options, url)
    await place.provider.send(anEmail(), patience)
    assert.equal(place.taken.length, 1)
  })

  test('a server that offers TLS is not spoken to without it', async (t) => {
    const place = await startFor(t, { disabledCommands: [] }, (port) => `smtp://localhost:${port}`)
    const refusal = await refusalOf(place.provider)
    assert.equal(refusal.retryable, true)
    assert.match(refusal.message, /certificate/)
  })
})
