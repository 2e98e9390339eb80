/** The list of an entity in a real browser: rows, order, filter, columns, keys. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { findViolations } from '../../support/browser.ts'
import { until } from '../../support/wait.ts'
import { startOrderList } from './an-order-list.ts'

let list: Awaited<ReturnType<typeof startOrderList>>
before(async () => {
  list = await startOrderList()
})
const openList = (search?: string) => list.openList(search)

/** The texts of a column in view, from the top; the first one has checkboxes. */
const columnOf = (page: Page, column: number): Promise<string[]> =>
  page.locator(`.grid-row [role=gridcell][aria-colindex="${column}"]`).allInnerTexts()

const addressOf = (page: Page) => decodeURIComponent(new URL(page.url()).search)

/** Whether an element is seen inside of another one. */
const isWithin = async (inner: Locator, outer: Locator): Promise<boolean> => {
  const [one, other] = await Promise.all([inner.boundingBox(), outer.boundingBox()])
  if (!one || !other) return false
  const isBeside = one.x >= other.x && one.x + one.width <= other.x + other.width
  return isBeside && one.y >= other.y && one.y + one.height <= other.y + other.height
}

describe('the list of an entity', () => {
  test('it shows the newest records first and their number, is sorted by a click, and keeps chosen columns', async () => {
    const { page, reports } = await openList()
    await page.getByText('30,000 records').waitFor()
    await page.getByText('O-030000').waitFor()
    // What linked records are called.
    assert.equal((await page.getByRole('gridcell', { name: 'Customer 2' }).count()) > 0, true)
    const head = page.getByRole('columnheader', { name: 'Total' })
    await head.getByRole('button').first().click()
    await page.waitForURL(/total/)
    await page.getByText('O-000001').waitFor()
    assert.equal(await head.getAttribute('aria-sort'), 'ascending')
    await head.getByRole('button').first().click()
    await page.getByText('O-030000').waitFor()
    assert.equal(await head.getAttribute('aria-sort'), 'descending')
    assert.match(addressOf(page), /-total/)
    await page.getByRole('button', { name: 'Columns' }).click()
    const menu = page.getByRole('dialog', { name: 'Columns of Order' })
    await menu.getByLabel('Find a column').fill('city')
    await menu.getByLabel('Customer › City').check()
    await page.keyboard.press('Escape')
    await page.getByRole('columnheader', { name: 'Customer › City' }).waitFor()
    await page.reload()
    await page.getByRole('columnheader', { name: 'Customer › City' }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('entities of the service stand under "Administration", open while one is shown', async () => {
    const { page } = await openList()
    const navigation = page.getByRole('navigation', { name: 'Main navigation' })
    await navigation.getByRole('link', { name: 'Customer' }).waitFor()
    const link = navigation.getByRole('link', { name: 'Saved view' })
    assert.equal(await link.isVisible(), false)
    await navigation.getByText('Administration', { exact: true }).click()
    await link.click()
    await page.getByRole('heading', { name: 'Saved view' }).waitFor()
    await page.reload()
    await link.and(page.locator('[aria-current=page]')).waitFor()
  })

  test('a row leads to its record even if no column names it', async () => {
    const paths = ['customer.name', 'total', 'status', '_created_by.full_name']
    const { page } = await openList(`?c=${encodeURIComponent(JSON.stringify(paths))}`)
    await page.getByRole('row').nth(1).getByRole('link', { name: 'Administrator' }).waitFor()
    await page.getByRole('row').nth(1).getByRole('link', { name: '30,000.50' }).click()
    await page.getByRole('heading', { name: 'O-030000' }).waitFor()
  })

  test('an address with a filter shows what it says, and one that no record matches is taken away', async () => {
    const or = [{ number: 'O-000007' }, { 'customer.name': 'Customer 3', total: { $lt: '100' } }]
    const searchOf = (where: object) => `?w=${encodeURIComponent(JSON.stringify(where))}`
    const { page } = await openList(searchOf({ $or: or }))
    await page.getByText('6 records').waitFor()
    await page.getByText('any of (Number is O-000007; all of (').waitFor()
    await page.goto(`${list.service.url}/console/order${searchOf({ number: 'nothing' })}`)
    await page.getByText('No record matches the filter.').waitFor()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.getByText('30,000 records').waitFor()
  })

  test('keys reach the last of 30,000 rows, a row by its number, and any record by a few letters', async () => {
    const { page, reports } = await openList()
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+End')
    await page.getByText('O-000001').waitFor()
    await page.keyboard.press('Control+g')
    const input = page.getByRole('dialog', { name: 'Go to a row' }).getByLabel('Row, 1 to 30000')
    await input.fill('12345')
    assert.deepEqual(await findViolations(page), [])
    await input.press('Enter')
    await page.getByRole('gridcell', { name: 'O-017656', exact: true }).waitFor()
    await page.getByRole('grid').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/console\/order\/17656$/)
    await page.getByRole('heading', { name: 'O-017656' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find anything' }).fill('O-012345')
    await page.getByRole('option', { name: 'O-012345' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'O-012345' }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('whoever comes back from a record finds the cursor on its row', async () => {
    const { page } = await openList()
    await page.getByRole('grid').focus()
    for (const key of ['PageDown', 'PageDown', 'PageDown', 'Enter']) await page.keyboard.press(key)
    await page.getByRole('heading', { name: 'O-029940' }).waitFor()
    await page.goBack()
    const cell = page.getByRole('gridcell', { name: 'O-029940', exact: true })
    await cell.waitFor()
    const grid = page.getByRole('grid')
    await until('the cursor is on the row', async () => {
      const active = await grid.getAttribute('aria-activedescendant')
      return active === (await cell.getAttribute('id'))
    })
    assert.equal(await isWithin(cell, grid), true)
  })

  test('a column filters, shows its order, and the first one stays while others are scrolled', async () => {
    const { page } = await openList('?s=["-ordered_on"]')
    const head = page.getByRole('columnheader', { name: 'Ordered on' })
    assert.equal(await isWithin(head.getByText('↓'), head), true)
    await page.getByRole('grid').evaluate((grid) => grid.scrollBy({ left: 2000 }))
    const first = page.getByRole('columnheader').nth(1)
    assert.equal(await isWithin(first, page.getByRole('grid')), true)
    await page.getByRole('button', { name: 'Menu of the column Total' }).click()
    await page.getByRole('menuitem', { name: 'Filter by this column …' }).click()
    const form = page.getByRole('dialog', { name: 'Add a filter' })
    assert.equal(await form.getByRole('combobox', { name: 'Field' }).inputValue(), 'Total')
    await form.getByLabel('Condition').selectOption('is')
    await form.getByLabel('Value', { exact: true }).fill('7.50')
    await form.getByLabel('Value', { exact: true }).press('Enter')
    await page.getByText('1 record', { exact: true }).waitFor()
  })

  test('the page holds some sixty rows at most, wherever it is scrolled to, and words narrow them', async () => {
    const { page } = await openList()
    await page.getByText('30,000 records').waitFor()
    const grid = page.getByRole('grid')
    for (const share of [0.1, 0.5, 0.93]) {
      await grid.evaluate((element, at) => {
        element.scrollTop = element.scrollHeight * at
      }, share)
      await until(`the rows at ${share} of the list are shown in their order`, async () => {
        const numbers = (await columnOf(page, 2)).map((number) => Number(number.slice(2)))
        const [first = 0] = numbers
        return (
          numbers.length > 10 &&
          numbers.length <= 60 &&
          Math.abs(first - (1 - share) * 30_000) < 60 &&
          numbers.every((number, at) => number === first - at)
        )
      })
    }
    await page.getByRole('searchbox', { name: 'Find in this list' }).fill('O-02999 paid')
    await page.getByText('5 records').waitFor()
    assert.match(addressOf(page), /q=O-02999/)
    await page.reload()
    await page.getByText('5 records').waitFor()
    const search = page.getByRole('searchbox', { name: 'Find in this list' })
    await search.fill('nothing of this kind')
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.getByText('30,000 records').waitFor()
    await page.waitForTimeout(600)
    assert.equal(await search.inputValue(), '')
    assert.equal(addressOf(page), '')
  })
})
