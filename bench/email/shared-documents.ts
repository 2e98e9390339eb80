/**
 * One event for everybody, with a PDF and a document of a function: each created once, and the memory for
 * it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { timed } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { watchMemory } from '../memory.ts'
import type { Program } from '../programs.ts'
import { aimOf, type Table } from '../report.ts'
import type { Measured } from './measured.ts'
import { checkMailing, startSink } from './smtp-sink.ts'

const idleMs = 3000
const path = '/purchase_order/7/takeOwnership'

/** Memory of a fresh process, from idle to the last e-mail. */
export const measureShared = async (measured: Measured): Promise<Table[]> => {
  const { recipients, service } = measured
  const sink = await startSink()
  const worker = await measured.startWorker(sink.port)
  await delay(idleMs)
  const send = () =>
    Promise.all([sink.expect(recipients), openClient(service)({ method: 'POST', path })])
  let ms = 0
  const memory = await watchMemory(worker.pid, async () => {
    ms = await timed(send)
  })
  await checkMailing(measured, 2)
  assertMadeOnce(worker)
  await worker.stop()
  await sink.stop()
  const growth = memory.growth ?? Number.NaN
  const title = `${recipients.toLocaleString('en')} e-mails with a PDF and a CSV, each made once, in ${(ms / 1000).toFixed(1)} s (MiB)`
  const rows = [
    { what: 'worker, idle', MiB: memory.before },
    { what: 'worker, peak', MiB: memory.peak },
    { what: 'above idle', MiB: growth, ...aimOf(growth, { most: 150 }) },
    { what: 'process that renders, peak', MiB: memory.child },
  ]
  return [{ title, rows }]
}

/**
 * The function logs every call, and one job creates all documents: one call is one job. A warning of the
 * worker would be a failed attempt.
 */
const assertMadeOnce = ({ lines }: Program): void => {
  const logged = lines.filter((line) => line.startsWith('{')).map(readLine)
  const calls = logged.filter(({ msg }) => msg === 'functionLogged')
  const [error] = logged.filter(({ level }) => level !== 'info')
  if (calls.length === 1 && !error) return
  throw new Error(`The function was called ${calls.length} times; ${JSON.stringify(error)}`)
}

const readLine = (line: string) =>
  JSON.parse(line) as { readonly msg: string; readonly level: string }
