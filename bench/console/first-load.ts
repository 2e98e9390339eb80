/** What a browser loads for a list, and how long users wait for it, on a processor four times as slow. */
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
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

/** Gives the page a function that says how many milliseconds lie between the next event of a type and the picture in which a selector is shown. */
const timeTo = `globalThis.timeTo = (type, selector) => new Promise((resolve) => {
  const begin = ({ timeStamp }) => {
    const look = () => {
      if (!document.querySelector(selector)) requestAnimationFrame(look)
      // This frame is painted before the next task.
      else setTimeout(() => resolve(performance.now() - timeStamp))
    }
    requestAnimationFrame(look)
  }
  addEventListener(type, begin, { capture: true, once: true })
})`

const timeInPage = async (
  page: Page,
  type: string,
  selector: string,
  act: () => Promise<unknown>,
): Promise<number> => {
  const timed = page.evaluate<number>(`timeTo('${type}', '${selector}')`)
  // Listening by then.
  await page.waitForTimeout(restMs)
  await act()
  return timed
}

/** A hand is over a link before it presses it, and rests before the next step. */
const restMs = 150

/** From the list to a record and back, in milliseconds. */
const openAndReturn = async (page: Page, at: number): Promise<readonly [number, number]> => {
  const link = page.locator(`${filledRow} a`).nth(at)
  await link.hover()
  const opened = await timeInPage(page, 'click', 'main .field-row', () => link.click())
  const returned = await timeInPage(page, 'popstate', filledRow, () => page.goBack())
  await page.waitForTimeout(restMs)
  return [opened, returned]
}

/** Milliseconds to the first rows and between a list and a record. */
export const measureWaits = async (visitor: Visitor, role: string): Promise<readonly Row[]> => {
  const waits: Record<'cold' | 'warm' | 'first' | 'record' | 'list', number[]> = {
    ...{ cold: [], warm: [], first: [], record: [], list: [] },
  }
  for (let visit = 0; visit < visits; visit += 1) {
    const context = await openContext(visitor)
    const { page } = await openPage(context, slowdown)
    await page.addInitScript(timeTo)
    const url = visitor.service.url + listPath
    waits.cold.push(await timeUntil(page, () => page.goto(url), filledRow))
    waits.warm.push(await timeUntil(page, () => page.goto(url), filledRow))
    const [first, firstReturn] = await openAndReturn(page, 0)
    const [record, list] = await openAndReturn(page, 1)
    waits.first.push(first)
    waits.record.push(record)
    waits.list.push(firstReturn, list)
    await context.close()
  }
  const rowOf = (what: string, samples: readonly number[], most: number): Row => {
    const { p50, max } = spreadOf(samples)
    return { what: `${role}: ${what}`, 'p50 ms': p50, 'max ms': max, ...aimOf(p50, { most }) }
  }
  return [
    rowOf('first rows, empty cache', waits.cold, 1200),
    rowOf('first rows, filled cache', waits.warm, 500),
    rowOf('list to the first record', waits.first, 100),
    rowOf('list to the next record', waits.record, 100),
    rowOf('record back to list', waits.list, 100),
  ]
}
