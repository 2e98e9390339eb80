/**
 * How long users wait for the rows of a list, and between a list and a record, on a processor four times as slow. Times are
 * taken in the page: what Playwright looks for in one, it looks for with scripts that the slowed page reads for 90 ms.
 */
import type { CDPSession, Page } from 'playwright-core'
import { spreadOf } from '../figures.ts'
import { aimOf, type Row } from '../report.ts'
import { filledRow, openContext, openPage, type Visitor } from './browser.ts'

const slowdown = 4
const rounds = 10
const listPath = '/console/invoice'

/** Milliseconds from the first movement of a hand until it is on a link. */
const reachMs = 500
/** Milliseconds for which it is on a link before it presses it, and rests before the next step. */
const restMs = 150

/**
 * Gives every page a promise of the milliseconds from the begin of its navigation to the picture in which the first rows are
 * shown, and a function that says how many lie between the next event of a type and the picture with a selector.
 */
const clocks = `{
  const shown = (selector, from) => new Promise((resolve) => {
    const look = () => {
      if (!document.querySelector(selector)) requestAnimationFrame(look)
      // This frame is painted before the next task.
      else setTimeout(() => resolve(performance.now() - from))
    }
    requestAnimationFrame(look)
  })
  globalThis.timeOfRows = shown('${filledRow}', 0)
  globalThis.timeAfter = (type, selector) => new Promise((resolve) => {
    const begin = ({ timeStamp }) => resolve(shown(selector, timeStamp))
    addEventListener(type, begin, { capture: true, once: true })
  })
}`

type Opened = { readonly page: Page; readonly session: CDPSession }

/** The value of an expression in the page, once it is there. */
const valueIn = async <T>({ session }: Opened, expression: string): Promise<T> => {
  const options = { expression, awaitPromise: true, returnByValue: true }
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', options)
  if (exceptionDetails) throw new Error(exceptionDetails.text)
  return result.value
}

const timeOfRows = async (opened: Opened, url: string): Promise<number> => {
  await opened.page.goto(url, { waitUntil: 'commit' })
  const time = await valueIn<number>(opened, 'timeOfRows')
  // The browser stores what it compiled, and the page settles.
  await opened.page.waitForTimeout(reachMs)
  return time
}

const timeAfter = async (
  opened: Opened,
  type: string,
  selector: string,
  act: () => Promise<unknown>,
): Promise<number> => {
  const timed = valueIn<number>(opened, `timeAfter('${type}', '${selector}')`)
  // Listening by then.
  await opened.page.waitForTimeout(restMs)
  await act()
  return timed
}

/** From the list to a record and back, in milliseconds. */
const openAndReturn = async (opened: Opened, at: number): Promise<readonly [number, number]> => {
  const { mouse } = opened.page
  const [x, y] = await valueIn<readonly [number, number]>(
    opened,
    `(() => {
      const link = document.querySelectorAll('${filledRow} a')[${at}].getBoundingClientRect()
      return [link.x + link.width / 2, link.y + link.height / 2]
    })()`,
  )
  await mouse.move(720, 4)
  await opened.page.waitForTimeout(reachMs)
  await mouse.move(x, y)
  const record = await timeAfter(opened, 'click', 'main .field-row', () => mouse.click(x, y))
  const list = await timeAfter(opened, 'popstate', filledRow, () =>
    valueIn(opened, 'history.back()'),
  )
  await opened.page.waitForTimeout(restMs)
  return [record, list]
}

/** Milliseconds to the first rows and between a list and a record. */
export const measureWaits = async (visitor: Visitor, role: string): Promise<readonly Row[]> => {
  const url = visitor.service.url + listPath
  const waits: Record<'cold' | 'second' | 'later' | 'first' | 'record' | 'list', number[]> = {
    cold: [],
    second: [],
    later: [],
    first: [],
    record: [],
    list: [],
  }
  for (let round = 0; round < rounds; round += 1) {
    const context = await openContext(visitor)
    const opened = await openPage(context, slowdown)
    await opened.page.addInitScript(clocks)
    waits.cold.push(await timeOfRows(opened, url))
    waits.second.push(await timeOfRows(opened, url))
    waits.later.push(await timeOfRows(opened, url), await timeOfRows(opened, url))
    const [first, firstReturn] = await openAndReturn(opened, 0)
    const [record, list] = await openAndReturn(opened, 1)
    waits.first.push(first)
    waits.record.push(record)
    waits.list.push(firstReturn, list)
    await context.close()
  }
  const rowOf = (what: string, samples: readonly number[], most: number): Row => {
    const { p50, max } = spreadOf(samples)
    return { what: `${role}: ${what}`, 'p50 ms': p50, 'max ms': max, ...aimOf(p50, { most }) }
  }
  return [
    rowOf('first rows, empty cache', waits.cold, 1200),
    rowOf('first rows, second visit', waits.second, 500),
    rowOf('first rows, later visits', waits.later, 500),
    rowOf('list to the first record', waits.first, 100),
    rowOf('list to the next record', waits.record, 100),
    rowOf('record back to list', waits.list, 100),
  ]
}
