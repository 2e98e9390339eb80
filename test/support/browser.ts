/** A real browser for tests of the console: Chromium from the npm registry, driven by Playwright. */
import { readFileSync } from 'node:fs'
import executable from '@sparticuz/chromium'
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { createLoginCode } from '../../src/auth/sessions/sign-in.ts'
import { findUserByEmail } from '../../src/users/user-store.ts'
import { afterwards } from './afterwards.ts'
import type { TestService } from './service.ts'

/** Starts a browser that ends with the tests of the file. */
export const startBrowser = async () => {
  const browser = await chromium.launch({
    executablePath: await executable.executablePath(),
    // Tests run as root too, where Chromium has no sandbox of its own.
    args: ['--no-sandbox'],
  })
  afterwards(() => browser.close())
  return browser
}

type Browser = Awaited<ReturnType<typeof startBrowser>>

type PageOptions = BrowserContextOptions & {
  /** E-mail address of the user; without it the administrator, null: nobody. */
  readonly as?: string | null
}

export type OpenPage = {
  readonly page: Page
  /** What the browser reported: violations of the policy of the page, and errors of its scripts. */
  readonly reports: readonly string[]
}

/** A service that users sign in to. */
type SignedService = Pick<TestService, 'url'> & {
  readonly config: Pick<TestService['config'], 'ADMIN_EMAIL'>
  readonly database: Pick<TestService['database'], 'pool'>
}

/** Signs a context in as a user, as the page of a development link does. */
export const signIn = async (
  context: BrowserContext,
  { url, config, database }: SignedService,
  email: string = config.ADMIN_EMAIL,
): Promise<void> => {
  const user = await findUserByEmail(database.pool, email)
  if (!user) throw new Error(`There is no user ${email}.`)
  const code = await createLoginCode(database.pool, user.id)
  const response = await context.request.post(`${url}/console/-/session`, {
    headers: { Origin: url },
    data: { code },
  })
  if (!response.ok()) throw new Error(await response.text())
}

/** Opens a page of the service in a context of its own, with everything that the browser reports. */
export const openPage = async (
  browser: Browser,
  service: SignedService,
  path: string,
  { as, ...options }: PageOptions = {},
): Promise<OpenPage> => {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'Europe/Zagreb',
    ...options,
  })
  // Long enough for a machine with many times the load.
  context.setDefaultTimeout(60_000)
  if (as !== null) await signIn(context, service, as)
  const page = await context.newPage()
  const reports: string[] = []
  page.on('pageerror', (error) => reports.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') reports.push(message.text())
  })
  await page.goto(`${service.url}${path}`)
  return { page, reports }
}

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds wrong with a page: the rule, and the elements that break it. */
export const findViolations = async (page: Page): Promise<readonly string[]> => {
  // Evaluated by the driver, which the policy of the page does not bind.
  await page.evaluate(axe)
  // What a popover covers in part is no target until it is closed.
  const isCovered = await page.evaluate<boolean>(`document.querySelector(':popover-open') !== null`)
  return page.evaluate(async (hasPopover) => {
    const { axe: judge } = globalThis as unknown as {
      axe: {
        run: (
          options: object,
        ) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
      }
    }
    const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    // Off by itself, because few pages obey it: targets of 24 pixels, or with as much room around them.
    const rules = { 'target-size': { enabled: !hasPopover } }
    const { violations } = await judge.run({ runOnly, rules })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  }, isCovered)
}
