/** One event to everybody, with a PDF and a document of a function: made once, and what it takes. */
import { setTimeout as delay } from 'node:timers/promises'
import { openClient } from '../http-client.ts'
import { watchMemory } from '../memory.ts'
import { aimOf, type Table } from '../report.ts'
import type { Program } from '../start-program.ts'
import type { MailPlace } from './mail-place.ts'
import { checkMailing } from './mailing-check.ts'
import { startSink } from './start-sink.ts'

const maxMiB = 150
const idleMs = 3000

const orderId = 7

/** Memory of a process that has done nothing before, from idle to the last e-mail. */
export const measureMailing = async (place: MailPlace): Promise<Table> => {
  const { recipients, databaseUrl } = place
  const sink = await startSink()
  const worker = await place.startWorker(sink.port)
  try {
    await delay(idleMs)
    const begun = performance.now()
    const memory = await watchMemory(worker.pid, () =>
      Promise.all([
        sink.expect(recipients),
        openClient(place)({ method: 'POST', path: `/purchase_order/${orderId}/takeOwnership` }),
      ]),
    )
    const seconds = (performance.now() - begun) / 1000
    await checkMailing(databaseUrl, { recipients, attachments: 2 })
    assertMadeOnce(worker)
    const growth = memory ? memory.peak - memory.before : Number.NaN
    return {
      title: `${recipients.toLocaleString('en')} e-mails with a PDF and a CSV, each made once, in ${seconds.toFixed(1)} s (MiB)`,
      rows: [
        { what: 'worker, idle', MiB: memory?.before },
        { what: 'worker, peak', MiB: memory?.peak },
        { what: 'above idle', MiB: growth, ...aimOf(growth, { most: maxMiB }) },
        { what: 'process that prints, peak', MiB: memory?.child },
      ],
    }
  } finally {
    await worker.stop()
    await sink.stop()
  }
}

/**
 * The function logs every call, and one job makes all documents: one call is one job. Whatever the
 * worker warned of would be a try that failed.
 */
const assertMadeOnce = ({ lines }: Program): void => {
  const logged = lines.filter((line) => line.startsWith('{')).map(readLine)
  const calls = logged.filter(({ msg }) => msg === 'functionLogged')
  const errors = logged.filter(({ level }) => level !== 'info')
  if (calls.length === 1 && errors.length === 0) return
  const [fault] = errors
  throw new Error(`The function was called ${calls.length} times; ${JSON.stringify(fault)}`)
}

const readLine = (line: string) =>
  JSON.parse(line) as { readonly msg: string; readonly level: string }
