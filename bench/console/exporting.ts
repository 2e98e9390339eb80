/** An export of all records by a page that cannot write to a chosen place: what it keeps in memory until the file is whole. */
import type { CDPSession } from 'playwright-core'
import { aimOf, type Row } from '../report.ts'
import { filledRow, openContext, openPage, type Visitor } from './browser.ts'

const sampleMs = 250
const longestMs = 600_000

/** Megabytes of objects and of buffers, without a collection: what a page holds at its worst. */
const heldBy = async (session: CDPSession): Promise<number> => {
  const usage = await session.send('Runtime.getHeapUsage')
  const { usedSize, backingStorageSize = 0 } = usage as typeof usage & {
    readonly backingStorageSize?: number
  }
  return (usedSize + backingStorageSize) / 2 ** 20
}

/** Samples until something has come about; the largest of them. */
const peakUntil = async (session: CDPSession, done: Promise<unknown>): Promise<number> => {
  let isDone = false
  const watched = done.finally(() => {
    isDone = true
  })
  let peak = 0
  while (!isDone) {
    peak = Math.max(peak, await heldBy(session))
    await Promise.race([watched, new Promise((resolve) => setTimeout(resolve, sampleMs))])
  }
  await watched
  return peak
}

export const measureExporting = async (visitor: Visitor, role: string): Promise<readonly Row[]> => {
  const context = await openContext(visitor)
  const { page, session } = await openPage(context)
  await page.goto(`${visitor.service.url}/console/invoice`)
  await page.locator(filledRow).first().waitFor()
  await page.evaluate('window.showSaveFilePicker = undefined')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('[aria-busy=false]').first().waitFor()
  await session.send('HeapProfiler.collectGarbage')
  const before = await heldBy(session)
  const begun = performance.now()
  await dialog.getByRole('button', { name: 'Start the export' }).click()
  const outcome = dialog.getByText('Complete and checked').or(dialog.getByRole('alert'))
  const whole = outcome.waitFor({ timeout: longestMs })
  const more = (await peakUntil(session, whole)) - before
  const seconds = (performance.now() - begun) / 1000
  const text = (await outcome.textContent()) ?? ''
  await context.close()
  return [
    { what: `${role}: more memory while it runs, MiB`, value: more, ...aimOf(more, { most: 50 }) },
    { what: `${role}: seconds (${text})`, value: seconds },
  ]
}
