/** Records what the tests of a file call in the console, for `npm run coverage`: loaded before the files of the console. */
import { afterAll } from 'vitest'
import { commands } from 'vitest/browser'

declare module 'vitest/browser' {
  interface BrowserCommands {
    startCoverage: () => Promise<void>
    stopCoverage: () => Promise<void>
  }
}

await commands.startCoverage()
afterAll(() => commands.stopCoverage())
