/** The form of a whole filter in a real browser: groups inside of groups, by mouse and by keys. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { openOrders, startOrders } from './a-bulk-page.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders(100)
  browser = await startBrowser()
})

const filterOf = (page: Page) => JSON.parse(new URL(page.url()).searchParams.get('w') ?? 'null')

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Advanced filter' })

describe('groups of a filter', () => {
  test('a group is added to a condition, negated, and applied', async () => {
    const { page, reports } = await openOrders(browser, service, { where: { status: 'open' } })
    await page.getByRole('button', { name: 'Add a filter' }).click()
    await page.getByRole('button', { name: 'Advanced filter …' }).click()
    const dialog = dialogOf(page)
    await dialog.getByRole('button', { name: 'Add a group' }).click()
    const group = dialog.getByRole('group', { name: 'Group of level 2' })
    await group.getByLabel('How the conditions').selectOption('None of these')
    await group.getByRole('combobox', { name: 'Field' }).fill('quan')
    await group.getByRole('option', { name: 'Quantity', exact: true }).click()
    await group.getByRole('combobox', { name: /^Condition/ }).selectOption('is at least')
    await group.getByLabel('Value', { exact: true }).fill('3')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('22 records').waitFor()
    assert.deepEqual(filterOf(page), {
      status: { $eq: 'open' },
      $not: { $or: [{ quantity: { $gte: 3 } }] },
    })
    assert.deepEqual(reports, [])
  })

  test('keys alone change how conditions are joined, and remove one', async () => {
    const where = { $or: [{ number: 'O-000001' }, { number: 'O-000002' }, { total: '3.50' }] }
    const { page } = await openOrders(browser, service, { where })
    await page.getByRole('button', { name: 'Change the filter any of' }).press('Enter')
    const dialog = dialogOf(page)
    await dialog.getByRole('button', { name: 'Remove the condition' }).last().press('Enter')
    await dialog.getByRole('button', { name: 'Apply' }).press('Enter')
    await page.getByText('2 records', { exact: true }).waitFor()
    assert.deepEqual(filterOf(page), {
      $or: [{ number: { $eq: 'O-000001' } }, { number: { $eq: 'O-000002' } }],
    })
  })
})
