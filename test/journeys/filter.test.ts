/** The filter of a list in a real browser: fields by name, records by name, numbers as people write them. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { openOrders, startOrders } from './a-bulk-page.ts'
import { filterOf, openForm } from './a-filter-form.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders(20_000)
  browser = await startBrowser()
})

const open = (where?: object, options = {}) =>
  openOrders(browser, service, { ...options, ...(where && { where }) })

describe('the filter of a list', () => {
  test('a linked record is chosen by its name, by keys alone', async () => {
    const { page, reports } = await open()
    const button = page.getByRole('button', { name: 'Add a filter' })
    await button.press('Enter')
    const form = page.getByRole('dialog', { name: 'Add a filter' })
    const field = form.getByRole('combobox', { name: 'Field' })
    await field.and(page.locator(':focus')).waitFor()
    await form.getByRole('button', { name: 'Cancel' }).press('Enter')
    await button.and(page.locator(':focus')).press('Enter')
    await field.press('ArrowDown')
    // What the list shows comes first, then the fields of the entity, then those of each link.
    const groups = await form.getByRole('listbox').getByRole('group').all()
    const names = await Promise.all(groups.map((group) => group.getAttribute('aria-label')))
    assert.deepEqual(names.slice(0, 3), ['In this list', 'Order', 'Customer'])
    await field.pressSequentially('cust')
    await form.getByRole('option', { name: 'Customer', exact: true }).waitFor()
    await field.press('Enter')
    const value = form.getByRole('combobox', { name: 'Value' })
    await value.pressSequentially('omer 20')
    await form.getByRole('option', { name: 'Customer 20' }).waitFor()
    await value.press('Enter')
    await value.press('Enter')
    await page.getByRole('button', { name: 'Change the filter Customer is Customer 20' }).waitFor()
    await page.getByText('1,000 records').waitFor()
    assert.deepEqual(filterOf(page), { customer: { $eq: 20 } })
    assert.deepEqual(reports, [])
  })

  test('words that name no field, or no record, are refused and stay', async () => {
    const { page, reports } = await open()
    await page.getByRole('button', { name: 'Add a filter' }).click()
    const form = page.getByRole('dialog', { name: 'Add a filter' })
    const apply = form.getByRole('button', { name: 'Apply' })
    const field = form.getByRole('combobox', { name: 'Field' })
    await field.and(page.locator(':focus')).waitFor()
    // Typing takes the place of the field that the form begins with.
    await page.keyboard.type('totl')
    assert.equal(await field.inputValue(), 'totl')
    await form.getByRole('alert').getByText('There is no field of that name.').waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await field.inputValue(), 'totl')
    await form.getByRole('textbox', { name: 'Value' }).fill('5')
    await apply.click()
    await field.and(page.locator(':focus')).waitFor()
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.equal(await field.inputValue(), 'totl')
    assert.equal(filterOf(page), null)
    await field.click()
    await form.getByRole('option', { name: 'Total', exact: true }).waitFor()
    await page.keyboard.type('total')
    await form.getByRole('option', { name: 'Total', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('5')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Change the filter Total is at least 5' }).waitFor()
    assert.deepEqual(filterOf(page), { total: { $gte: '5' } })
    const other = await openForm(page, 'customer', 'Customer')
    const value = other.getByRole('combobox', { name: 'Value' })
    await value.fill('Customer 7')
    await other.getByRole('option', { name: 'Customer 7', exact: true }).click()
    await value.fill('nobody')
    await other.getByRole('button', { name: 'Apply' }).click()
    await other.getByRole('alert').getByText('Choose an entry from the list.').waitFor()
    assert.equal(await value.inputValue(), 'nobody')
    await other.getByRole('combobox', { name: 'Field' }).press('Escape')
    await page.getByText('Customer is Customer 7').waitFor({ state: 'detached' })
    assert.deepEqual(reports, [])
  })

  test('a filter reaches over two links by name', async () => {
    const { page } = await open()
    const form = await openForm(page, 'cust created by', 'Customer › Created by')
    await form.getByRole('combobox', { name: 'Value' }).fill('admin')
    await form.getByRole('option', { name: 'Administrator' }).click()
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Customer › Created by is Administrator').waitFor()
    await page.getByText('20,000 records').waitFor()
  })

  for (const [locale, written, shown] of [
    ['en-GB', '10,000', '10,000.00'],
    ['de-DE', '10.000', '10.000,00'],
  ] as const)
    test(`a number is read as the list shows it in ${locale}`, async () => {
      const { page } = await open(undefined, { locale })
      const name = locale === 'de-DE' ? 'Filter hinzufügen' : 'Add a filter'
      await page.getByRole('button', { name }).click()
      const form = page.getByRole('dialog', { name })
      await form.getByRole('combobox').first().fill('Total')
      await form.getByRole('option', { name: 'Total', exact: true }).click()
      await form.getByRole('combobox').nth(1).selectOption('$gt')
      const value = form.getByRole('textbox')
      await value.fill('10000 pieces')
      await value.press('Enter')
      await form.getByRole('alert').waitFor()
      assert.equal(await value.getAttribute('aria-invalid'), 'true')
      assert.equal(filterOf(page), null)
      // Nothing is no condition, and above all not that the field is empty.
      await value.fill('')
      await value.press('Enter')
      assert.equal(filterOf(page), null)
      await value.fill(written)
      await value.press('Enter')
      await page.getByText(`${shown}`).first().waitFor()
      await page.waitForURL(/total/)
      assert.deepEqual(filterOf(page), { total: { $gt: '10000' } })
    })

  test('a text is found by a part of it, and no pattern is shown', async () => {
    const { page } = await open({ number: { $ilike: '%01999_' } })
    await page.getByText('Number matches the pattern %01999_').waitFor()
    const form = await openForm(page, 'number', 'Number')
    await form.getByLabel('Value', { exact: true }).fill('o-01999')
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Number contains o-01999').waitFor()
    await page.getByText('10 records').waitFor()
    assert.deepEqual(filterOf(page), {
      $and: [{ number: { $ilike: '%01999_' } }, { number: { $ilike: '%o-01999%' } }],
    })
  })

  test('several choices and several records are conditions too', async () => {
    const { page } = await open()
    const form = await openForm(page, 'step', 'Step')
    await form.getByLabel('Condition').selectOption('is one of')
    await form.getByRole('button', { name: 'Apply' }).click()
    await form.getByRole('alert').getByText('Enter a value.').waitFor()
    await form.getByLabel('Draft').check()
    await form.getByLabel('Approved').check()
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Step is one of Draft, Approved').waitFor()
    const other = await openForm(page, 'customer', 'Customer')
    await other.getByLabel('Condition').selectOption('is one of')
    for (const name of ['Customer 7', 'Customer 12']) {
      await other.getByRole('combobox', { name: 'Value' }).fill(name)
      await other.getByRole('option', { name, exact: true }).click()
      await other.getByRole('button', { name: `Remove the value ${name}` }).waitFor()
    }
    await other.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Customer is one of Customer 7, Customer 12').waitFor()
    await page.getByText('2,000 records').waitFor()
  })

  test('what an address has wrong is said in words, and the rest of the filter stays', async () => {
    const where = { status: 'open', total: { $gt: '10,000' }, colour: 'red' }
    const path = `/console/order?w=${encodeURIComponent(JSON.stringify(where))}`
    const { page } = await open()
    await page.goto(`${service.url}${path}`)
    const alert = page.getByRole('alert')
    await alert.getByText('Total is more than 10,000: this value cannot be read.').waitFor()
    await alert.getByText('There is no field “colour”').waitFor()
    await alert.getByRole('button', { name: 'Remove this condition' }).last().click()
    await alert.getByRole('button', { name: 'Remove this condition' }).click()
    await page.getByText('10,000 records').waitFor()
    assert.deepEqual(filterOf(page), { status: { $eq: 'open' } })
  })
})
