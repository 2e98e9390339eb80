/** A real SMTP server that behaves as a test says, and keeps what it was given. */
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { EmailProvider } from '../../../src/email/provider.ts'
import { smtpProvider } from '../../../src/email/providers/smtp-provider.ts'
import { sender } from '../an-email.ts'

export type Place = {
  /** Sends to the server, without TLS and credentials. */
  readonly provider: EmailProvider
  readonly port: number
  /** The messages that were taken, as they came. */
  readonly taken: string[]
  /** The last of them, read by another program. */
  readonly last: () => Promise<ParsedMail>
  /** How often somebody connected. */
  readonly connections: () => number
  readonly stop: () => Promise<void>
}

/** Starts it; `url` is built from the port where credentials or TLS are to be in it. */
export const startSmtp = async (
  options: SMTPServerOptions = {},
  url = (port: number) => `smtp://127.0.0.1:${port}`,
): Promise<Place> => {
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
    provider,
    port,
    taken,
    last: () => simpleParser(taken.at(-1) ?? ''),
    connections: () => connections,
    stop: async () => {
      await provider.close()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** An error as the server says it: a code and a text. */
export const answer = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode })
