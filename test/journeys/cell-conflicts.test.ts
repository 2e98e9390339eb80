/** Editing in the cells of a list against others, and by lesser roles. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { findViolationsEverywhere } from '../support/browser.ts'
import { approverEmail, sellerEmail } from './a-shop-project.ts'
import {
  cell,
  change,
  createOrder,
  createOrders,
  edit,
  isSaved,
  numberOf,
  ofThisTest,
  openList,
  read,
  showsText,
  startOrderCells,
} from './order-cells.ts'

before(startOrderCells)
beforeEach(createOrders)

describe('editing what others edit too', () => {
  test('a change of another field by somebody else is kept, and nobody is asked', async () => {
    const { page } = await openList()
    const input = await edit(page, 1, 'quantity', 'Quantity')
    await change(1, { total: '500.00' })
    await input.fill('5')
    await input.press('Enter')
    await showsText(page, 1, 'total', '500.00')
    await isSaved(1, 'quantity', 5)
    assert.equal((await read(1)).total, '500.00')
  })

  for (const { choice, expected } of [
    { choice: 'Save mine', expected: '7.00' },
    { choice: 'Keep theirs', expected: '500.00' },
  ])
    test(`the same field: both values are shown, and the user decides: ${choice}`, async () => {
      const { page } = await openList()
      const input = await edit(page, 1, 'total', 'Total')
      await change(1, { total: '500.00' })
      await input.fill('7')
      await input.press('Enter')
      await page.getByText('Somebody else has saved another value.').first().waitFor()
      await showsText(page, 1, 'total', '500.00')
      assert.equal((await read(1)).total, '500.00')
      // The keys decide too: the cell opens the choice.
      await page.keyboard.press('F2')
      await page.getByRole('button', { name: 'Keep theirs' }).and(page.locator(':focus')).waitFor()
      await page.getByRole('button', { name: choice }).press('Enter')
      await showsText(page, 1, 'total', expected)
      await isSaved(1, 'total', expected)
      await page.getByRole('button', { name: choice }).waitFor({ state: 'detached' })
    })

  test('a row that no longer matches the filter stays in its place and says so', async () => {
    const where = { number: ofThisTest(), status: 'open' }
    const { page } = await openList({ where })
    await page.getByText('3 records').waitFor()
    const input = await edit(page, 2, 'status', 'Status')
    await input.selectOption('paid')
    await input.press('Enter')
    await page.getByRole('row').nth(2).getByText('no longer matches').waitFor()
    await page.getByText('2 records').waitFor()
    await showsText(page, 3, 'number', numberOf(3))
    await page.reload()
    await showsText(page, 2, 'number', numberOf(3))
  })
})

describe('who may edit in a list', () => {
  test('a role that may not change records gets no editor, and is refused nothing', async () => {
    const { page, refused, reports } = await openList({ as: approverEmail })
    assert.equal(await cell(page, 1, 'total').getAttribute('aria-readonly'), 'true')
    await cell(page, 1, 'total').dblclick()
    await page.getByRole('status').getByText('Total cannot be changed here.').waitFor()
    assert.equal(await page.getByLabel('Total of').count(), 0)
    assert.deepEqual([refused, reports], [[], []])
  })

  test('a role that may change its own records gets an editor for those alone', async () => {
    await createOrder(4, sellerEmail)
    const { page, refused, reports } = await openList({ as: sellerEmail })
    await cell(page, 1, 'total').dblclick()
    await page.getByRole('status').getByText('Total cannot be changed here.').waitFor()
    const input = await edit(page, 4, 'total', 'Total')
    await input.fill('44.00')
    await input.press('Enter')
    await showsText(page, 4, 'total', '44.00')
    assert.deepEqual([refused, reports], [[], []])
  })

  test('what the service keeps, and what belongs to other records, is read only', async () => {
    const { page } = await openList()
    assert.equal(await cell(page, 1, 'customer.city').getAttribute('aria-readonly'), 'true')
    assert.equal(await cell(page, 1, 'customer.name').getAttribute('aria-readonly'), 'false')
    await cell(page, 1, 'customer.city').dblclick()
    await page.getByRole('status').getByText('Customer › City cannot be changed here.').waitFor()
  })
})

describe('axe finds nothing in an open cell', () => {
  // An editor does not outlast another layout, and neither does a conflict.
  for (const width of [320, 768, 1440])
    test(`light and dark, ${width} pixels`, async () => {
      const { page } = await openList({ viewport: { width, height: 800 } })
      const input = await edit(page, 1, 'total', 'Total')
      const widths = [width]
      assert.deepEqual(await findViolationsEverywhere(page, () => input.waitFor(), { widths }), [])
      await change(1, { total: '3.00' })
      await input.fill('4')
      await input.press('Enter')
      const shown = page.getByRole('button', { name: 'Save mine' })
      assert.deepEqual(await findViolationsEverywhere(page, () => shown.waitFor(), { widths }), [])
    })
})
