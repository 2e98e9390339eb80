/** Numbers that may mean two things, as languages write decimals and groups differently: the console asks and never guesses. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { dialogOf, openOrders, openSelectedOrders, readOrder, startOrders } from './a-bulk-page.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders(20)
  browser = await startBrowser()
})

const english =
  '12.000 has 3 decimals; this field takes at most 2. Enter 12,000 for 12000 or 12.00 for 12.'
const german =
  '12,000 hat 3 Stellen nach dem Komma; erlaubt sind höchstens 2. Geben Sie 12.000 für 12000 oder 12,00 für 12 ein.'

const isStored = (id: number, total: string) =>
  until(
    `order ${id} has the total ${total}`,
    async () => (await readOrder(service, id)).total === total,
  )

const filterOf = (page: Page) => JSON.parse(new URL(page.url()).searchParams.get('w') ?? 'null')

describe('a number with more decimals than its field', () => {
  for (const [id, locale, typed, refusal, meant] of [
    [11, 'en-GB', '12.000', english, '12,000'],
    [12, 'de-DE', '12,000', german, '12.000'],
  ] as const)
    test(`is not saved on the page of a record in ${locale} until it says what is meant`, async () => {
      const before = await readOrder(service, id)
      const { page, reports } = await openPage(browser, service, `/console/order/${id}`, { locale })
      const total = page.getByLabel('Total', { exact: true })
      await total.fill(typed)
      await total.press('Enter')
      await page.getByRole('alert').getByText(refusal).waitFor()
      await total.and(page.locator(':focus')).waitFor()
      assert.deepEqual(await findViolations(page), [])
      assert.equal((await readOrder(service, id)).total, before.total)
      await total.fill(meant)
      await total.press('Enter')
      await isStored(id, '12000.00')
      assert.deepEqual(reports, [])
    })

  test('is not saved in a cell, nor in a change of several records', async () => {
    const { page } = await openSelectedOrders(browser, service, [13, 14])
    const cell = page
      .getByRole('row')
      .nth(1)
      .getByRole('gridcell', { name: /\d\.50$/ })
    const shown = await cell.textContent()
    await cell.dblclick()
    const edited = page.getByLabel(/^Total of O-/)
    await edited.fill('12.000')
    await edited.press('Enter')
    await page.getByRole('alert').getByText(english).waitFor()
    await edited.press('Escape')
    await page.getByRole('gridcell', { name: shown ?? '' }).waitFor()
    await page.getByRole('button', { name: 'Change a field …' }).click()
    const dialog = dialogOf(page, 'Change a field')
    await dialog.getByLabel('Field').selectOption('Total')
    const total = dialog.getByLabel('Total', { exact: true })
    await total.fill('12.000')
    await total.press('Enter')
    await dialog.getByRole('alert').getByText(english).waitFor()
    await total.fill('12.00')
    await total.press('Enter')
    await dialog.getByText('Possible for 2 records.').waitFor()
  })

  test('is no operand of a filter, neither alone nor in a column of values that is pasted', async () => {
    const { page } = await openOrders(browser, service, {})
    await page.getByRole('button', { name: 'Add a filter' }).click()
    const form = page.getByRole('dialog', { name: 'Add a filter' })
    await form.getByRole('combobox', { name: 'Field' }).fill('Total')
    await form.getByRole('option', { name: 'Total', exact: true }).click()
    await form.getByLabel('Condition').selectOption('$gt')
    const value = form.getByRole('textbox', { name: 'Value' })
    await value.fill('12.000')
    await value.press('Enter')
    await form.getByRole('alert').getByText(english).waitFor()
    await form.getByLabel('Condition').selectOption('$in')
    const values = form.getByRole('textbox', { name: 'Values' })
    await values.fill('7.50\n12.000\n8.50')
    await form.getByRole('button', { name: 'Apply' }).click()
    await form.getByRole('alert').getByText(english).waitFor()
    assert.equal(filterOf(page), null)
    await values.fill('7.50\n12,000\n8.5')
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/12000/)
    assert.deepEqual(filterOf(page), { total: { $in: ['7.50', '12000', '8.5'] } })
  })
})
