/** A real browser for tests of the console: Chromium from the npm registry, driven by Playwright. */
import { readFileSync } from 'node:fs'
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { createLoginCode } from '../../src/auth/sessions/sign-in.ts'
import { findUserByEmail } from '../../src/users/user-store.ts'
import { afterwards, shareOnce } from './afterwards.ts'
import { chromiumFlags, findChromium } from './chromium.ts'
import { recordCoverage } from './console-coverage.ts'
import type { TestService } from './service.ts'

const flags = [
  ...chromiumFlags,
  // Names for services that are not of this machine by their own account.
  '--host-resolver-rules=MAP *.test 127.0.0.1',
]

/** The browser that the files of a process share. */
export const startBrowser = shareOnce(async () => {
  const browser = await chromium.launch({ executablePath: await findChromium(), args: flags })
  afterwards(() => browser.close())
  return browser
})

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

/** A context whose process and cache outlast a test. */
type Kept = { readonly context: BrowserContext; readonly keeper: Page }

/** The contexts that no test uses now, by their options. */
const kept = new Map<string, Kept[]>()

const openContext = async (options: BrowserContextOptions, url: string): Promise<Kept> => {
  const context = await (await startBrowser()).newContext(options)
  // Long enough for a machine with many times the load.
  context.setDefaultTimeout(60_000)
  // The process of the pages ends with the last of them; this one does nothing, and stays.
  const keeper = await context.newPage()
  await keeper.goto(`${url}/health`)
  return { context, keeper }
}

/** Leaves nothing of a test in its context: no page, session, stored value, permission or rule for requests. */
const clear = async ({ context, keeper }: Kept, origin: string): Promise<void> => {
  const others = context.pages().filter((page) => page !== keeper)
  await Promise.all(others.map((page) => page.close()))
  await context.unrouteAll()
  await context.setOffline(false)
  await context.clearPermissions()
  await context.clearCookies()
  const session = await context.newCDPSession(keeper)
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await session.detach()
}

/** A clean context with these options. It is kept for the next test, unless this one closes it or crashes its process. */
const takeContext = async (
  options: BrowserContextOptions,
  { url }: SignedService,
): Promise<BrowserContext> => {
  const key = JSON.stringify(options)
  const taken = kept.get(key)?.pop() ?? (await openContext(options, url))
  const { context, keeper } = taken
  let isLost = false
  const lose = () => {
    isLost = true
  }
  context.once('close', lose)
  keeper.once('crash', lose)
  afterwards(async () => {
    context.off('close', lose)
    keeper.off('crash', lose)
    if (isLost) return context.close()
    await clear(taken, new URL(url).origin)
    kept.set(key, [...(kept.get(key) ?? []), taken])
  })
  return context
}

const usual: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  locale: 'en-GB',
  timezoneId: 'Europe/Zagreb',
}

/**
 * Opens a page of the service in a window that no other page of the test shares, with everything that the browser
 * reports. The page ends with the test: open pages cost processor time.
 */
export const openPage = async (
  service: SignedService,
  path: string,
  { as, viewport = null, ...given }: PageOptions = {},
): Promise<OpenPage> => {
  const context = await takeContext({ ...usual, ...given }, service)
  if (as !== null) await signIn(context, service, as)
  const page = await context.newPage()
  await recordCoverage(page)
  if (viewport) await page.setViewportSize(viewport)
  const reports: string[] = []
  page.on('pageerror', (error) => reports.push(error.message))
  page.on('console', (message) => {
    const text = message.text()
    // A busy service refuses some requests, and the console sends them again.
    if (message.type() === 'error' && !text.includes('status of 503')) reports.push(text)
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

/**
 * What axe finds wrong with a page: the rule, and the elements that break it. In a dialog that covers the page it looks at that
 * alone: nothing below can be reached.
 */
export const findViolations = async (page: Page): Promise<readonly string[]> => {
  // Colours fade from one theme or state to the other.
  await page.evaluate(drawn)
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe)
  // What a popover covers in part is no target until it is closed.
  const isCovered = await page.evaluate<boolean>(`document.querySelector(':popover-open') !== null`)
  return page.evaluate(async (hasPopover) => {
    const { axe: judge } = globalThis as unknown as {
      axe: {
        run: (
          shown: unknown,
          options: object,
        ) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
      }
    }
    const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    // Off by itself, because few pages obey it: targets of 24 pixels, or with as much room around them.
    const rules = { 'target-size': { enabled: !hasPopover } }
    const { document } = globalThis as unknown as {
      document: { querySelectorAll: (selector: string) => Iterable<unknown> }
    }
    const shown = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document
    const { violations } = await judge.run(shown, { runOnly, rules, resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  }, isCovered)
}
