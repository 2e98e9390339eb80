/** Components of the console in a real browser, without a service: Vitest serves them as Vite does. */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import type { BrowserCommand } from 'vitest/node'
import { chromiumFlags, findChromium } from '../support/chromium.ts'
import { startCoverage, stopCoverage } from '../support/console-coverage.ts'
import { pngOf } from '../support/uploads.ts'
import type { describeProject } from './support/describe-project.ts'

/** Loaded by Node.js itself, because it finds files next to its modules. */
const describe: BrowserCommand<Parameters<typeof describeProject>> = async (_context, ...args) => {
  const address = new URL('./support/describe-project.ts', import.meta.url).href
  const loaded: { describeProject: typeof describeProject } = await import(address)
  return loaded.describeProject(...args)
}

/** Answers files of records with a picture of one pixel, but one of them, by its id, as if it were damaged. */
const servePictures: BrowserCommand<[damagedId: number]> = ({ page }, damagedId) =>
  page.route(/\/file\/\d+(\?|$)/, (route) =>
    route.request().url().includes(`/file/${damagedId}`)
      ? route.fulfill({ status: 404 })
      : route.fulfill({ contentType: 'image/png', body: pngOf() }),
  )

// As it is built for users: React checks and records much more otherwise, which takes half of the time.
process.env.NODE_ENV = 'production'

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  plugins: [react()],
  // Found before the first test: the page would be loaded again when they are met.
  optimizeDeps: {
    include: [
      '@tanstack/react-query',
      '@tanstack/react-router',
      'typebox/schema',
      'axe-core',
      'vitest-browser-react',
    ],
  },
  test: {
    include: ['test/components/**/*.test.tsx'],
    setupFiles: [
      ...(process.env.CONSOLE_COVERAGE ? ['test/components/support/record-coverage.ts'] : []),
      'test/components/support/clean-up.ts',
    ],
    // One page for all files: each loads the console in a second otherwise. `clean-up.ts` leaves nothing behind.
    isolate: false,
    fileParallelism: false,
    testTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      // A part of a name is enough, as for Playwright.
      locators: { exact: false },
      commands: {
        describeProject: describe,
        servePictures,
        takeMouseAway: ({ page }) => page.mouse.move(0, 0),
        startCoverage: ({ page }) => startCoverage(page),
        stopCoverage: ({ page }) => stopCoverage(page),
      },
      provider: playwright({
        launchOptions: {
          executablePath: await findChromium(),
          args: [...chromiumFlags],
        },
        contextOptions: { locale: 'en-GB', timezoneId: 'Europe/Zagreb' },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
