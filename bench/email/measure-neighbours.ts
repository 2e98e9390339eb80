/** What a hundred PDFs do to a reader of single records. */
import { median } from '../figures.ts'
import { openClient } from '../http-client.ts'
import type { LoadResult } from '../load/load.ts'
import { measureBeside, mediansOf, rounds, runLoad } from '../load/run-load.ts'
import type { Table } from '../report.ts'
import type { MailPlace } from './mail-place.ts'

const readMs = 5000
const perSecond = 200
const documentCount = 100
// A few at once, and as many as one caller may have waiting.
const crowds = [4, 20]

type Beside = {
  readonly atOnce: number
  readonly results: LoadResult[]
  readonly hundreds: number[]
}

/** `GET /purchase_order/:id` at a fixed rate: alone, and while a hundred PDFs are made, by turns. */
export const measureNeighbours = async (place: MailPlace): Promise<Table> => {
  const alone: LoadResult[] = []
  const beside = crowds.map((atOnce): Beside => ({ atOnce, results: [], hundreds: [] }))
  await readAtRate(place)
  for (let round = 0; round < rounds; round++) {
    alone.push(await readAtRate(place))
    for (const one of beside) one.results.push(await readBeside(place, one))
  }
  const idle = mediansOf(alone)
  return {
    title: `GET /purchase_order/:id, ${perSecond} per second (ms), median of ${rounds}`,
    rows: [
      { what: 'alone', ...idle },
      ...beside.map(({ atOnce, results, hundreds }) => {
        const busy = mediansOf(results)
        return {
          what: `beside ${documentCount} PDFs, ${atOnce} at once, again and again`,
          ...busy,
          'p99 ratio': busy.p99 / idle.p99,
          '100 PDFs': median(hundreds),
        }
      }),
    ],
  }
}

const readAtRate = ({ url, token }: MailPlace): Promise<LoadResult> =>
  runLoad({ url, token, operation: 'read an order', perSecond, ms: readMs })

/** The PDFs are made for as long as the reader reads. */
const readBeside = (place: MailPlace, { atOnce, hundreds }: Beside): Promise<LoadResult> => {
  const print = async () => {
    const begun = performance.now()
    await printAll(place, atOnce)
    hundreds.push(performance.now() - begun)
  }
  return measureBeside(print, () => readAtRate(place))
}

const printAll = async (place: MailPlace, atOnce: number): Promise<void> => {
  const ask = openClient(place)
  let printed = 0
  const keepPrinting = async () => {
    while (printed < documentCount) {
      const id = 1 + printed++
      await ask({ path: `/purchase_order/${id}/documents/purchase-order` })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, keepPrinting))
}
