/** Conditions that compare two fields, in the filter of a list: made, shown, changed, and kept by a view. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { openOrders, startOrders } from './a-bulk-page.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders(100)
  // The quantities of the first five are 1 to 5.
  await service.database.pool.query('UPDATE records."order" SET total = 1 WHERE id <= 5')
  browser = await startBrowser()
})

const filterOf = (page: Page) => JSON.parse(new URL(page.url()).searchParams.get('w') ?? 'null')
const chip = (page: Page, text: string) =>
  page.getByRole('button', { name: `Change the filter ${text}`, exact: true })

describe('the filter of a list', () => {
  test('compares with another field, of which only those are offered that fit', async () => {
    const { page, reports } = await openOrders(browser, service)
    await page.getByRole('button', { name: 'Add a filter' }).click()
    const form = page.getByRole('dialog', { name: 'Add a filter' })
    await form.getByRole('combobox', { name: 'Field', exact: true }).fill('quan')
    await form.getByRole('option', { name: 'Quantity', exact: true }).click()
    await form.getByRole('combobox', { name: /^Condition/ }).selectOption('is more than')
    await form.getByLabel('Compared with').selectOption('compare with another field')
    await form.getByRole('button', { name: 'Apply' }).click()
    await form.getByText('Enter a value.').waitFor()
    const other = form.getByRole('combobox', { name: 'Other field' })
    await other.and(page.locator(':focus')).fill('o')
    await form.getByRole('option', { name: 'Total', exact: true }).waitFor()
    const offered = await form.getByRole('option').allTextContents()
    assert.deepEqual(
      offered.filter((name) => /Ordered|Notes|Quantity|Customer$/.test(name)),
      [],
    )
    assert.deepEqual(await findViolations(page), [])
    await form.getByRole('option', { name: 'Total', exact: true }).click()
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('4 records', { exact: true }).waitFor()
    assert.deepEqual(filterOf(page), { quantity: { $gt: { $field: 'total' } } })
    await chip(page, 'Quantity > Total').waitFor()
    assert.deepEqual(reports, [])
  })

  test('reads the condition of a link, and keeps what nobody changes', async () => {
    const where = { quantity: { $field: 'total' } }
    const { page } = await openOrders(browser, service, { where })
    await page.getByText('1 record', { exact: true }).waitFor()
    await chip(page, 'Quantity = Total').click()
    const form = page.getByRole('dialog')
    assert.equal(await form.getByRole('combobox', { name: 'Other field' }).inputValue(), 'Total')
    await form.getByRole('combobox', { name: /^Condition/ }).selectOption('is at least')
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('5 records', { exact: true }).waitFor()
    await chip(page, 'Quantity ≥ Total').click()
    await form.getByLabel('Compared with').selectOption('compare with a value')
    await form.getByLabel('Value', { exact: true }).fill('6')
    await form.getByRole('button', { name: 'Apply' }).click()
    await chip(page, 'Quantity is at least 6').waitFor()
    assert.deepEqual(filterOf(page), { quantity: { $gte: 6 } })
  })

  test('says before it is sent that two fields cannot be compared inside of a negation', async () => {
    const where = { quantity: { $gt: { $field: 'total' } } }
    const { page } = await openOrders(browser, service, { where })
    await chip(page, 'Quantity > Total').click()
    await page.getByRole('button', { name: 'Advanced filter …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Advanced filter' })
    const negation = dialog.getByRole('checkbox', { name: 'not' })
    await negation.check()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await dialog.getByText('Choose the opposite condition.').waitFor()
    await negation.uncheck()
    await dialog.getByRole('combobox', { name: /^Condition/ }).selectOption('is at most')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('96 records', { exact: true }).waitFor()
  })

  test('names a field that does not exist, with the way out', async () => {
    const where = { status: 'open', quantity: { $gt: { $field: 'gone' } } }
    const search = new URLSearchParams({ w: JSON.stringify(where) })
    const { page } = await openOrders(browser, service)
    await page.goto(`${service.url}/console/order?${search}`)
    await page.getByText('There is no field “gone”').waitFor()
    await page.getByRole('button', { name: 'Remove this condition' }).click()
    await page.getByText('50 records', { exact: true }).waitFor()
  })
})

test('a shared view says it in the language of the user', async () => {
  const body = {
    ...{ entity_key: 'order', name: 'More than it costs', is_shared_with: 'all' },
    criteria: { $where: { quantity: { $gt: { $field: 'total' } } } },
  }
  assert.equal((await service.ask('POST', '/saved_view', { body })).status, 201)
  const { page } = await openOrders(browser, service, { as: 'reader@example.com', locale: 'hr' })
  await page.locator('.list-head [aria-haspopup=menu]').click()
  await page.getByRole('menuitemcheckbox', { name: 'More than it costs' }).click()
  await page.getByText('4 zapisa', { exact: true }).waitFor()
  await page
    .getByRole('button', { name: /Quantity > Total$/ })
    .first()
    .waitFor()
})
