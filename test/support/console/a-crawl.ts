/** Visits every page that links lead to, and presses every button of it, as a user who tries everything. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { until } from '../wait.ts'

// They end the crawl or that of another user, or leave the console.
const ends = /^(Sign out|Sign out there|Act as|Block$)/
const maxPages = 80
/** Of buttons whose names begin alike but for digits, such as the menus of columns and days, so many are pressed; of chosen pages one. */
const maxAlike = 2
const quietMs = 40

/** The kind of a page: records of an entity and searches of a list are alike. */
const kindOf = (path: string): string => path.replace(/[?#].*$/, '').replace(/\/\d+(?=\/|$)/g, '/1')

const pressable =
  'button:enabled:not([aria-disabled=true]), [role=menuitem]:enabled, [role=menuitemcheckbox]:enabled'
const opened = 'dialog[open], [popover]:popover-open:not(nav)'

/** Buttons that can be pressed now: in what is open over the page, or on the page. */
const buttonsIn = async (page: Page) => {
  const over = page.locator(opened).last()
  const isOpen = (await over.count()) > 0
  const place = isOpen ? over : page.locator('body')
  return { isOpen, buttons: place.locator(pressable).filter({ visible: true }) }
}

const namesOf = async (page: Page, most: number): Promise<readonly string[]> => {
  const { buttons } = await buttonsIn(page)
  const names = await buttons.evaluateAll((all) =>
    all.map((one) => one.getAttribute('aria-label') ?? one.textContent.trim()),
  )
  const alike = new Map<string, number>()
  return [...new Set(names)].filter((name) => {
    const begin = name.replaceAll(/\d+/g, '').split(' ').slice(0, 2).join(' ')
    alike.set(begin, (alike.get(begin) ?? 0) + 1)
    return name !== '' && !ends.test(name) && (alike.get(begin) ?? 0) <= most
  })
}

export type Crawl = {
  readonly page: Page
  readonly origin: string
  /** The only pages that are visited; without them, all that links and buttons lead to. */
  readonly paths?: readonly string[] | undefined
  /** Pages of which the links are followed, and nothing is pressed. */
  readonly isOnlySeen: (path: string) => boolean
  /** Called on every page, when it is shown and when everything was pressed. */
  readonly onPage: () => Promise<void>
}

/** Crawls the console from its first page. Returns the kinds of pages that it found. */
export const crawl = async (how: Crawl): Promise<string[]> => {
  const { page, origin, isOnlySeen, onPage } = how
  const settle = settler(page)
  const open = async (path: string) => {
    await page.goto(origin + path)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await settle()
  }
  const most = how.paths ? 1 : maxAlike
  const kinds = new Set<string>()
  const paths = [...(how.paths ?? ['/console'])]
  const follow = (found: readonly string[]) => {
    if (!how.paths) paths.push(...found)
  }
  for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
    if (kinds.has(kindOf(path))) continue
    kinds.add(kindOf(path))
    assert.ok(kinds.size <= maxPages, `The crawl does not end: ${[...kinds].join(', ')}`)
    await open(path)
    await onPage()
    follow(await linksOf(page))
    if (!isOnlySeen(path)) follow(await pressAll(page, { reopen: () => open(path), settle, most }))
    await onPage()
  }
  return [...kinds]
}

/** Waits until the page has had no request for a moment. */
export const settler = (page: Page) => {
  const running = new Set<unknown>()
  let lastAt = 0
  const end = (request: unknown) => {
    running.delete(request)
    lastAt = performance.now()
  }
  page.on('request', (request) => request.resourceType() !== 'eventsource' && running.add(request))
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return async () => {
    await delay(quietMs)
    const isQuiet = () => running.size === 0 && performance.now() - lastAt > quietMs
    await until('the page has no request under way', async () => isQuiet())
  }
}

/** Addresses of the console that the page links to. */
const linksOf = async (page: Page): Promise<string[]> => {
  const links = await page
    .locator('a[href]')
    .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href))
  const { origin } = new URL(page.url())
  return links
    .map((href) => new URL(href))
    .filter((url) => url.origin === origin && url.pathname.startsWith('/console'))
    .map(({ pathname, search }) => pathname + search)
}

type Pressing = {
  readonly reopen: () => Promise<void>
  readonly settle: () => Promise<void>
  /** Of buttons that are alike. */
  readonly most: number
}

/** Presses every button of a page, and every button of what it opens. Returns the pages that they led to. */
const pressAll = async (
  page: Page,
  { reopen, settle, most }: Pressing,
): Promise<readonly string[]> => {
  const found: string[] = []
  const address = page.url()
  const press = async (name: string) => {
    const { buttons } = await buttonsIn(page)
    const labelled = buttons.and(page.getByLabel(name, { exact: true }))
    const button = (await labelled.count()) > 0 ? labelled : buttons.filter({ hasText: name })
    // One that is gone by now, or that something covers, is left alone.
    if ((await button.count()) === 0) return
    await button
      .first()
      .click({ timeout: 500 })
      .catch(() => undefined)
    await settle()
  }
  const isOver = async () => (await buttonsIn(page)).isOpen
  for (const name of await namesOf(page, most)) {
    await press(name)
    for (const inner of (await isOver()) ? await namesOf(page, most) : []) {
      if (!(await isOver())) await press(name)
      await press(inner)
    }
    found.push(new URL(page.url()).pathname)
    // Quicker than another page.
    for (let tries = 0; tries < 2 && page.url() === address && (await isOver()); tries++) {
      await page.keyboard.press('Escape')
      await settle()
    }
    if ((await isOver()) || page.url() !== address) await reopen()
  }
  return found
}
