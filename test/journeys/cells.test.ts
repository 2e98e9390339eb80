/** Editing in the cells of a list, in a real browser: by mouse and by keys. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import {
  cell,
  createOrders,
  edit,
  isSaved,
  numberOf,
  openList,
  read,
  showsText,
  startOrderCells,
} from './order-cells.ts'

before(startOrderCells)
beforeEach(createOrders)

describe('editing in a list', () => {
  test('a double click opens a cell, Enter saves it, and the list keeps the focus', async () => {
    const { page, reports } = await openList()
    const input = await edit(page, 1, 'ordered_on', 'Ordered on')
    await input.fill('2026-12-24')
    await input.press('Enter')
    await showsText(page, 1, 'ordered_on', '24 Dec 2026')
    await page.getByRole('grid').and(page.locator(':focus')).waitFor()
    await isSaved(1, 'ordered_on', '2026-12-24')
    assert.deepEqual(reports, [])
  })

  test('by keys alone: F2 opens, Tab saves and opens the next one, Shift+Tab the one before, over rows too', async () => {
    const { page } = await openList()
    await page.getByRole('grid').focus()
    for (const key of ['End', 'ArrowLeft', 'F2']) await page.keyboard.press(key)
    await page
      .getByLabel(`Quantity of ${numberOf(1)}`)
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.type('41')
    await page.keyboard.press('Tab')
    await page
      .getByLabel(`Notes of ${numberOf(1)}`)
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('Tab')
    await page
      .getByLabel(`Number of ${numberOf(2)}`)
      .and(page.locator(':focus'))
      .waitFor()
    // The city belongs to the customer, so it is left out.
    for (const key of ['Tab', 'Tab']) await page.keyboard.press(key)
    await page
      .getByLabel(`Total of ${numberOf(2)}`)
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.type('77.10')
    await page.keyboard.press('Shift+Tab')
    await page
      .getByLabel(`Customer of ${numberOf(2)}`)
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('Escape')
    await showsText(page, 2, 'total', '77.10')
    await isSaved(1, 'quantity', 41)
    await isSaved(2, 'total', '77.10')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: numberOf(2) }).waitFor()
  })

  test('Escape takes back what was typed, and an unchanged value is not sent', async () => {
    const { page } = await openList()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.url())
    })
    const input = await edit(page, 1, 'total', 'Total')
    await input.fill('9999')
    await input.press('Escape')
    await showsText(page, 1, 'total', '1.50')
    await (await edit(page, 1, 'total', 'Total')).press('Enter')
    await page.getByRole('grid').and(page.locator(':focus')).waitFor()
    assert.deepEqual(sent, [])
  })

  test('a link is chosen by words, and everything behind it follows', async () => {
    const { page } = await openList()
    const input = await edit(page, 2, 'customer.name', 'Customer')
    await input.fill('söhne')
    await page.getByRole('option', { name: 'Bode & Söhne' }).waitFor()
    await input.press('Enter')
    await input.press('Enter')
    await showsText(page, 2, 'customer.name', 'Bode & Söhne')
    await showsText(page, 2, 'customer.city', 'City of Bode & Söhne')
    await isSaved(2, 'customer_id', 2)
  })

  test('words that name no record are not lost: the cell stays open and says what to do', async () => {
    const { page } = await openList()
    const input = await edit(page, 1, 'customer.name', 'Customer')
    await input.fill('Nobody of this name')
    await input.press('Tab')
    await page.getByRole('alert').getByText('Choose an entry from the list.').waitFor()
    assert.equal(await input.inputValue(), 'Nobody of this name')
    await input.press('Escape')
    assert.equal((await read(1)).customer_id, 1)
  })

  test('a click elsewhere saves too', async () => {
    const { page } = await openList()
    await (await edit(page, 1, 'status', 'Status')).selectOption('paid')
    await cell(page, 3, 'quantity').click()
    await showsText(page, 1, 'status', 'Paid')
    await isSaved(1, 'status', 'paid')
  })

  test('what the service refuses is taken back with its reason, and what was typed is kept', async () => {
    const { page } = await openList()
    const input = await edit(page, 1, 'total', 'Total')
    await input.fill('1234567890123')
    await input.press('Enter')
    await page.getByText('Enter at most 12 digits before the decimal mark.').last().waitFor()
    await showsText(page, 1, 'total', '1.50')
    await page
      .getByRole('status')
      .getByText(`Total of ${numberOf(1)}: Not saved.`)
      .waitFor()
    await page.keyboard.press('F2')
    const again = page.getByLabel(`Total of ${numberOf(1)}`)
    assert.equal(await again.inputValue(), '1234567890123')
    await again.fill('12.34')
    await again.press('Enter')
    await showsText(page, 1, 'total', '12.34')
    await page.getByText('Not saved.', { exact: true }).waitFor({ state: 'detached' })
    await isSaved(1, 'total', '12.34')
  })

  test('a change that the service could not take is sent again', async () => {
    const { page } = await openList()
    await page.route('**/order/*', (route) => route.abort())
    const input = await edit(page, 1, 'quantity', 'Quantity')
    await input.fill('8')
    await input.press('Enter')
    await page.getByText('Not saved.', { exact: true }).waitFor()
    await page.unroute('**/order/*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await showsText(page, 1, 'quantity', '8')
    await isSaved(1, 'quantity', 8)
  })
})
