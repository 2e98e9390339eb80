/** What a browser loads for a list, and how long users wait for it, on a processor four times as slow. */
import { gzipSync } from 'node:zlib'
import { spreadOf } from '../figures.ts'
import { aimOf, type Row, type Table } from '../report.ts'
import { filledRow, openContext, openPage, timeUntil, type Visitor } from './browser.ts'

const slowdown = 4
const visits = 10
const listPath = '/console/invoice'

/** Scripts and styles of the packages that others publish, after `gzip -6`, in KB; measured in November 2026. */
const peers: readonly Row[] = [
  { page: 'NocoDB gui 0.301.3', files: 2, 'gzip KB': 1460 },
  { page: 'Directus app 18.0.0', files: 7, 'gzip KB': 2300 },
  { page: 'NocoBase app 2.2.15, new shell', files: 11, 'gzip KB': 3000 },
]

/** Scripts and styles of the list. */
export const measureSize = async (visitor: Visitor): Promise<Table> => {
  const context = await openContext(visitor)
  const { page } = await openPage(context)
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    if (['script', 'stylesheet', 'font'].includes(response.request().resourceType()))
      sizes.push(response.body().then((body) => gzipSync(body).length / 1000))
  })
  await page.goto(visitor.service.url + listPath)
  await page.locator(filledRow).first().waitFor()
  const kilobytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  await context.close()
  const own = { page: 'list of the console', files: sizes.length, 'gzip KB': kilobytes }
  return {
    title: 'Scripts, styles and fonts before the first row',
    rows: [{ ...own, ...aimOf(kilobytes, { most: 150 }) }, ...peers],
  }
}

/** Seconds to the first rows and between a list and a record. */
export const measureWaits = async (visitor: Visitor, role: string): Promise<readonly Row[]> => {
  const waits: Record<'cold' | 'warm' | 'record' | 'list', number[]> = {
    ...{ cold: [], warm: [], record: [], list: [] },
  }
  for (let visit = 0; visit < visits; visit += 1) {
    const context = await openContext(visitor)
    const { page } = await openPage(context, slowdown)
    const url = visitor.service.url + listPath
    waits.cold.push(await timeUntil(page, () => page.goto(url), filledRow))
    waits.warm.push(await timeUntil(page, () => page.goto(url), filledRow))
    const link = page.locator(`${filledRow} a`).first()
    // As a hand does, which is over a link before it presses it.
    await link.hover()
    waits.record.push(await timeUntil(page, () => link.click(), 'main .field-row'))
    waits.list.push(await timeUntil(page, () => page.goBack(), filledRow))
    await context.close()
  }
  const rowOf = (what: string, samples: readonly number[], most: number): Row => {
    const { p50, max } = spreadOf(samples)
    return { what: `${role}: ${what}`, 'p50 ms': p50, 'max ms': max, ...aimOf(p50, { most }) }
  }
  return [
    rowOf('first rows, empty cache', waits.cold, 1200),
    rowOf('first rows, filled cache', waits.warm, 500),
    rowOf('list to record', waits.record, 100),
    rowOf('record back to list', waits.list, 100),
  ]
}
