/** Which functions of the console pages have called, written for `npm run coverage`, which sets the folder. */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterwards } from './afterwards.ts'

/** Begins to record what the files that a page loads from now on call. */
export const startCoverage = ({ coverage }: Page): Promise<void> =>
  coverage.startJSCoverage({ resetOnNavigation: false })

/** Writes what the files of the console called: those of a build without their text, which the build has. */
export const stopCoverage = async ({ coverage }: Page): Promise<void> => {
  // A page that its test closed or crashed says nothing any more.
  const entries = await coverage.stopJSCoverage().catch(() => [])
  const ofConsole = entries.flatMap(({ url, functions, source }) => {
    if (url.includes('/assets/')) return [{ url, functions }]
    return /^\/console\/.*\.tsx?$/.test(new URL(url, 'file:').pathname)
      ? [{ url, functions, source }]
      : []
  })
  writeFileSync(
    join(process.env.CONSOLE_COVERAGE ?? '', `${randomUUID()}.json`),
    JSON.stringify(ofConsole),
  )
}

/** Records what a page that was not loaded yet calls, until the end of its test. Does nothing in other runs. */
export const recordCoverage = async (page: Page): Promise<void> => {
  if (process.env.CONSOLE_COVERAGE === undefined) return
  await startCoverage(page)
  afterwards(() => stopCoverage(page))
}
