/** Changing many records of a list at once in a real browser: tried first, then written, and taken back. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import {
  boxOf,
  changeStatus,
  dialogOf,
  nameOf,
  openOrders,
  openSelectedOrders,
  readOrder,
  selectedRows,
  startOrders,
} from './a-bulk-page.ts'
import { pressInTurn } from './keyboard/a-keyboard.ts'

const orderCount = 2_500

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders(orderCount)
  browser = await startBrowser()
})

const openSelected = (ids: readonly number[]) => openSelectedOrders(browser, service, ids)

const read = (id: number) => readOrder(service, id)

describe('changing a field of many records', () => {
  test('is tried first, then written, and taken back exactly', async () => {
    const { page, reports } = await openSelected([11, 12, 13])
    const dialog = await changeStatus(page, 'open')
    await dialog.getByText('Possible for 2 records.').waitFor()
    await dialog.getByText('No change needed for 1 record.').waitFor()
    assert.equal((await read(11)).status, 'paid')
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    await dialog.getByText('Done: 2 records.').waitFor()
    assert.deepEqual(
      [(await read(11)).status, (await read(12)).status, (await read(13)).status],
      ['open', 'open', 'open'],
    )
    assert.equal((await read(11))._updated_by, 1)
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByText('2 records are as they were before.').waitFor()
    assert.deepEqual([(await read(11)).status, (await read(13)).status], ['paid', 'paid'])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('gridcell', { name: 'paid' }).first().waitFor()
    assert.equal(await selectedRows(page).count(), 0)
    assert.deepEqual(reports, [])
  })

  test('an undo leaves what somebody has changed since', async () => {
    const { page } = await openSelected([21, 23])
    const dialog = await changeStatus(page, 'open')
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    await dialog.getByText('Done: 2 records.').waitFor()
    await service.ask('PATCH', '/order/23', { body: { notes: 'Urgent' } })
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByText('1 record is as it was before.').waitFor()
    await dialog.getByText('was changed by somebody else meanwhile').waitFor()
    assert.deepEqual([(await read(21)).status, (await read(23)).status], ['paid', 'open'])
  })

  test('a record that somebody changed after the check is not overwritten, and stays selected', async () => {
    const { page, bar } = await openSelected([31, 33])
    const dialog = await changeStatus(page, 'open')
    await dialog.getByText('Possible for 2 records.').waitFor()
    await service.ask('PATCH', '/order/33', { body: { status: null } })
    await dialog.getByRole('button', { name: 'Change 2 records' }).click()
    await dialog.getByText('Not done and still selected: 1 record').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await bar.getByText('1 selected').waitFor()
    const box = boxOf(page, nameOf(33))
    assert.equal(await box.isChecked(), true)
    assert.match((await box.getAttribute('aria-description')) ?? '', /changed by somebody else/)
    assert.equal((await read(33)).status, null)
  })

  test('a value that no record may have is said at its field', async () => {
    const { page } = await openSelected([41])
    await page.getByRole('button', { name: 'Change a field …' }).click()
    const dialog = dialogOf(page, 'Change a field')
    await dialog.getByLabel('Field').selectOption('Link')
    await dialog.getByLabel('Link', { exact: true }).fill('nowhere')
    await dialog.getByRole('button', { name: 'Check' }).click()
    const input = dialog.getByLabel('Link', { exact: true })
    await dialog.getByRole('alert').first().waitFor()
    assert.equal(await input.getAttribute('aria-invalid'), 'true')
    assert.equal(await input.inputValue(), 'nowhere')
  })

  test('all that match are written in requests of a thousand', async () => {
    const { page, bar } = await openOrders(browser, service, { where: { id: { $gt: 100 } } })
    const sizes: number[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/order/bulk')) sizes.push(request.postDataJSON().ids.length)
    })
    await page.getByRole('checkbox', { name: 'Select all that match' }).check()
    await bar.getByText('All 2,400 selected').waitFor()
    await page.getByRole('button', { name: 'Change a field …' }).click()
    const dialog = dialogOf(page, 'Change a field: 2,400 records')
    await dialog.getByLabel('Field').selectOption('Notes')
    await dialog.getByLabel('Notes').fill('All of them')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByRole('button', { name: 'Change 2,400 records' }).click()
    await dialog.getByText('Done: 2,400 records.').waitFor()
    assert.deepEqual(sizes, [1000, 1000, 400, 1000, 1000, 400])
    const { total } = (
      await service.ask('POST', '/order/search', {
        body: { $where: { notes: 'All of them' }, $count: true },
      })
    ).json()
    assert.equal(total, 2400)
  })

  test('Stop ends it after the part that is being written; the rest stays selected', async () => {
    const { page, bar } = await openOrders(browser, service, { where: { id: { $gt: 100 } } })
    await page.getByRole('checkbox', { name: 'Select all that match' }).check()
    await page.getByRole('button', { name: 'Change a field …' }).click()
    const dialog = dialogOf(page, 'Change a field')
    await dialog.getByLabel('Field').selectOption('Quantity')
    await dialog.getByLabel('Quantity', { exact: true }).fill('77')
    await dialog.getByRole('button', { name: 'Check' }).click()
    const write = dialog.getByRole('button', { name: 'Change 2,400 records' })
    await write.waitFor()
    let release = () => {}
    const stopped = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/order/bulk', async (route) => {
      await stopped
      await route.continue()
    })
    await write.click()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    await dialog.getByRole('button', { name: 'Stopping …' }).waitFor()
    release()
    await dialog.getByText('Done: 1,000 records.').waitFor()
    await dialog.getByText('1,400 records were not reached.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await bar.getByText('1,400 selected').waitFor()
  })
})

describe('a service that is away', () => {
  test('a request whose answer was lost is sent again, and is written once', async () => {
    const { page } = await openSelected([81])
    const dialog = await changeStatus(page, 'open')
    const write = dialog.getByRole('button', { name: 'Change 1 record' })
    await write.waitFor()
    const keys: (string | undefined)[] = []
    await page.route('**/order/bulk', async (route) => {
      keys.push((await route.request().allHeaders())['idempotency-key'])
      if (keys.length > 1) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await write.click()
    await dialog.getByText('Done: 1 record.').waitFor()
    assert.equal(keys.length, 2)
    assert.equal(keys[0], keys[1])
    assert.equal((await service.ask('GET', '/order/81/history')).json().data.length, 1)
  })

  test('what fails says why, and leaves everything selected', async () => {
    const { page, bar } = await openSelected([91])
    const dialog = await changeStatus(page, 'open')
    const write = dialog.getByRole('button', { name: 'Change 1 record' })
    await write.waitFor()
    await page.route('**/order/bulk', (route) =>
      route.fulfill({ status: 500, json: { detail: 'The database is full.' } }),
    )
    await write.click()
    await dialog.getByRole('alert').getByText('The database is full.').waitFor()
    await dialog.getByText('1 record was not reached.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await bar.getByText('1 selected').waitFor()
  })
})

describe('by keyboard alone', () => {
  test('two orders are selected and changed', async () => {
    const { page } = await openOrders(browser, service, { where: { id: { $in: [95, 97] } } })
    await boxOf(page, nameOf(95)).waitFor()
    const { keyboard } = page
    await page.getByRole('grid').focus()
    for (const key of ['x', 'Shift+ArrowDown']) await keyboard.press(key)
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Change a field …' }).waitFor()
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    const dialog = dialogOf(page, 'Change a field: 2 records')
    await dialog.waitFor()
    await keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('2 selected').waitFor()
    await keyboard.press('Enter')
    await dialog.waitFor()
    // The browser finds an option by letters that come within a second of each other.
    await pressInTurn(page, ...'Quantity')
    await keyboard.press('Tab')
    await keyboard.type('8')
    await keyboard.press('Enter')
    await dialog.getByText('Possible for 2 records.').waitFor()
    await keyboard.press('Enter')
    await dialog.getByText('Done: 2 records.').waitFor()
    await keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await read(97)).quantity, 8)
  })
})
