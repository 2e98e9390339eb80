/** What a browser keeps of what was typed and not saved. */
import type { Page } from 'playwright-core'
import { until } from '../support/wait.ts'

const keptIn = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const open = indexedDB.open('docket')
    open.onsuccess = () => {
      const { result } = open
      if (!result.objectStoreNames.contains('drafts')) return resolve(0)
      const count = result.transaction('drafts').objectStore('drafts').count()
      count.onsuccess = () => { result.close(); resolve(count.result) }
    }
  })`)

/** Waits until the browser has kept so many drafts. */
export const isKept = (page: Page, count = 1) =>
  until(`the browser has kept ${count}`, async () => (await keptIn(page)) === count)
