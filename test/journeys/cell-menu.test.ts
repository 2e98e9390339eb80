/** The menu of a cell in a real browser: filter by its value, copy it, edit it. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { addPeople, approverEmail, shopProject } from './a-shop-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(shopProject))
  browser = await startBrowser()
  await addPeople(service)
  for (const name of ['Adria Metal', 'Bode & Söhne'])
    await service.ask('POST', '/customer', { body: { name } })
  for (let n = 1; n <= 6; n++)
    await service.ask('POST', '/order', {
      body: {
        ...{ number: `M-${n}`, customer_id: 1 + (n % 2), status: n % 3 === 0 ? 'paid' : 'open' },
        ...{ serial: `922337203685477580${n}`, ...(n > 4 && { notes: 'Ring twice' }) },
      },
    })
})

const columns = ['number', 'customer.name', 'status', 'serial', 'notes']
const openList = async (as?: string) => {
  const search = new URLSearchParams({ c: JSON.stringify(columns), s: '["number"]' })
  const opened = await openPage(browser, service, `/console/order?${search}`, {
    ...(as !== undefined && { as }),
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await opened.page.getByRole('gridcell', { name: 'M-1', exact: true }).waitFor()
  return opened
}

const cell = (page: Page, row: number, column: string) =>
  page
    .getByRole('row')
    .nth(row)
    .getByRole('gridcell')
    .nth(columns.indexOf(column) + 1)

const openMenu = async (page: Page, row: number, column: string) => {
  const { width = 0 } = (await cell(page, row, column).boundingBox()) ?? {}
  await cell(page, row, column).click({ button: 'right', position: { x: width - 6, y: 12 } })
  await page.getByRole('menu', { name: 'Menu of the cell' }).waitFor()
}

const choose = (page: Page, name: string) =>
  page.getByRole('menuitem', { name, exact: true }).click()

describe('the menu of a cell', () => {
  test('a right click offers its value as a filter, beside those that there are', async () => {
    const { page, reports } = await openList()
    await openMenu(page, 1, 'status')
    assert.deepEqual(await findViolations(page), [])
    await choose(page, 'Filter: Status is Open')
    await page.getByText('4 records').waitFor()
    await openMenu(page, 1, 'customer.name')
    await choose(page, 'Filter: Customer is not Bode & Söhne')
    await page.getByText('2 records').waitFor()
    await page.getByRole('button', { name: 'Remove the filter Status is Open' }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('an empty cell offers empty and filled ones', async () => {
    const { page } = await openList()
    await openMenu(page, 1, 'notes')
    await choose(page, 'Filter: Notes is not empty')
    await page.getByText('2 records').waitFor()
  })

  test('by keys alone: Shift+F10 opens it, arrows and Enter choose, Escape goes back to the list', async () => {
    const { page } = await openList()
    await page.getByRole('grid').focus()
    for (const key of ['ArrowRight', 'ArrowRight', 'Shift+F10']) await page.keyboard.press(key)
    const edit = page.getByRole('menuitem', { name: 'Edit', exact: true })
    const first = edit.and(page.locator(':focus'))
    await first.waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('grid').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Shift+F10')
    await first.waitFor()
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
    await page.getByText('2 records').waitFor()
  })

  test('every digit of a value is copied, and Edit opens the cell', async () => {
    const { page } = await openList()
    await openMenu(page, 2, 'serial')
    await choose(page, 'Copy the value')
    await page.getByRole('grid').and(page.locator(':focus')).waitFor()
    // Browsers write to the clipboard after the key is handled.
    await page.waitForFunction(`navigator.clipboard.readText().then((text) => text !== '')`)
    await page.getByRole('searchbox', { name: 'Find in this list' }).focus()
    await page.keyboard.press('Control+v')
    const found = page.getByRole('searchbox', { name: 'Find in this list' })
    assert.equal(await found.inputValue(), '9223372036854775802')
    await page.getByText('1 record', { exact: true }).waitFor()
    await found.fill('')
    await page.getByText('6 records').waitFor()
    await openMenu(page, 2, 'notes')
    await choose(page, 'Edit')
    await page.getByLabel('Notes of M-2').and(page.locator(':focus')).waitFor()
  })

  test('a role that may not change records is not offered to edit', async () => {
    const { page, reports } = await openList(approverEmail)
    await openMenu(page, 1, 'status')
    assert.equal(await page.getByRole('menuitem', { name: 'Edit', exact: true }).count(), 0)
    await choose(page, 'Filter: Status is not Open')
    await page.getByText('2 records').waitFor()
    assert.deepEqual(reports, [])
  })
})
