/** A day's work with the service, in a real browser: what is written is there, and what others do comes by itself. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { opened } from '../support/afterwards.ts'
import { openPage } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { createUser } from '../support/console/create-user.ts'
import { holdFiles } from '../support/page-files.ts'
import { startTestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { startTestWorker } from '../support/worker.ts'

const ana = 'reader@example.com'
const project = {
  ...orderProject,
  'roles/reader.json': { key: 'reader', permissions: { order: { read: true } } },
}

const service = opened(() => startTestService(project))
before(async () => {
  await startTestWorker(service)
  await createUser(service, 'reader')
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
})

const createOrder = async (number: string): Promise<number> => {
  const body = { number, customer_id: 1, total: '12.50', notes: 'First' }
  return (await service.ask('POST', '/order', { body })).json().id
}
const read = async (path: string) => (await service.ask('GET', path)).json()

const linkOf = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name })

test('a task for a user comes to their page by itself; completed, it is in the history', async () => {
  const id = await createOrder('T-1')
  const theirs = await openPage(service, '/console/-/tasks', { as: ana })
  await theirs.page.getByText('You have no open tasks.').waitFor()
  const description = 'Ask for a discount'
  const task = { description, due_date: '2021-05-04T08:30:00Z', assigne_id: 2 }
  assert.equal((await service.ask('POST', `/order/${id}/task`, { body: task })).status, 201)
  await linkOf(theirs.page, 'My tasks 1 overdue').waitFor()
  await theirs.page.getByRole('checkbox', { name: description }).click()
  await theirs.page.getByText(`Done: ${description}`).waitFor()
  const { page, reports } = await openPage(service, `/console/order/${id}#tasks`)
  await page.getByText('Done 1').waitFor()
  const history = page.getByRole('complementary', { name: 'History' })
  await history.getByText('completed a task').waitFor()
  await history.getByText('created a task').waitFor()
  assert.deepEqual([reports, theirs.reports], [[], []])
})

test('what is typed before the search has been loaded is searched for, its input stays in place, and the focus goes back', async () => {
  const id = await createOrder('Löwe 2')
  const { page, reports } = await openPage(service, `/console/order/${id}`)
  const files = await holdFiles(page, 'work')
  const total = page.getByLabel('Total', { exact: true })
  await total.focus()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('low')
  await files.askedFor()
  const early = await page.getByLabel('Find anything').and(page.locator('input')).boundingBox()
  files.release()
  const input = page.getByRole('dialog').getByRole('combobox')
  await input.and(page.locator(':focus')).waitFor()
  const late = await input.boundingBox()
  assert.ok(early && late && Math.abs(early.y - late.y) <= 4)
  await page.keyboard.type('e 2')
  assert.equal(await input.inputValue(), 'lowe 2')
  await page.getByRole('option', { name: /^Löwe 2 Order/ }).waitFor()
  await page.keyboard.press('Escape')
  await total.and(page.locator(':focus')).waitFor()
  assert.deepEqual(reports, [])
})

test('theme, rows and language are shown at once, and in every browser of the user', async () => {
  const shown = (page: Page) =>
    page
      .locator('html')
      .evaluate(({ lang, dataset: { theme, density } }) => [lang, theme ?? null, density ?? null])
  const chosen = ['hr', 'dark', 'compact']
  const { page, reports } = await openPage(service, '/console/-/settings')
  await page.getByText('Dark', { exact: true }).click()
  await page.getByText('Compact', { exact: true }).click()
  await page.getByLabel('Language').selectOption('Hrvatski')
  await page.getByRole('heading', { name: 'Postavke' }).waitFor()
  assert.deepEqual(await shown(page), chosen)
  await until('the service keeps them', async () => {
    const kept = await read('/console/-/settings.json')
    return kept.language === 'hr' && kept.density === 'compact' && kept.theme === 'dark'
  })
  await page.reload()
  await page.getByRole('heading', { name: 'Postavke' }).waitFor()
  assert.deepEqual(await shown(page), chosen)
  const other = await openPage(service, '/console/customer', { locale: 'de-AT' })
  await other.page.getByRole('button', { name: 'Stupci' }).waitFor()
  assert.deepEqual(await shown(other.page), chosen)
  const body = { theme: null, language: null, density: null }
  await service.ask('PATCH', '/console/-/settings.json', { body })
  await other.page.reload()
  await other.page.getByRole('button', { name: 'Spalten' }).waitFor()
  assert.deepEqual(await shown(other.page), ['de', null, null])
  assert.deepEqual([reports, other.reports], [[], []])
})
