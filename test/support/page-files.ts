/** Script files that a page of the console asks for: held back, or answered with 404 once. */
import type { Page } from 'playwright-core'
import { until } from './wait.ts'

/** Addresses of the script file of a part of the console, which is named by the part and a hash. */
const filesOf = (part: string): RegExp => new RegExp(`/assets/${part}-[^/]*\\.js$`)

/**
 * Loads the page again, with the script files of a part held back.
 * `askedFor` waits until the page has asked for one, and fails if it does not; `release` lets all of them pass.
 */
export const holdFiles = async (page: Page, part: string) => {
  const held = Promise.withResolvers<void>()
  let asked = 0
  await page.route(filesOf(part), async (route) => {
    asked += 1
    await held.promise
    await route.continue()
  })
  // What the page has loaded already is not asked for again.
  await page.reload()
  return {
    askedFor: () => until(`the page asks for the files of ${part}`, () => asked > 0),
    release: held.resolve,
  }
}

/** Answers the first request for a script file of a part with 404. Returns a function that counts the requests. */
export const failFileOnce = async (page: Page, part: string) => {
  let asked = 0
  await page.route(filesOf(part), (route) => {
    asked += 1
    return asked === 1 ? route.fulfill({ status: 404, body: '' }) : route.continue()
  })
  return () => asked
}
