/** Which functions of the console pages have called, written for `npm run coverage`, which sets the folder. */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterwards } from './afterwards.ts'

/** Records what a page that was not loaded yet calls, until the end of its test. Does nothing in other runs. */
export const recordCoverage = async ({ coverage }: Page): Promise<void> => {
  const folder = process.env.CONSOLE_COVERAGE
  if (folder === undefined) return
  await coverage.startJSCoverage({ resetOnNavigation: false })
  afterwards(async () => {
    // A page that its test closed or crashed says nothing any more.
    const entries = await coverage.stopJSCoverage().catch(() => [])
    const ofConsole = entries
      .filter(({ url }) => url.includes('/assets/'))
      .map(({ url, functions }) => ({ url, functions }))
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(ofConsole))
  })
}
