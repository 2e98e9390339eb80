/** What a list says when a cell was saved, with the way back, in a real browser. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolationsEverywhere, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { orderProject } from '../support/console/an-order-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  for (const name of ['Adria Metal', 'Bode & Söhne'])
    await service.ask('POST', '/customer', { body: { name } })
})

// Of each test, so that none sees what another one changed.
let number = ''
let id = 0
beforeEach(async () => {
  number = `S-${id + 1}`
  const body = { number, customer_id: 1, total: '7.50', quantity: 3 }
  id = (await service.ask('POST', '/order', { body })).json().id
})

const read = async () => (await service.ask('GET', `/order/${id}`)).json()

const openList = async (options: Parameters<typeof openPage>[3] = {}) => {
  const search = new URLSearchParams({
    w: JSON.stringify({ id }),
    c: '["number","customer.name","total","quantity"]',
  })
  const opened = await openPage(browser, service, `/console/order?${search}`, options)
  await opened.page.getByRole('gridcell', { name: number, exact: true }).waitFor()
  return opened
}

/** Changes the quantity of the order by keys alone. */
const changeQuantity = async (page: Page, from: string, to: string) => {
  await page.getByRole('gridcell', { name: from, exact: true }).click()
  await page.keyboard.press('F2')
  await page.getByLabel(`Quantity of ${number}`).fill(to)
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText(`Saved: Quantity of ${number}`).waitFor()
  // What the pointer is over stays.
  await page.getByRole('button', { name: 'Undo' }).hover()
}

describe('a saved cell', () => {
  test('is said, and taken back by mouse as by key; then it is not offered again', async () => {
    const { page, reports } = await openList()
    await changeQuantity(page, '3', '8')
    assert.equal((await read()).quantity, 8)
    const grid = page.getByRole('grid')
    // The active cell shows the focus, not the whole list.
    await grid.and(page.locator(':focus-visible')).waitFor()
    const frame = 'getComputedStyle(document.querySelector("[role=grid]")).outlineStyle'
    assert.equal(await page.evaluate(frame), 'none')
    const { y = 0, height = 0 } = (await grid.boundingBox()) ?? {}
    const undo = page.getByRole('button', { name: 'Undo' })
    assert.ok(((await undo.boundingBox())?.y ?? 0) >= y + height, 'no row is covered')
    await undo.click()
    await page.getByRole('status').getByText(`Undone: Quantity of ${number}`).waitFor()
    assert.equal((await read()).quantity, 3)
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
    await page.getByRole('grid').and(page.locator(':focus')).waitFor()
    await changeQuantity(page, '3', '9')
    await page.keyboard.press('z')
    await page.getByRole('gridcell', { name: '3', exact: true }).waitFor()
    await page.getByRole('status').getByText(`Undone: Quantity of ${number}`).waitFor()
    assert.equal((await read()).quantity, 3)
    assert.deepEqual(reports, [])
  })

  test('a link names its former record again at once', async () => {
    const { page } = await openList()
    const cell = page.getByRole('gridcell', { name: 'Adria Metal', exact: true })
    const { width = 0 } = (await cell.boundingBox()) ?? {}
    await cell.dblclick({ position: { x: width - 6, y: 12 } })
    const input = page.getByLabel(`Customer of ${number}`)
    await input.fill('söhne')
    await page.getByRole('option', { name: 'Bode & Söhne' }).waitFor()
    await input.press('Enter')
    await input.press('Enter')
    await page.getByRole('gridcell', { name: 'Bode & Söhne' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await cell.waitFor()
    await page.getByRole('status').getByText('Undone:').waitFor()
    assert.equal((await read()).customer_id, 1)
  })

  test('what somebody else has saved since is not overwritten: the user decides', async () => {
    const { page } = await openList()
    await changeQuantity(page, '3', '8')
    await service.ask('PATCH', `/order/${id}`, { body: { quantity: 20 } })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Somebody else has saved another value.').first().waitFor()
    assert.equal((await read()).quantity, 20)
  })

  test('axe finds nothing, light and dark, 320, 768 and 1440 pixels', async () => {
    const { page } = await openList({ viewport: { width: 1024, height: 700 } })
    await changeQuantity(page, '3', '8')
    // What has the focus stays as long as it takes to judge.
    const shown = page.getByRole('button', { name: 'Undo' })
    assert.deepEqual(await findViolationsEverywhere(page, () => shown.focus()), [])
  })
})
