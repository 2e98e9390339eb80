/** Selecting records of a list in a real browser, by mouse and by keyboard. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { boxOf, openOrders, selectedRows, startOrders } from './a-bulk-page.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders(12_345)
  browser = await startBrowser()
})

const open = (opening = {}) => openOrders(browser, service, { order: ['id'], ...opening })

describe('the selection of a list', () => {
  test('a click selects a record, another one takes it back, and the bar says how many', async () => {
    const { page, bar, reports } = await open()
    await boxOf(page, 'O-000002').check()
    await boxOf(page, 'O-000004').check()
    await bar.getByText('2 selected').waitFor()
    await boxOf(page, 'O-000002').uncheck()
    await bar.getByText('1 selected').waitFor()
    await bar.getByRole('button', { name: 'Clear the selection' }).click()
    assert.equal(await selectedRows(page).count(), 0)
    assert.deepEqual(reports, [])
  })

  test('Shift and a click select the rows between, also those that were never on the screen', async () => {
    const { page, bar } = await open()
    await boxOf(page, 'O-000003').check()
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ top: 36 * 995 }))
    await boxOf(page, 'O-001000').click({ modifiers: ['Shift'] })
    await bar.getByText('998 selected').waitFor()
  })

  test('all that match are selected as such, and single ones are taken out again', async () => {
    const { page, bar } = await open({ where: { status: 'open' } })
    await boxOf(page, 'O-000002').check()
    await bar.getByRole('button', { name: 'Select all 6,172' }).click()
    await bar.getByText('All 6,172 selected').waitFor()
    await boxOf(page, 'O-000004').uncheck()
    await bar.getByText('6,171 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Clear the selection' }).click()
    assert.equal(await selectedRows(page).count(), 0)
    await page.getByRole('checkbox', { name: 'Select all that match' }).check()
    await bar.getByText('All 6,172 selected').waitFor()
  })

  test('another filter begins with nothing selected; another order keeps what is', async () => {
    const { page, bar } = await open()
    await boxOf(page, 'O-000002').check()
    await page.getByRole('columnheader', { name: 'Total' }).getByRole('button').first().click()
    await page.waitForURL(/total/)
    await bar.getByText('1 selected').waitFor()
    await page.getByRole('searchbox', { name: 'Find in this list' }).fill('O-000002')
    await page.getByText('1 record', { exact: true }).waitFor()
    await boxOf(page, 'O-000002').waitFor()
    assert.equal(await selectedRows(page).count(), 0)
  })

  test('a range of more records than a search takes is refused', async () => {
    const { page, bar } = await open()
    await boxOf(page, 'O-000001').check()
    await page.getByRole('grid').press('Control+End')
    await page.getByRole('grid').press('Shift+X')
    await bar
      .getByRole('alert')
      .getByText('Only 10,000 records can be selected one by one.')
      .waitFor()
    await bar.getByText('1 selected').waitFor()
  })

  test('keys alone select, extend and shrink ranges, take all, and clear', async () => {
    const { page, bar } = await open()
    const grid = page.getByRole('grid')
    await grid.focus()
    await grid.press('x')
    await bar.getByText('1 selected').waitFor()
    await grid.press('Shift+ArrowDown')
    await grid.press('Shift+ArrowDown')
    await bar.getByText('3 selected').waitFor()
    await grid.press('Shift+ArrowUp')
    await bar.getByText('2 selected').waitFor()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Space']) await grid.press(key)
    await bar.getByText('3 selected').waitFor()
    await grid.press('Control+a')
    await bar.getByText('All 12,345 selected').waitFor()
    await grid.press('Escape')
    assert.equal(await selectedRows(page).count(), 0)
    await grid.press('x')
    await page.keyboard.press('Tab')
    await bar.getByRole('button', { name: 'Select all 12,345' }).waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await selectedRows(page).count(), 0)
    assert.equal(await grid.evaluate((element) => element.matches(':focus')), true)
  })

  test('the bar covers no row: the last one stands above it', async () => {
    for (const viewport of [
      { width: 320, height: 640 },
      { width: 1280, height: 800 },
    ]) {
      const { page, bar } = await open({ viewport })
      await page.getByRole('grid').press('Control+End')
      await boxOf(page, 'O-012345').waitFor()
      await page.getByRole('grid').press('x')
      await bar.getByText('1 selected').waitFor()
      const row = await page.getByRole('row', { selected: true }).boundingBox()
      const foot = await bar.boundingBox()
      assert.ok(row && foot && row.y + row.height <= foot.y + 1)
    }
  })
})
