/** Writing many records of a list at once in a real browser: tried first, then written, and taken back. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { boxOf, openOrders, selectedRows, startOrders } from './a-bulk-page.ts'

const orderCount = 2_500

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders(orderCount)
  browser = await startBrowser()
})

const nameOf = (id: number) => `O-${String(id).padStart(6, '0')}`

/** Opens the list and selects these orders. */
const openSelected = async (ids: readonly number[], opening = {}) => {
  const opened = await openOrders(browser, service, {
    where: { id: { $in: ids } },
    ...opening,
  })
  for (const id of ids) await boxOf(opened.page, nameOf(id)).check()
  return opened
}

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name })

const read = async (id: number) => (await service.ask('GET', `/order/${id}`)).json()

const changeStatus = async (page: Page, value: string) => {
  await page.getByRole('button', { name: 'Change a field …' }).click()
  const dialog = dialogOf(page, 'Change a field')
  await dialog.getByLabel('Field').selectOption('Status')
  await dialog.getByLabel('Status', { exact: true }).selectOption(value)
  await dialog.getByRole('button', { name: 'Check' }).click()
  return dialog
}

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

describe('workflow actions, removal, taking over', () => {
  test('an action moves those whose step has it, and says why not the others', async () => {
    await service.ask('POST', '/order/52/proceedToStep', { body: { action: 'submit' } })
    const { page, bar } = await openSelected([51, 52, 53])
    await page.getByRole('button', { name: 'Submit …' }).click()
    const dialog = dialogOf(page, 'Submit: 3 records')
    await dialog.getByLabel('Comment').fill('For the fair')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByText('Possible for 2 records.').waitFor()
    await dialog.getByText('the action is not possible in the step of the record').waitFor()
    await dialog.getByRole('button', { name: 'Submit: 2 records' }).click()
    await dialog.getByText('Done: 2 records.').waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Undo' }).count(), 0)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await bar.getByText('1 selected').waitFor()
    assert.equal(await boxOf(page, nameOf(52)).isChecked(), true)
    assert.equal((await read(51))._step, 'review')
    const [entry] = (await service.ask('GET', '/order/53/history')).json().data
    assert.equal(entry.comment, 'For the fair')
  })

  test('the form of an action is filled in once for all', async () => {
    for (const id of [61, 62])
      await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
    const { page } = await openSelected([61, 62])
    await page.getByRole('button', { name: 'Approve …' }).click()
    const dialog = dialogOf(page, 'Approve: 2 records')
    await dialog.getByLabel('Notes').fill('Within budget')
    await dialog.getByRole('button', { name: 'Check' }).click()
    await dialog.getByRole('button', { name: 'Approve: 2 records' }).click()
    await dialog.getByText('Done: 2 records.').waitFor()
    const { _step, approver_id, notes } = await read(62)
    assert.deepEqual([_step, approver_id, notes], ['approved', 1, 'Within budget'])
  })

  test('removed records are restored by an undo', async () => {
    const { page } = await openSelected([71, 72])
    await page.getByRole('button', { name: 'More' }).last().click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    const dialog = dialogOf(page, 'Remove: 2 records')
    await dialog.getByRole('button', { name: 'Remove 2 records' }).click()
    await dialog.getByText('Done: 2 records.').waitFor()
    assert.equal((await service.ask('GET', '/order/71')).status, 404)
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByText('2 records are as they were before.').waitFor()
    assert.equal((await service.ask('GET', '/order/71')).status, 200)
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

describe('permissions', () => {
  test('a role that may only read is offered nothing', async () => {
    const { page, bar, forbidden } = await openSelected([1], { as: 'reader@example.com' })
    await bar.getByText('1 selected').waitFor()
    assert.equal(await bar.getByRole('button', { name: '…' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Actions' }).count(), 0)
    assert.deepEqual(forbidden, [])
  })

  test('a role is offered what it may do with some records, and told which it may not', async () => {
    const { page, bar, forbidden } = await openSelected([1, 3], { as: 'clerk@example.com' })
    await bar.getByText('2 selected').waitFor()
    await bar.getByRole('button', { name: 'Take over …' }).waitFor()
    assert.deepEqual(await bar.getByRole('button', { name: '…' }).allInnerTexts(), [
      'Change a field …',
      'Submit …',
      'Take over …',
    ])
    await bar.getByRole('button', { name: 'Take over …' }).click()
    const taking = dialogOf(page, 'Take over: 2 records')
    await taking.getByRole('button', { name: 'Take over 2 records' }).waitFor()
    await taking.getByRole('button', { name: 'Back' }).click()
    const changing = await changeStatus(page, 'open')
    await changing.getByText('Not possible for any of the records.').waitFor()
    await changing.getByText('not allowed for your role').waitFor()
    assert.deepEqual(forbidden, [])
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
    await keyboard.type('Quantity')
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
