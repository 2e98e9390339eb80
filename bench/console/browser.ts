/** A browser that is signed in to the console, and what it measures of its pages. */
import executable from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContext,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core'
import { createLoginCode } from '../../src/auth/sessions/sign-in.ts'
import type { Environment, Service } from '../environment.ts'

export const launchBrowser = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: await executable.executablePath(),
    // A benchmark runs as root too, where Chromium has no sandbox of its own.
    args: ['--no-sandbox'],
  })

export type Visitor = {
  readonly environment: Environment
  readonly service: Service
  readonly browser: Browser
  readonly userId: number
}

/** A context of the browser with an empty cache and a session of the user. */
export const openContext = async (visitor: Visitor): Promise<BrowserContext> => {
  const { environment, service, browser, userId } = visitor
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const code = await createLoginCode(environment.pool, userId)
  const response = await context.request.post(`${service.url}/console/-/session`, {
    headers: { Origin: service.url },
    data: { code },
  })
  if (!response.ok()) throw new Error(await response.text())
  return context
}

/** A page with its protocol session, slowed down so many times. */
export const openPage = async (
  context: BrowserContext,
  slowdown = 1,
): Promise<{ readonly page: Page; readonly session: CDPSession }> => {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  return { page, session }
}

/** How many milliseconds it takes until the page shows what the selector names. */
export const timeUntil = async (
  page: Page,
  act: () => Promise<unknown>,
  selector: string,
): Promise<number> => {
  const begun = performance.now()
  await act()
  await page.locator(selector).first().waitFor()
  return performance.now() - begun
}

/** The selector of a row whose record has arrived. */
export const filledRow = '[role=row][aria-rowindex]:not([aria-busy]) [role=gridcell]'
