/** E-mails through a real SMTP server: connections, credentials, TLS, and which errors are retried. */
import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import { smtpProvider } from '../../../../src/outbox/email/providers/smtp-provider.ts'
import { anEmail, deliveryErrorOf, neverAborted, sender } from '../../../support/email/an-email.ts'
import { startSmtp } from '../../../support/email/providers/an-smtp-server.ts'
import { within } from '../../../support/wait.ts'

/** Starts a server that is stopped after the test. */
const startServer = async (t: TestContext, ...given: Parameters<typeof startSmtp>) => {
  const smtp = await startSmtp(...given)
  t.after(smtp.stop)
  return smtp
}
/** An error answer of the server. */
const answer = (responseCode: number, message = 'rejected'): Error =>
  Object.assign(new Error(message), { responseCode })

test('at most the configured number of connections is opened', async (t) => {
  const { provider, taken, connections } = await startServer(t)
  await Promise.all(Array.from({ length: 30 }, () => provider.send(anEmail(), neverAborted)))
  assert.equal(taken.length, 30)
  assert.ok(connections() <= 2)
})

describe('an error answer', () => {
  const atConnect = (code: number): SMTPServerOptions => ({
    onConnect: (_session, done) => done(answer(code)),
  })
  const atSender = (code: number): SMTPServerOptions => ({
    onMailFrom: (_from, _session, done) => done(answer(code)),
  })
  const atRecipient = (code: number): SMTPServerOptions => ({
    onRcptTo: (_to, _session, done) => done(answer(code)),
  })
  const atMessage = (code: number): SMTPServerOptions => ({
    onData: (stream, _session, done) => {
      stream.resume()
      stream.on('end', () => done(answer(code)))
    },
  })
  for (const [what, options, retryable] of [
    ['a server that rejects the connection (554)', atConnect(554), true],
    ['a rejected sender (550)', atSender(550), true],
    ['a message whose announced size is too large (552)', atSender(552), false],
    ['a server that requires credentials at the recipient (530)', atRecipient(530), true],
    ['a greylisted address (450)', atRecipient(450), true],
    ['an unknown address (550)', atRecipient(550), false],
    ['a rejected message (554)', atMessage(554), false],
  ] as const)
    test(`${what} is ${retryable ? '' : 'not '}retried`, async (t) => {
      const error = await deliveryErrorOf((await startServer(t, options)).provider)
      assert.deepEqual([error.retryable, error.retryAfterMs], [retryable, undefined])
      assert.match(error.message, /^SMTP: \d{3} rejected/)
    })
})

// RFC 5321, 4.5.3.1: at most 64 characters before the @ and 255 after it.
const invalid = [
  `${'a'.repeat(288)}@example.com`,
  'anna@example.com\r\nRCPT TO:<eve@example.com>',
  'anna@example.com>\r\nDATA',
  'anna@',
]
test('an invalid address is rejected without a retry', async (t) => {
  const { provider, taken } = await startServer(t)
  for (const address of invalid) {
    const error = await deliveryErrorOf(provider, anEmail({ to: { name: 'A', address } }))
    assert.equal(error.retryable, false, address)
  }
  assert.deepEqual(taken, [])
})

describe('credentials and TLS', () => {
  const login: SMTPServerOptions = {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'me' && password === 's3cret/+'
        ? done(null, { user: 'me' })
        : done(answer(535, 'bad credentials')),
  }
  const secure: SMTPServerOptions = { secure: true }
  const offering: SMTPServerOptions = { disabledCommands: [] }

  for (const [what, options, url, query] of [
    ['with percent-encoded credentials', login, 'smtp://me:s3cret%2F%2B@127.0.0.1', ''],
    [
      'that allows an untrusted certificate',
      ...([secure, 'smtps://localhost', '?tls.rejectUnauthorized=false'] as const),
    ],
  ] as const)
    test(`a URL ${what} is followed`, async (t) => {
      const smtp = await startServer(t, options, (port) => `${url}:${port}${query}`)
      await smtp.provider.send(anEmail(), neverAborted)
      assert.equal(smtp.taken.length, 1)
    })

  for (const [what, options, url, message] of [
    ['wrong credentials', login, 'smtp://me:wr0ng@127.0.0.1', /^SMTP: 535 bad credentials$/],
    ['an untrusted certificate', secure, 'smtps://localhost', /certificate/],
    ['a server that offers TLS with such a one', offering, 'smtp://localhost', /certificate/],
  ] as const)
    test(`${what}: nothing is sent, and it is retried`, async (t) => {
      const smtp = await startServer(t, options, (port) => `${url}:${port}`)
      const error = await deliveryErrorOf(smtp.provider)
      assert.equal(error.retryable, true)
      assert.match(error.message, message)
      assert.deepEqual(smtp.taken, [])
    })
})

describe('an unavailable server', () => {
  const providerAt = (port: number) =>
    smtpProvider({ url: `smtp://127.0.0.1:${port}`, atOnce: 1, sender })

  test('a message without an answer is retried after the abort, and the connection is closed', async (t) => {
    const [received, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const smtp = await startServer(t, {
      onData: (stream) => {
        stream.resume()
        received.resolve()
      },
      onClose: () => closed.resolve(),
    })
    const controller = new AbortController()
    const failing = deliveryErrorOf(smtp.provider, anEmail(), controller.signal)
    await within('the server has the message', received.promise)
    controller.abort()
    const { retryable, message } = await failing
    assert.deepEqual([retryable, message], [true, 'SMTP: The server did not answer in time.'])
    await within('the connection is closed', closed.promise)
  })

  test('a message that is aborted before sending is not sent', async (t) => {
    const { provider, taken } = await startServer(t)
    const error = await deliveryErrorOf(provider, anEmail(), AbortSignal.abort())
    assert.deepEqual([error.retryable, taken], [true, []])
  })

  test('a connection that is lost during a message is retried', async (t) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write('220 mail.example.com ESMTP\r\n')
      socket.on('data', (data) => {
        if (String(data).startsWith('DATA')) socket.destroy()
        else socket.write('250 ok\r\n')
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const provider = providerAt((server.address() as AddressInfo).port)
    t.after(async () => {
      await provider.close()
      await new Promise((resolve) => server.close(resolve))
    })
    assert.equal((await deliveryErrorOf(provider)).retryable, true)
  })
})
