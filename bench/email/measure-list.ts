/** A list of 200 pages as a PDF: how long it takes, and what it takes of memory. */
import { median } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { watchMemory } from '../memory.ts'
import type { Table } from '../report.ts'
import { largeSuppliers } from './fill.ts'
import type { MailPlace } from './mail-place.ts'
import { type Deps, dataOf, templateOf } from './open-parts.ts'
import { openFloor } from './typst-floor.ts'

const entityKey = 'supplier'

/** Over HTTP and by Typst alone, by turns; each list is of another supplier, so that none is known. */
export const measureList = async (place: MailPlace, deps: Deps): Promise<Table> => {
  const template = await templateOf(deps, 'supplier-orders.typ')
  const ids = Array.from({ length: largeSuppliers }, (_, index) => 1 + index)
  const data = await Promise.all(ids.map((id) => dataOf(deps, { template, entityKey }, id)))
  const floor = await openFloor(template)
  const ask = openClient(place)
  const lists: { readonly pages: number; readonly bytes: number }[] = []
  const theirs: number[] = []
  const ours: number[] = []
  const memory = await watchMemory(place.pid, async () => {
    for (const [index, json] of data.entries()) {
      const begun = performance.now()
      const { pages, pdf } = floor.print(json)
      const between = performance.now()
      await ask({ path: `/${entityKey}/${ids[index]}/documents/supplier-orders` })
      theirs.push(between - begun)
      ours.push(performance.now() - between)
      lists.push({ pages, bytes: pdf.byteLength })
    }
  })
  const [us, them] = [median(ours), median(theirs)]
  const megabytes = (median(lists.map(({ bytes }) => bytes)) / 1e6).toFixed(1)
  return {
    title: `A list of ${median(lists.map(({ pages }) => pages))} pages, ${megabytes} MB, median of ${largeSuppliers}`,
    rows: [
      { what: 'Typst in this process (ms)', median: them, most: Math.max(...theirs) },
      { what: 'GET (ms)', median: us, most: Math.max(...ours), ratio: us / them },
      { what: 'service, before (MiB)', most: memory?.before },
      { what: 'service, peak (MiB)', most: memory?.peak },
      { what: 'process that prints, peak (MiB)', most: memory?.child },
    ],
  }
}
