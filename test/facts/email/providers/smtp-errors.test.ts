/** Errors of an SMTP server: which are retried and which are not. */
import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import { smtpProvider } from '../../../../src/email/providers/smtp-provider.ts'
import { anEmail, deliveryErrorOf, neverAborted, sender } from '../../../support/email/an-email.ts'
import { answer, startServer } from '../../../support/email/providers/an-smtp-server.ts'
import { within } from '../../../support/wait.ts'

describe('an error answer', () => {
  const rejectMessage = (code: number): NonNullable<SMTPServerOptions['onData']> => {
    return (stream, _session, done) => {
      stream.resume()
      stream.on('end', () => done(answer(code, 'rejected')))
    }
  }
  const cases: [title: string, options: SMTPServerOptions, retryable: boolean][] = [
    [
      'a greylisted address (450) is retried',
      { onRcptTo: (_to, _session, done) => done(answer(450, 'rejected')) },
      true,
    ],
    [
      'an unknown address (550) is not retried',
      { onRcptTo: (_to, _session, done) => done(answer(550, 'rejected')) },
      false,
    ],
    ['a rejected message (554) is not retried', { onData: rejectMessage(554) }, false],
    ['a message without storage space (452) is retried', { onData: rejectMessage(452) }, true],
    ['a message that is too large (552) is not retried', { onData: rejectMessage(552) }, false],
    [
      'a rejected sender (550) is retried',
      { onMailFrom: (_from, _session, done) => done(answer(550, 'rejected')) },
      true,
    ],
    [
      'a server that requires credentials (530) is retried',
      { onMailFrom: (_from, _session, done) => done(answer(530, 'rejected')) },
      true,
    ],
    [
      'a server that requires credentials at the recipient (530) is retried',
      { onRcptTo: (_to, _session, done) => done(answer(530, 'rejected')) },
      true,
    ],
    [
      'a busy server (421) is retried',
      { onConnect: (_session, done) => done(answer(421, 'rejected')) },
      true,
    ],
    [
      'a server that rejects the connection (554) is retried',
      { onConnect: (_session, done) => done(answer(554, 'rejected')) },
      true,
    ],
  ]
  for (const [title, options, retryable] of cases)
    test(title, async (t) => {
      const { provider } = await startServer(t, options)
      const error = await deliveryErrorOf(provider)
      assert.deepEqual([error.retryable, error.retryAfterMs], [retryable, undefined])
      assert.match(error.message, /^SMTP: \d{3} rejected/)
    })

  test('a rejected recipient does not close the connection', async (t) => {
    const smtp = await startServer(t, {
      onRcptTo: ({ address }, _session, done) =>
        done(address.startsWith('no') ? answer(550, 'rejected') : null),
    })
    const unknownRecipient = anEmail({ to: { name: 'Nobody', address: 'no@example.com' } })
    for (let round = 0; round < 5; round++) {
      assert.equal((await deliveryErrorOf(smtp.provider, unknownRecipient)).retryable, false)
      await smtp.provider.send(anEmail(), neverAborted)
    }
    assert.ok(smtp.connections() <= 2)
  })
})

describe('an unavailable server', () => {
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

  test('a message without an answer is retried after the abort, and the connection is closed', async (t) => {
    const received = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    const smtp = await startServer(t, {
      onData: (stream) => {
        stream.resume()
        received.resolve()
      },
      onClose: () => closed.resolve(),
    })
    const controller = new AbortController()
    const error = deliveryErrorOf(smtp.provider, anEmail(), controller.signal)
    await within('the server has the message', received.promise)
    controller.abort()
    assert.deepEqual(
      [(await error).retryable, (await error).message],
      [true, 'SMTP: The server did not answer in time.'],
    )
    await within('the connection is closed', closed.promise)
  })

  test('a message that is aborted before sending is not sent', async (t) => {
    const smtp = await startServer(t)
    assert.equal(
      (await deliveryErrorOf(smtp.provider, anEmail(), AbortSignal.abort())).retryable,
      true,
    )
    assert.deepEqual(smtp.taken, [])
  })

  test('a server without a greeting is retried after the abort', async (t) => {
    const connected = Promise.withResolvers<void>()
    const provider = await startOther(t, () => connected.resolve())
    const controller = new AbortController()
    const error = deliveryErrorOf(provider, anEmail(), controller.signal)
    await within('the client is connected', connected.promise)
    controller.abort()
    assert.equal((await error).retryable, true)
  })

  test('a connection that is lost during a message is retried', async (t) => {
    const provider = await startOther(t, (socket) => {
      socket.on('error', () => undefined)
      socket.write('220 mail.example.com ESMTP\r\n')
      socket.on('data', (data) => {
        if (String(data).startsWith('DATA')) socket.destroy()
        else socket.write('250 ok\r\n')
      })
    })
    assert.equal((await deliveryErrorOf(provider)).retryable, true)
  })

  test('a refused connection is retried', async (t) => {
    const smtp = await startServer(t)
    await smtp.stop()
    const provider = smtpProvider({ url: `smtp://127.0.0.1:${smtp.port}`, atOnce: 1, sender })
    assert.equal((await deliveryErrorOf(provider)).retryable, true)
    await provider.close()
  })
})
