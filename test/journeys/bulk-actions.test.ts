/** What is offered for many selected records in a real browser: actions, removal, taking over, and permissions. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import {
  boxOf,
  changeStatus,
  dialogOf,
  nameOf,
  openSelectedOrders,
  readOrder,
  startOrders,
} from './a-bulk-page.ts'

const orderCount = 100

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders(orderCount)
  browser = await startBrowser()
})

const openSelected = (ids: readonly number[], options = {}) =>
  openSelectedOrders(browser, service, ids, options)

const read = (id: number) => readOrder(service, id)

const submit = (id: number) =>
  service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })

describe('workflow actions, removal, taking over', () => {
  test('those are offered that fit the step of any of the records, with how many they fit', async () => {
    await submit(42)
    const { page, bar, reports } = await openSelected([41, 42])
    const offered = async (...actions: readonly [string, string]) => {
      await bar.getByRole('button', { name: actions[0], exact: true }).waitFor()
      assert.deepEqual(await bar.getByRole('button', { name: ' …' }).allInnerTexts(), [
        'Change a field …',
        ...actions,
      ])
    }
    await offered('Submit (1 of 2) …', 'Approve (1 of 2) …')
    await boxOf(page, nameOf(41)).uncheck()
    await offered('Approve …', 'Reject …')
    await boxOf(page, nameOf(42)).uncheck()
    await boxOf(page, nameOf(41)).check()
    await offered('Submit …', 'Take over …')
    assert.deepEqual(reports, [])
  })

  test('all of the role are offered where the service does not say the steps', async () => {
    const { page, bar } = await openSelected([], { where: { id: { $in: [44] } } })
    await page.route('**/order/search*', (route) =>
      route.request().postDataJSON().$group?.[0] === '_step'
        ? route.fulfill({ status: 400, json: { code: 'request.too-slow' } })
        : route.continue(),
    )
    await boxOf(page, nameOf(44)).check()
    await bar.getByRole('button', { name: 'Submit …' }).waitFor()
    await bar.getByRole('button', { name: 'Approve …' }).waitFor()
  })

  test('an action moves those whose step has it, and says why not the others', async () => {
    await submit(52)
    const { page, bar } = await openSelected([51, 52, 53])
    await bar.getByRole('button', { name: 'Submit (2 of 3) …' }).click()
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
    for (const id of [61, 62]) await submit(id)
    const { page } = await openSelected([61, 62])
    await page.getByRole('button', { name: 'Approve …' }).click()
    const dialog = dialogOf(page, 'Approve: 2 records')
    await dialog.getByLabel('Approver').getByText('Administrator (you)').waitFor()
    assert.equal(await dialog.getByRole('combobox').count(), 0)
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
