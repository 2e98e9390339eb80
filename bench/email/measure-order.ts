/** An order of one page with twenty lines as a PDF: over HTTP, and by Typst alone, by turns. */
import { median, percentile } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { aimOf, type Table } from '../report.ts'
import { orderCount } from './fill.ts'
import type { MailPlace } from './mail-place.ts'
import { type Deps, dataOf, templateOf } from './open-parts.ts'
import { openFloor } from './typst-floor.ts'

const rounds = 3
const ordersPerRound = 100
const maxWarmMs = 10
const maxRatio = 2

const entityKey = 'purchase_order'

/** The first document with all that is loaded for it, then warm ones, each of another order. */
export const measureOrder = async (place: MailPlace, deps: Deps): Promise<Table> => {
  const template = await templateOf(deps, 'purchase-order.typ')
  const read = (id: number) => dataOf(deps, { template, entityKey }, id)
  const ask = openClient(place)
  const get = (id: number) => ask({ path: `/${entityKey}/${id}/documents/purchase-order` })
  const json = await read(orderCount)
  const begun = performance.now()
  const floor = await openFloor(template)
  const printed = floor.print(json)
  const between = performance.now()
  assertSame(printed, await get(orderCount))
  const theirs: Figures = { first: between - begun, rounds: [] }
  const ours: Figures = { first: performance.now() - between, rounds: [] }
  for (let round = 0; round < rounds; round++) {
    const ids = Array.from({ length: ordersPerRound }, (_, at) => 1 + round * ordersPerRound + at)
    const orders = await Promise.all(ids.map(async (id) => ({ id, json: await read(id) })))
    const samples = await timesOf(orders, {
      theirs: async (order) => floor.print(order.json),
      ours: ({ id }) => get(id),
    })
    theirs.rounds.push(samples.theirs)
    ours.rounds.push(samples.ours)
  }
  return table(theirs, ours, printed.pdf.byteLength)
}

type Ways<T> = { readonly theirs: T; readonly ours: T }

/** One way and the other for each order, so that what else the machine does meets both alike. */
const timesOf = async <T>(
  orders: readonly T[],
  ways: Ways<(order: T) => Promise<unknown>>,
): Promise<Ways<number[]>> => {
  const samples: Ways<number[]> = { theirs: [], ours: [] }
  for (const order of orders) {
    const begun = performance.now()
    await ways.theirs(order)
    const between = performance.now()
    await ways.ours(order)
    samples.theirs.push(between - begun)
    samples.ours.push(performance.now() - between)
  }
  return samples
}

type Figures = { readonly first: number; readonly rounds: (readonly number[])[] }

const table = (theirs: Figures, ours: Figures, bytes: number): Table => {
  const [us, them] = [rowOf(ours), rowOf(theirs)]
  const ratio = us.p50 / them.p50
  const kilobytes = Math.round(bytes / 1000)
  return {
    title: `A PDF of one page, ${kilobytes} KB (ms), warm: median of ${rounds} times ${ordersPerRound}`,
    rows: [
      { what: 'Typst in this process', ...them },
      { what: 'GET', ...us, ratio, ...aimOf(ratio, { most: maxRatio }) },
      { what: 'GET, warm', p50: us.p50, ...aimOf(us.p50, { most: maxWarmMs }) },
    ],
  }
}

const rowOf = ({ first, rounds: samples }: Figures) => ({
  first,
  p50: median(samples.map((one) => percentile(one, 50))),
  p99: median(samples.map((one) => percentile(one, 99))),
})

/** A floor that makes another document would be no floor. */
const assertSame = (
  { pdf, pages }: { readonly pdf: Uint8Array; readonly pages: number },
  answered: Uint8Array,
): void => {
  if (pages !== 1) throw new Error(`The order takes ${pages} pages instead of one.`)
  if (Math.abs(pdf.byteLength / answered.byteLength - 1) > 0.01)
    throw new Error(`The PDFs have ${pdf.byteLength} and ${answered.byteLength} bytes.`)
}
