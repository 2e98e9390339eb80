/**
 * What users feel of the page: how soon it answers a key or a click, what moves under their hands, and how soon it is
 * there over a slow connection; the metrics of Lighthouse, read from the browser itself.
 */
import type { Page } from 'playwright-core'
import { aimOf, type Row } from '../report.ts'
import { filledRow, openContext, openPage, timeUntil, type Visitor } from './browser.ts'

const slowdown = 4
const listPath = '/console/invoice'
// 1.6 Mbit/s and 150 ms, as Lighthouse takes for a phone.
const slowConnection = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
}

type Interaction = {
  readonly duration: number
  /** The event, and the element that it came to. */
  readonly event: string
}

/** What the browser observes from the beginning of a page on. */
type Observed = {
  /** Milliseconds from each key or click to the next picture, by interaction; of those that took some. */
  readonly interactions: Readonly<Record<string, Interaction>>
  readonly shifts: readonly { readonly at: number; readonly value: number }[]
  readonly longTasks: readonly number[]
  readonly firstPaint: number
  readonly largestPaint: number
}

const observe = `
  globalThis.observed = { interactions: {}, shifts: [], longTasks: [], firstPaint: 0, largestPaint: 0 }
  const on = (type, take, options) => new PerformanceObserver((list) => list.getEntries().forEach(take))
    .observe({ type, buffered: true, ...options })
  on('event', ({ interactionId, duration, name, target }) => {
    const { interactions } = observed
    if (!interactionId || duration < (interactions[interactionId]?.duration ?? 0)) return
    const place = target?.getAttribute('role') ?? target?.localName ?? 'an element that is gone'
    interactions[interactionId] = { duration, event: name + ' on ' + place }
  }, { durationThreshold: 16 })
  on('layout-shift', ({ startTime, value, hadRecentInput }) => {
    if (!hadRecentInput) observed.shifts.push({ at: startTime, value })
  })
  on('longtask', ({ duration }) => observed.longTasks.push(duration))
  on('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') observed.firstPaint = startTime
  })
  on('largest-contentful-paint', ({ startTime }) => { observed.largestPaint = startTime })`

const observedOf = (page: Page): Promise<Observed> => page.evaluate('observed')

/** The worst interaction; of many, one in fifty is left out (INP). */
const interactionToPaint = ({ interactions }: Observed, count: number): Interaction => {
  const slowest = Object.values(interactions).toSorted((a, b) => b.duration - a.duration)
  const none = { duration: 0, event: 'none' }
  return slowest[Math.min(Math.floor(count / 50), slowest.length - 1)] ?? none
}

/** The largest sum of shifts that follow each other within a second, of at most five (CLS). */
const layoutShift = ({ shifts }: Observed): number => {
  let [largest, sum, begun, last] = [0, 0, 0, Number.NEGATIVE_INFINITY]
  for (const { at, value } of shifts) {
    const isSame = at - last < 1000 && at - begun < 5000
    if (!isSame) begun = at
    sum = isSame ? sum + value : value
    last = at
    largest = Math.max(largest, sum)
  }
  return largest
}

/** A day of a user who lists, finds, selects, opens, types and goes from page to page, all in one page. */
const work = async (page: Page): Promise<void> => {
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key)
      // As fast as hands are.
      await page.waitForTimeout(80)
    }
  }
  const rows = page.locator(filledRow)
  await rows.nth(20).click()
  await press(...Array.from({ length: 10 }, () => 'ArrowDown'), 'PageDown', 'End', 'Control+Home')
  await press('x', 'ArrowDown', 'x', 'Escape', 'Shift+F10', 'Escape', 'F2', 'Escape')
  await press('/', ...'INV-12')
  await rows.first().waitFor()
  await press('Control+a', 'Delete', 'Control+k')
  await page.locator('dialog input').waitFor()
  await press(...'INV-77')
  await page.locator('[role=option]').first().waitFor()
  await press('Escape')
  for (let visit = 0; visit < 3; visit += 1) {
    await rows.locator('a').nth(visit).click()
    await page.locator('main .field-row').first().waitFor()
    await press('j', 'k', 'Tab', 'Tab', 'Tab')
    await page.goBack()
    await rows.first().waitFor()
  }
  for (const keys of ['g d', 'g i', 'g t', 'g s']) {
    await press(...keys.split(' '))
    await page.locator('main h1').waitFor()
  }
}

/** How soon the page answers, and what moves in it, over a whole day. */
export const measureDay = async (visitor: Visitor, role: string): Promise<readonly Row[]> => {
  const context = await openContext(visitor)
  const { page } = await openPage(context, slowdown)
  await page.addInitScript(observe)
  await page.goto(visitor.service.url + listPath)
  await page.locator(filledRow).first().waitFor()
  await work(page)
  const observed = await observedOf(page)
  const count = await page.evaluate<number>('performance.interactionCount')
  await context.close()
  const { duration: inp, event } = interactionToPaint(observed, count)
  const cls = layoutShift(observed)
  return [
    {
      what: `${role}: from a key or click to the picture (INP), ms`,
      value: inp,
      ...aimOf(inp, { most: 100 }),
    },
    { what: `${role}: of so many interactions`, value: count },
    { what: `${role}: it was`, value: event },
    { what: `${role}: what moves by itself (CLS)`, value: cls, ...aimOf(cls, { most: 0.02 }) },
  ]
}

/** The first rows of a list over a slow connection, with an empty cache. */
export const measureSlowConnection = async (
  visitor: Visitor,
  role: string,
): Promise<readonly Row[]> => {
  const context = await openContext(visitor)
  const { page, session } = await openPage(context, slowdown)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', slowConnection)
  await page.addInitScript(observe)
  const rows = await timeUntil(page, () => page.goto(visitor.service.url + listPath), filledRow)
  const observed = await observedOf(page)
  await context.close()
  const { firstPaint, largestPaint, longTasks } = observed
  const blocked = longTasks.reduce((sum, duration) => sum + Math.max(duration - 50, 0), 0)
  const rowOf = (what: string, value: number, most: number): Row => ({
    what: `${role}: ${what}, ms`,
    value,
    ...aimOf(value, { most }),
  })
  return [
    rowOf('first rows', rows, 3000),
    rowOf('first contentful paint', firstPaint, 1800),
    rowOf('largest contentful paint', largestPaint, 2500),
    rowOf('blocking time', blocked, 200),
  ]
}
