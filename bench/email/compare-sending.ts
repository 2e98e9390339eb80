/** E-mails per second from an event to the SMTP server, beside nodemailer by itself, by turns. */
import { median } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { aimOf, type Table } from '../report.ts'
import { startAsked } from './asked-process.ts'
import { emailsAtOnce, type MailPlace } from './mail-place.ts'
import type { Mailed, MailerWish } from './mailer.ts'
import { checkMailing } from './mailing-check.ts'
import type { Arrived } from './sink.ts'
import { type Sink, startSink } from './start-sink.ts'

const rounds = 3
const leastRatio = 0.8

/**
 * One event to everybody, with an attachment of 50 KB that a function makes once: notifications,
 * deliveries, templates and marks are in the figure. The peer sends the same e-mail to as many people.
 */
export const compareSending = async (place: MailPlace): Promise<Table> => {
  const sink = await startSink()
  const worker = await place.startWorker(sink.port)
  const mailer = startAsked<MailerWish, Mailed>('./mailer.ts', [`${sink.port}`, `${emailsAtOnce}`])
  try {
    const ours: Turn[] = []
    const theirs: Turn[] = []
    for (let round = -1; round < rounds; round++) {
      const docket = await sendByDocket(place, sink)
      const peer = await sendByPeer(mailer.ask, sink, docket.arrived)
      // The first round only warms up.
      if (round < 0) continue
      ours.push(docket)
      theirs.push(peer)
    }
    const [us, them] = [figuresOf(ours), figuresOf(theirs)]
    const ratio = us['e-mails/s'] / them['e-mails/s']
    return {
      title: `${place.recipients.toLocaleString('en')} e-mails with 50 KB, ${emailsAtOnce} connections, median of ${rounds}`,
      rows: [
        { what: 'nodemailer', ...them },
        { what: 'Docket, from the event on', ...us, ratio, ...aimOf(ratio, { least: leastRatio }) },
      ],
    }
  } finally {
    await Promise.all([mailer.stop(), worker.stop()])
    await sink.stop()
  }
}

type Turn = { readonly startedAt: number; readonly arrived: Arrived }

const sendByDocket = async (place: MailPlace, sink: Sink): Promise<Turn> => {
  const { recipients, databaseUrl } = place
  const startedAt = performance.timeOrigin + performance.now()
  const [arrived] = await Promise.all([
    sink.expect(recipients),
    openClient(place)({
      method: 'POST',
      path: '/bulletin',
      body: { title: `Bulletin of ${startedAt}` },
    }),
  ])
  await checkMailing(databaseUrl, { recipients, attachments: 1 })
  return { startedAt, arrived }
}

const sendByPeer = async (
  send: (wish: MailerWish) => Promise<Mailed>,
  sink: Sink,
  { mails, bytes, sample }: Arrived,
): Promise<Turn> => {
  const [arrived, { startedAt }] = await Promise.all([sink.expect(mails), send({ mails, sample })])
  // A peer that sends less would be no peer.
  if (Math.abs(arrived.bytes / bytes - 1) > 0.01)
    throw new Error(`The peer sent ${arrived.bytes} bytes, Docket ${bytes}.`)
  return { startedAt, arrived }
}

const figuresOf = (turns: readonly Turn[]) => ({
  'e-mails/s': median(
    turns.map(({ startedAt, arrived }) => (arrived.mails / (arrived.lastAt - startedAt)) * 1000),
  ),
  'first (ms)': median(turns.map(({ startedAt, arrived }) => arrived.firstAt - startedAt)),
  'KB each': median(turns.map(({ arrived }) => arrived.bytes / arrived.mails / 1000)),
})
