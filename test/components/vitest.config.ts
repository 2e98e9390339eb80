import { join } from 'node:path'
import executable from '@sparticuz/chromium'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  plugins: [react()],
  test: {
    include: ['test/components/**/*.test.tsx'],
    isolate: false,
    fileParallelism: false,
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          executablePath: await executable.executablePath(),
          args: ['--no-sandbox'],
        },
        contextOptions: { locale: 'en-GB', timezoneId: 'Europe/Zagreb' },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
