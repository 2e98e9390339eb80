/** Several conditions are added in one dialog, and are applied together or not at all. */
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

describe('conditions added one after the other', () => {
  test('several conditions are added one after the other, by keys alone', async () => {
    const { page, reports } = await open()
    await page.getByRole('button', { name: 'Add a filter' }).press('Enter')
    const form = page.getByRole('dialog', { name: 'Add a filter' })
    const field = form.getByRole('combobox', { name: 'Field' })
    const another = form.getByRole('button', { name: 'Add another condition' })
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('total')
    await form.getByRole('option', { name: 'Total', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    await another.press('Enter')
    // What is missing is said, and nothing is added.
    await form.getByRole('textbox', { name: 'Value' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('5')
    await another.press('Enter')
    await form.getByRole('status').getByText('Total is at least 5').waitFor()
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('cust')
    await form.getByRole('option', { name: 'Customer', exact: true }).waitFor()
    await page.keyboard.press('Enter')
    const value = form.getByRole('combobox', { name: 'Value' })
    await value.pressSequentially('omer 20')
    await form.getByRole('option', { name: 'Customer 20' }).waitFor()
    await value.press('Enter')
    await value.press('Enter')
    await page.getByRole('button', { name: 'Change the filter Customer is Customer 20' }).waitFor()
    assert.deepEqual(filterOf(page), { total: { $gte: '5' }, customer: { $eq: 20 } })
    assert.deepEqual(reports, [])
  })

  test('Cancel and Escape leave the filter as it was, also after conditions were added', async () => {
    const { page, reports } = await open({ status: 'open' })
    const button = page.getByRole('button', { name: 'Add a filter' })
    for (const leave of ['Cancel', 'Escape']) {
      const form = await openForm(page, 'total', 'Total')
      await form.getByRole('textbox', { name: 'Value' }).fill('5')
      await form.getByRole('button', { name: 'Add another condition' }).click()
      await form.getByRole('status').getByText('Total is at least 5').waitFor()
      assert.deepEqual(filterOf(page), { status: 'open' })
      if (leave === 'Escape') await form.getByRole('combobox', { name: 'Condition' }).press(leave)
      else await form.getByRole('button', { name: leave }).click()
      await button.and(page.locator(':focus')).waitFor()
      await page.getByText('10,000 records').waitFor()
      assert.deepEqual(filterOf(page), { status: 'open' })
    }
    assert.deepEqual(reports, [])
  })

  test('Apply takes what was added, the same condition once, and needs no further one', async () => {
    const { page, reports } = await open()
    const form = await openForm(page, 'total', 'Total')
    for (const _time of [1, 2]) {
      await form.getByRole('combobox', { name: 'Field' }).fill('total')
      await form.getByRole('option', { name: 'Total', exact: true }).click()
      await form.getByRole('textbox', { name: 'Value' }).fill('5')
      await form.getByRole('button', { name: 'Add another condition' }).click()
      await form.getByRole('status').getByText('Total is at least 5').waitFor()
    }
    assert.equal(await form.getByRole('status').getByRole('listitem').count(), 1)
    await form.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Change the filter Total is at least 5' }).waitFor()
    assert.deepEqual(filterOf(page), { total: { $gte: '5' } })
    assert.deepEqual(reports, [])
  })

  test('the advanced filter begins with what was added', async () => {
    const { page, reports } = await open()
    const form = await openForm(page, 'total', 'Total')
    await form.getByRole('textbox', { name: 'Value' }).fill('5')
    await form.getByRole('button', { name: 'Add another condition' }).click()
    await form.getByRole('button', { name: 'Advanced filter' }).click()
    const whole = page.getByRole('dialog', { name: 'Advanced filter' })
    assert.equal(await whole.getByRole('textbox', { name: 'Value' }).inputValue(), '5')
    await whole.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Add a filter' }).and(page.locator(':focus')).waitFor()
    assert.equal(filterOf(page), null)
    assert.deepEqual(reports, [])
  })
})
