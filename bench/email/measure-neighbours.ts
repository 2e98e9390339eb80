/** What a hundred PDFs do to a reader of single records. */
import { fileURLToPath } from 'node:url'
import { median } from '../figures.ts'
import type { LoadResult } from '../records/load.ts'
import type { Table } from '../report.ts'
import { runProgram } from '../run-program.ts'
import { getDocument } from './get-document.ts'
import type { MailPlace } from './mail-place.ts'
import type { RateWish } from './read-at-rate.ts'

const rounds = 3
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
  const idle = figuresOf(alone)
  return {
    title: `GET /purchase_order/:id, ${perSecond} per second (ms), median of ${rounds}`,
    rows: [
      { what: 'alone', ...idle },
      ...beside.map(({ atOnce, results, hundreds }) => {
        const busy = figuresOf(results)
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

const figuresOf = (results: readonly LoadResult[]) => ({
  p50: median(results.map(({ p50 }) => p50)),
  p99: median(results.map(({ p99 }) => p99)),
  most: median(results.map(({ most }) => most)),
})

const generator = fileURLToPath(new URL('./read-at-rate.ts', import.meta.url))

const readAtRate = async ({ url, token }: MailPlace): Promise<LoadResult> => {
  const wish: RateWish = { url, token, perSecond, ms: readMs }
  const { output } = await runProgram(process.execPath, [generator, JSON.stringify(wish)])
  return JSON.parse(output) as LoadResult
}

/** The PDFs are made for as long as the reader reads. */
const readBeside = async (place: MailPlace, beside: Beside): Promise<LoadResult> => {
  let isReading = true
  const printAgain = async () => {
    while (isReading) {
      const begun = performance.now()
      await printAll(place, beside.atOnce)
      beside.hundreds.push(performance.now() - begun)
    }
  }
  const printing = printAgain()
  const result = await readAtRate(place)
  isReading = false
  await printing
  return result
}

const printAll = async (place: MailPlace, atOnce: number): Promise<void> => {
  let printed = 0
  const keepPrinting = async () => {
    while (printed < documentCount) {
      const id = 1 + printed++
      await getDocument(place, `/purchase_order/${id}/documents/purchase-order`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, keepPrinting))
}
