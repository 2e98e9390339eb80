/** What a browser loads for a list. */
import { gzipSync } from 'node:zlib'
import { aimOf, type Row, type Table } from '../report.ts'
import { filledRow, openContext, openPage, type Visitor } from './browser.ts'

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
