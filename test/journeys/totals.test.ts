/** Sums and groups of a list in a real browser: exact, of the selection and of all that match. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { boxOf, openOrders, startOrders } from './a-bulk-page.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders(2_000)
  browser = await startBrowser()
  // More digits than a number of JavaScript has.
  await service.database.pool.query(
    `UPDATE records."order" SET total = 123456789012.35 WHERE id IN (1, 2, 3)`,
  )
})

const open = (opening = {}) => openOrders(browser, service, { order: ['id'], ...opening })

describe('the totals of a list', () => {
  test('are those of all that match and of the selection, digit by digit', async () => {
    const { page, bar, reports } = await open({ where: { id: { $in: [1, 2, 3, 10] } } })
    await boxOf(page, 'O-000001').check()
    await boxOf(page, 'O-000002').check()
    await bar.getByRole('button', { name: 'Totals' }).click()
    const totals = page.getByRole('region', { name: 'Totals' })
    const selected = totals.getByRole('row', { name: 'Selected' })
    await selected.getByText('246,913,578,024.70').waitFor()
    assert.deepEqual(await selected.getByRole('cell').allInnerTexts(), [
      ...['246,913,578,024.70', '123,456,789,012.35', '123,456,789,012.35'],
      ...['123,456,789,012.35', '2'],
    ])
    const all = totals.getByRole('row', { name: 'All that match' })
    await all.getByText('370,370,367,047.55').waitFor()
    assert.deepEqual(await all.getByRole('cell').allInnerTexts(), [
      ...['370,370,367,047.55', '92,592,591,761.89', '10.50', '123,456,789,012.35', '4'],
    ])
    await totals.getByLabel('Column').selectOption('Quantity')
    await all.getByText('9', { exact: true }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('are opened and closed by keys', async () => {
    const { page, bar } = await open()
    const button = bar.getByRole('button', { name: 'Totals' })
    await button.press('Enter')
    await page.getByRole('region', { name: 'Totals' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Totals' }).waitFor({ state: 'detached' })
  })

  test('a role that hides nothing but may only read has them too', async () => {
    const { page, bar, forbidden } = await open({ as: 'reader@example.com' })
    await bar.getByRole('button', { name: 'Totals' }).click()
    await page.getByRole('row', { name: 'All that match' }).getByText('2,000').waitFor()
    assert.deepEqual(forbidden, [])
  })

  test('what the service refuses is said', async () => {
    const { page, bar } = await open()
    await page.route('**/order/search?limit=1', (route) =>
      route.request().postData()?.includes('$aggregate')
        ? route.fulfill({ status: 400, json: { detail: 'Too much to add up.' } })
        : route.continue(),
    )
    await bar.getByRole('button', { name: 'Totals' }).click()
    await page.getByRole('alert').getByText('Too much to add up.').waitFor()
  })
})

describe('the groups of a list', () => {
  test('are counted and added up, and a click on one filters the list', async () => {
    const { page, reports } = await open({ where: { id: { $gt: 3 } } })
    await page.getByRole('button', { name: 'Menu of the column Status' }).click()
    await page.getByRole('menuitem', { name: 'Group by this column …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Grouped by Status' })
    const row = dialog.getByRole('row', { name: 'open' })
    await row.waitFor()
    const cells = await row.getByRole('cell').allInnerTexts()
    assert.deepEqual(cells.slice(0, 2), ['999', '1,001,497.50'])
    await dialog.getByRole('button', { name: 'Show only: open' }).click()
    await page.getByText('999 records').waitFor()
    assert.match(decodeURIComponent(page.url()), /"id":\{"\$gt":3\},"status":\{"\$eq":"open"\}/)
    assert.deepEqual(reports, [])
  })

  test('by keys alone, and records behind a link are told apart', async () => {
    await service.ask('PATCH', '/customer/2', { body: { name: 'Customer 1' } })
    const { page } = await open()
    await page.getByRole('button', { name: 'Menu of the column Customer' }).press('Enter')
    const first = page.getByRole('menuitem', { name: 'Sort ascending' })
    await first.and(page.locator(':focus')).waitFor()
    // "Do not sort" is disabled where nothing is sorted, so the keys pass over it.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const group = page.getByRole('menuitem', { name: 'Group by this column …' })
    await group.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Grouped by Customer' })
    const same = dialog.getByRole('button', { name: 'Show only: Customer 1', exact: true })
    await same.first().waitFor()
    assert.equal(await same.count(), 2)
    await same.first().press('Enter')
    await page.getByText('100 records').waitFor()
  })
})
