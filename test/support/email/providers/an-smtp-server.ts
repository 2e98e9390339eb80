/** A real SMTP server with the options of a test, which keeps the messages that it accepted. */
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { smtpProvider } from '../../../../src/outbox/email/providers/smtp-provider.ts'
import { sender } from '../an-email.ts'

/** Starts the server; `url` gives its address when that needs credentials or TLS. */
export const startSmtp = async (
  options: SMTPServerOptions = {},
  url = (port: number) => `smtp://127.0.0.1:${port}`,
) => {
  const taken: string[] = []
  let connections = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onData: (stream, _session, done) => {
      text(stream).then((message) => {
        taken.push(message)
        done()
      }, done)
    },
    ...options,
    onConnect: (session, done) => {
      connections++
      if (options.onConnect) options.onConnect(session, done)
      else done()
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const provider = smtpProvider({ url: url(port), atOnce: 2, sender })
  return {
    /** Sends to the server, without TLS and credentials. */
    provider,
    port,
    /** The accepted messages, unparsed. */
    taken,
    /** The number of connections so far. */
    connections: () => connections,
    stop: async () => {
      await provider.close()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
