/** E-mails per second from an event to the SMTP server, compared with nodemailer alone, by turns. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { byTurns, median, rounds, sampler } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { aimOf, type Table } from '../report.ts'
import { emailsAtOnce, type Measured } from './measured.ts'
import type { PeerRequest } from './nodemailer-peer.ts'
import { type Arrived, checkMailing, type Sink, startSink } from './smtp-sink.ts'

/**
 * One event for everybody, with an attachment of 50 KB that a function creates once. The figure includes
 * notifications, deliveries, templates and marks. The peer sends the same e-mail to as many users.
 */
export const compareSending = async (measured: Measured): Promise<Table[]> => {
  const sink = await startSink()
  const worker = await measured.startWorker(sink.port)
  const workerData = { port: sink.port, connections: emailsAtOnce }
  const peer = new Worker(new URL('./nodemailer-peer.ts', import.meta.url), { workerData })
  let sent: Arrived | undefined
  const docket = sampler(async () => {
    const begunAt = performance.now()
    sent = await sendByDocket(measured, sink)
    return rateOf(sent, begunAt)
  })
  const nodemailer = sampler(async () => {
    if (!sent) throw new Error('Docket sends first.')
    const { count, bytes, sample } = sent
    peer.postMessage({ count, sample } satisfies PeerRequest)
    const [arrived, [begunAt]] = await Promise.all([sink.expect(count), once(peer, 'message')])
    // The peer must send as much.
    if (Math.abs(arrived.bytes / bytes - 1) > 0.01)
      throw new Error(`The peer sent ${arrived.bytes} bytes, Docket ${bytes}.`)
    return rateOf(arrived, begunAt - performance.timeOrigin)
  })
  await byTurns([docket, nodemailer])
  await Promise.all([peer.terminate(), worker.stop()])
  await sink.stop()
  const [us, them] = [median(docket.samples), median(nodemailer.samples)]
  const ratio = us / them
  const title = `${measured.recipients.toLocaleString('en')} e-mails with 50 KB, ${emailsAtOnce} connections, median of ${rounds}`
  const rows = [
    { what: 'nodemailer', 'e-mails/s': them },
    { what: 'Docket, from the event on', 'e-mails/s': us, ratio, ...aimOf(ratio, { least: 0.8 }) },
  ]
  return [{ title, rows }]
}

const rateOf = ({ count, lastAt }: Arrived, begunAt: number) => (count / (lastAt - begunAt)) * 1000

const sendByDocket = async (measured: Measured, sink: Sink): Promise<Arrived> => {
  const body = { title: `Bulletin of ${Date.now()}` }
  const [arrived] = await Promise.all([
    sink.expect(measured.recipients),
    openClient(measured.service)({ method: 'POST', path: '/bulletin', body }),
  ])
  await checkMailing(measured, 1)
  return arrived
}
