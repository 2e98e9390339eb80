/** An SMTP server that counts e-mails and discards them; the benchmark does nothing else meanwhile. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { until } from '../../test/support/wait.ts'
import type { Measured } from './measured.ts'

export type Arrived = {
  readonly count: number
  readonly bytes: number
  /** The time of the last e-mail, of performance.now(). */
  readonly lastAt: number
  /** The first e-mail as it was received. */
  readonly sample: string
}

export type Sink = {
  readonly port: number
  /** Counts from the last call on; resolves with the last of so many e-mails. */
  readonly expect: (count: number) => Promise<Arrived>
  readonly stop: () => Promise<void>
}

const waitSeconds = 300
const nothing: Arrived = { count: 0, bytes: 0, lastAt: 0, sample: '' }

/** Resolves when it listens. */
export const startSink = async (): Promise<Sink> => {
  let arrived = nothing
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onData: (stream, _session, done) => {
      // The bytes of the first e-mail are stored, those of the others only counted.
      const kept: Buffer[] | undefined = arrived.count === 0 ? [] : undefined
      let bytes = 0
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        kept?.push(chunk)
      })
      stream.on('end', () => {
        arrived = {
          count: arrived.count + 1,
          bytes: arrived.bytes + bytes,
          lastAt: performance.now(),
          sample: arrived.sample || Buffer.concat(kept ?? []).toString(),
        }
        done()
      })
    },
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    expect: async (count) => {
      await until(`${count} e-mails arrive`, () => arrived.count >= count, waitSeconds)
      const found = arrived
      arrived = nothing
      if (found.count === count) return found
      throw new Error(`${found.count} e-mails arrived instead of ${count}.`)
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
      }),
  }
}

type Mailing = {
  readonly deliveries: number
  /** Not marked as sent yet. */
  readonly open: number
  /** Sent by more than one attempt. */
  readonly retried: number
  readonly attachments: number
  /** Attachments that could not be created. */
  readonly errors: number
}

/** Waits until everything is marked; throws unless everybody got one e-mail with all attachments. */
export const checkMailing = async (
  { pool, recipients }: Measured,
  attachments: number,
): Promise<void> => {
  const isMarked = async () => {
    const { rows } = await pool.query<Mailing>(lastMailing)
    return rows[0]?.open === 0 && rows[0]
  }
  const { open: _, ...found } = await until('every e-mail is marked', isMarked, waitSeconds)
  const expected = { deliveries: recipients, retried: 0, attachments, errors: 0 }
  assert.deepEqual(found, expected, 'The last mailing did not go right.')
}

const lastMailing = `
  WITH m AS (SELECT max(id) AS id FROM docket.mailing)
  SELECT count(*)::integer AS deliveries,
    count(*) FILTER (WHERE status <> 'sent')::integer AS open,
    count(*) FILTER (WHERE tries > 1)::integer AS retried,
    (SELECT count(*)::integer FROM docket.attachment a, m WHERE a.mailing_id = m.id) AS attachments,
    (SELECT count(*)::integer FROM docket.attachment a, m WHERE a.mailing_id = m.id AND fault IS NOT NULL) AS errors
  FROM docket.delivery d, m WHERE d.mailing_id = m.id`
