/**
 * An SMTP server that throws away what it is given, and counts. It listens on a free port, and answers
 * an Expectation when so many e-mails have come, or when none has come for a while.
 */
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { answerQuestions } from './asked-process.ts'

export type Expectation = { readonly mails: number }

export type Arrived = {
  /** Where the server listens. */
  readonly port: number
  readonly mails: number
  readonly bytes: number
  /** Milliseconds since 1970, of the first and the last e-mail. */
  readonly firstAt: number
  readonly lastAt: number
  /** One of them as it came. */
  readonly sample: string
}

const patienceMs = 60_000

const nothing = { mails: 0, bytes: 0, firstAt: 0, lastAt: 0, sample: '' }
let arrived = nothing
let look: () => void = () => undefined

const take: SMTPServerOptions['onData'] = (stream, _session, done) => {
  // The bytes of the first are kept, those of the others only counted.
  const kept: Buffer[] | undefined = arrived.mails === 0 ? [] : undefined
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    kept?.push(chunk)
  })
  stream.on('end', () => {
    const now = performance.timeOrigin + performance.now()
    arrived = {
      mails: arrived.mails + 1,
      bytes: arrived.bytes + bytes,
      firstAt: arrived.mails === 0 ? now : arrived.firstAt,
      lastAt: now,
      sample: arrived.sample || Buffer.concat(kept ?? []).toString(),
    }
    done()
    look()
  })
}

const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  disableReverseLookup: true,
  logger: false,
  onData: take,
})
const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

answerQuestions(async ({ mails }: Expectation): Promise<Arrived> => {
  await listening
  const settled = Promise.withResolvers<void>()
  const late = setTimeout(settled.resolve, patienceMs)
  look = () => {
    late.refresh()
    if (arrived.mails >= mails) settled.resolve()
  }
  // Some may be here already.
  look()
  await settled.promise
  clearTimeout(late)
  const address = server.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const counted = { ...arrived, port }
  arrived = nothing
  return counted
})
