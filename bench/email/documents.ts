/** PDFs of records: one page, many pages, and their effect on other requests. */
import { median, rounds, spreadOf, timed } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { load, measureBeside } from '../load.ts'
import { watchMemory } from '../memory.ts'
import { aimOf, type Table } from '../report.ts'
import { largeSuppliers, orderCount } from './fill.ts'
import type { Measured } from './measured.ts'
import { openDocuments, readInput } from './service-parts.ts'
import { openFloor } from './typst-floor.ts'

/** The order first, because the service has rendered nothing yet. */
export const measureDocuments = async (measured: Measured): Promise<Table[]> => [
  await measureOrder(measured),
  await measureNeighbours(measured),
  await measureList(measured),
]

const orders = 300

/** An order of one page with twenty lines: the first document, then warm ones, each of another order. */
const measureOrder = async (measured: Measured): Promise<Table> => {
  const documents = await openDocuments(measured)
  const send = openClient(measured.service)
  const get = (id: number) => send({ path: `/purchase_order/${id}/documents/purchase-order` })
  const read = (id: number) => readInput(documents, 'purchase-order', id)
  const { template, json } = await read(orderCount)
  const begun = performance.now()
  const render = openFloor(template)
  const rendered = render(json)
  const between = performance.now()
  const answered = (await get(orderCount)).byteLength
  const [theirFirst, ourFirst] = [between - begun, performance.now() - between]
  // The floor must render the same document.
  if (rendered.pages !== 1 || Math.abs(rendered.bytes / answered - 1) > 0.01)
    throw new Error(
      `The PDFs have ${rendered.bytes} bytes, ${rendered.pages} pages, and ${answered} bytes.`,
    )
  const inputs = await Promise.all(Array.from({ length: orders }, (_, index) => read(1 + index)))
  const [theirs, ours]: [number[], number[]] = [[], []]
  for (const [index, input] of inputs.entries()) {
    theirs.push(await timed(() => render(input.json)))
    ours.push(await timed(() => get(1 + index)))
  }
  const [them, us] = [spreadOf(theirs), spreadOf(ours)]
  const ratio = us.p50 / them.p50
  return {
    title: `A PDF of one page, ${Math.round(rendered.bytes / 1000)} KB (ms), ${orders} warm`,
    rows: [
      { what: 'Typst in this process', first: theirFirst, ...them },
      { what: 'GET', first: ourFirst, ...us, ratio, ...aimOf(ratio, { most: 2 }) },
      { what: 'GET, warm', p50: us.p50, ...aimOf(us.p50, { most: 10 }) },
    ],
  }
}

const perSecond = 200
// A few, and as many as one caller may have waiting.
const renderedAtOnce = [4, 20]

/** `GET /purchase_order/:id` at a fixed rate: alone, and while PDFs are rendered continuously. */
const measureNeighbours = async ({ service }: Measured): Promise<Table> => {
  const request = (turn: number) => ({ path: `/purchase_order/${1 + (turn % orderCount)}` })
  const send = openClient(service)
  let rendered = 0
  const work = () =>
    send({ path: `/purchase_order/${1 + (rendered++ % 100)}/documents/purchase-order` })
  const rows = await measureBeside(
    () => load(service, { request, perSecond, ms: 5000 }),
    renderedAtOnce.map((atOnce) => ({ what: 'PDFs', work, atOnce })),
  )
  const title = `GET /purchase_order/:id, ${perSecond} per second (ms), median of ${rounds}`
  return { title, rows }
}

/** Lists of 200 pages, by turns; each is of another supplier, so that none is cached. */
const measureList = async (measured: Measured): Promise<Table> => {
  const { service } = measured
  const documents = await openDocuments(measured)
  const ids = Array.from({ length: largeSuppliers }, (_, index) => 1 + index)
  const read = (id: number) => readInput(documents, 'supplier-orders', id)
  const inputs = await Promise.all(ids.map(read))
  const [first] = inputs
  if (!first) throw new Error('There is no supplier.')
  const render = openFloor(first.template)
  const send = openClient(service)
  let list = { pages: 0, bytes: 0 }
  const [theirs, ours]: [number[], number[]] = [[], []]
  const memory = await watchMemory(service.pid, async () => {
    for (const [index, { json }] of inputs.entries()) {
      const path = `/supplier/${ids[index]}/documents/supplier-orders`
      theirs.push(
        await timed(() => {
          list = render(json)
        }),
      )
      ours.push(await timed(() => send({ path })))
    }
  })
  const [us, them] = [median(ours), median(theirs)]
  return {
    title: `A list of ${list.pages} pages, ${(list.bytes / 1e6).toFixed(1)} MB, median of ${largeSuppliers}`,
    rows: [
      { what: 'Typst in this process (ms)', median: them, most: Math.max(...theirs) },
      { what: 'GET (ms)', median: us, most: Math.max(...ours), ratio: us / them },
      { what: 'service, before (MiB)', most: memory.before },
      { what: 'service, peak (MiB)', most: memory.peak },
      { what: 'process that renders, peak (MiB)', most: memory.child },
    ],
  }
}
