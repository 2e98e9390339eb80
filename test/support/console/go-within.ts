/** Leads from page to page of the console without loading its files again. */
import type { Page } from 'playwright-core'
import { until } from '../wait.ts'
import { settler } from './a-crawl.ts'

/** Returns a function that opens a path whose page has another title than the one before, and waits until it asks for nothing. */
export const goWithin = (page: Page) => {
  const settle = settler(page)
  const title = page.getByRole('main').getByRole('heading', { level: 1 }).first()
  let shown: string | null = null
  return async (path: string): Promise<void> => {
    await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
    shown = await until(`${path} is shown`, async () => {
      const text = await title.textContent()
      return text !== shown && text
    })
    await settle()
  }
}
