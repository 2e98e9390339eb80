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

const launch = async () => {
  const browser = await chromium.launch({
    executablePath: await executable.executablePath(),
    // Tests run as root too, where Chromium has no sandbox of its own.
    args: ['--no-sandbox'],
  })
  afterwards(() => {
    started = undefined
    return browser.close()
  })
  return browser
}

let started: ReturnType<typeof launch> | undefined

/** Starts the browser that the files of a process share: it ends with their tests, or with the test that starts it. */
export const startBrowser = () => (started ??= launch())

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

/**
 * Opens a page of the service in a context of its own, with everything that the browser reports. The context ends
 * with the test: open pages cost processor time.
 */
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
  afterwards(() => context.close())
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

// Evaluated by the driver, which the policy of the page does not bind.
const drawn = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() =>
  Promise.allSettled(
    document
      .getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
      .map(({ finished }) => finished),
  ).then(() => undefined))`

/** What axe finds wrong with a page: the rule, and the elements that break it. */
export const findViolations = async (page: Page): Promise<readonly string[]> => {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe)
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

/** What axe finds wrong with a page in the light and the dark theme. */
const findViolationsOfThemes = async (page: Page): Promise<readonly string[]> => {
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    // Colours fade from one theme to the other.
    await page.evaluate(drawn)
    const violations = await findViolations(page)
    found.push(...violations.map((violation) => `${colorScheme}, ${violation}`))
  }
  return found
}

type Widths = {
  readonly widths?: readonly number[]
  /** Whether the page is loaded again at each width, because its state does not outlast another layout. */
  readonly isLoadedAgain?: boolean
}

/**
 * What axe finds wrong with a state of a page at each width in both themes. `arrange` brings the page into the state, or
 * waits until it is shown, and is called at each width.
 */
export const findViolationsEverywhere = async (
  page: Page,
  arrange: () => Promise<unknown>,
  { widths = [320, 768, 1440], isLoadedAgain = false }: Widths = {},
): Promise<readonly string[]> => {
  const address = page.url()
  const { width: opened = 0, height = 0 } = page.viewportSize() ?? {}
  const found: string[] = []
  const isOpened = (width: number) => width === opened
  for (const width of [...widths.filter(isOpened), ...widths.filter((one) => !isOpened(one))]) {
    await page.setViewportSize({ width, height })
    // An address that differs only behind its # is no other page.
    if (isLoadedAgain && !isOpened(width) && (await page.goto(address)) === null)
      await page.reload()
    await arrange()
    const violations = await findViolationsOfThemes(page)
    found.push(...violations.map((violation) => `${width} pixels, ${violation}`))
  }
  return found
}
