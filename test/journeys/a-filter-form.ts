/** The form of a condition, and the filter that a page has in its address. */
import type { Page } from 'playwright-core'

/** The filter in the address of the page; null without one. */
export const filterOf = (page: Page) =>
  JSON.parse(new URL(page.url()).searchParams.get('w') ?? 'null')

/** The form of a new condition, on a field that is found by a part of its name. */
export const openForm = async (page: Page, words: string, field: string) => {
  await page.getByRole('button', { name: 'Add a filter' }).click()
  const form = page.getByRole('dialog', { name: 'Add a filter' })
  await form.getByRole('combobox', { name: 'Field' }).fill(words)
  await form.getByRole('option', { name: field, exact: true }).click()
  return form
}
