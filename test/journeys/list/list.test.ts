/** The list of an entity in a real browser: rows, order, columns, keys, rows that take a moment, slow searches. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { findViolations } from '../../support/browser.ts'
import { until } from '../../support/wait.ts'
import { startOrderList } from './an-order-list.ts'

const list = await startOrderList()

const goTo = (page: Page, search = '') => page.goto(`${list.service.url}/console/order${search}`)

const total = (page: Page) => page.getByText('30,000 records')
const cellOf = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true })
const searchIn = (page: Page) => page.getByRole('searchbox', { name: 'Find in this list' })

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

/** Whether places of rows were empty at any time from now on. */
const watchEmptyPlaces = async (page: Page) => {
  await page.evaluate(`globalThis.emptyPlaces = 0
    new MutationObserver(() => {
      emptyPlaces += document.querySelectorAll('[role=row][aria-busy]').length
    }).observe(document.querySelector('[role=grid]').parentElement, {
      subtree: true, childList: true, attributes: true,
    })`)
  return async () => (await page.evaluate<number>('emptyPlaces')) > 0
}

/** Rows are late after 300 ms, which a busy machine needs for any: from now on after as many seconds. */
const waitLongForRows = (page: Page) =>
  page.evaluate(`{
    const plain = setTimeout
    globalThis.setTimeout = (act, ms, ...rest) => plain(act, ms === 300 ? 300_000 : ms, ...rest)
  }`)

/** Rows are not counted from now on until the result is called. */
const holdCount = async (page: Page) => {
  const counted = Promise.withResolvers<void>()
  await page.route(
    ({ search }) => search === '?limit=1',
    async (route) => {
      await counted.promise
      await route.continue()
    },
  )
  return counted.resolve
}

test('the rows of a list', async (context) => {
  const { page, reports } = await list.openList()
  const grid = page.getByRole('grid')

  await context.test('sixty at most are on the page, and words narrow them', async () => {
    await total(page).waitFor()
    for (const share of [0.1, 0.93]) {
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
    await searchIn(page).fill('O-02999 paid')
    await page.getByText('5 records').waitFor()
    assert.match(addressOf(page), /q=O-02999/)
    await searchIn(page).fill('nothing of this kind')
    const clear = page.getByRole('button', { name: 'Clear the filter' })
    await clear.waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await findViolations(page), [])
    await page.emulateMedia({ colorScheme: null })
    await clear.click()
    await total(page).waitFor()
    await page.waitForTimeout(600)
    assert.equal(await searchIn(page).inputValue(), '')
    assert.equal(addressOf(page), '')
  })

  await context.test('the newest are first, and chosen columns are kept', async () => {
    await page.getByText('O-030000').waitFor()
    // What linked records are called.
    assert.equal((await page.getByRole('gridcell', { name: 'Customer 2' }).count()) > 0, true)
    await page.getByRole('button', { name: 'Columns' }).click()
    const menu = page.getByRole('dialog', { name: 'Columns of Order' })
    await menu.getByLabel('Find a column').fill('city')
    await menu.getByLabel('Customer › City').check()
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.press('Escape')
    const city = page.getByRole('columnheader', { name: 'Customer › City' })
    await city.waitFor()
    await page.reload()
    await city.waitFor()
  })

  await context.test('a column filters and shows its order, and the first one stays', async () => {
    await goTo(page, '?s=["-ordered_on"]')
    const head = page.getByRole('columnheader', { name: 'Ordered on' })
    await head.waitFor()
    // Widths follow the texts of the rows, which come after the head.
    await until('its order is shown', () => isWithin(head.getByText('↓'), head))
    await grid.evaluate((element) => element.scrollBy({ left: 2000 }))
    const first = page.getByRole('columnheader').nth(1)
    await until('the first column stays', () => isWithin(first, grid))
    await page.getByRole('button', { name: 'Menu of the column Total' }).click()
    await page.getByRole('menuitem', { name: 'Filter by this column …' }).click()
    const form = page.getByRole('dialog', { name: 'Add a filter' })
    assert.equal(await form.getByRole('combobox', { name: 'Field' }).inputValue(), 'Total')
    await form.getByLabel('Condition').selectOption('is')
    await form.getByLabel('Value', { exact: true }).fill('7.50')
    await form.getByLabel('Value', { exact: true }).press('Enter')
    await page.getByText('1 record', { exact: true }).waitFor()
  })

  await context.test('a row leads to its record even if no column names it', async () => {
    const paths = ['customer.name', 'total', 'status', '_created_by.full_name']
    await goTo(page, `?c=${encodeURIComponent(JSON.stringify(paths))}`)
    const first = page.getByRole('row').nth(1)
    await first.getByRole('link', { name: 'Administrator' }).waitFor()
    await first.getByRole('link', { name: '30,000.50' }).click()
    await page.getByRole('heading', { name: 'O-030000' }).waitFor()
  })

  await context.test('entities of the service stand under "Administration"', async () => {
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
  assert.deepEqual(reports, [])
})

test('rows that take a moment', async (context) => {
  const { page } = await list.openList('?s=["id"]')

  await context.test('stay until those of a new filter are there, even uncounted', async () => {
    await total(page).waitFor()
    await waitLongForRows(page)
    const wereEmpty = await watchEmptyPlaces(page)
    const count = await holdCount(page)
    await searchIn(page).fill('O-02999 paid')
    await cellOf(page, 'O-029991').waitFor()
    assert.equal(await page.getByText('5 records').count(), 0)
    assert.equal(await cellOf(page, 'O-000001').count(), 0)
    assert.equal(await wereEmpty(), false)
    count()
    await page.getByText('5 records').waitFor()
    assert.equal(await wereEmpty(), false)
    await page.unrouteAll({ behavior: 'wait' })
  })

  await context.test('are reached at the end before they are counted', async () => {
    const count = await holdCount(page)
    await goTo(page, '?s=["id"]')
    await cellOf(page, 'O-000001').waitFor()
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+End')
    await cellOf(page, 'O-000100').waitFor()
    count()
    await cellOf(page, 'O-030000').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })

  await context.test('leave their places empty when they are late', async () => {
    await goTo(page, '?s=["id"]')
    await total(page).waitFor()
    const arrive = Promise.withResolvers<void>()
    await page.route(
      ({ search }) => search.startsWith('?limit=100'),
      async (route) => {
        await arrive.promise
        await route.continue()
      },
    )
    await searchIn(page).fill('O-0299')
    await page.locator('[role=row][aria-busy]').first().waitFor()
    arrive.resolve()
    await cellOf(page, 'O-029900').waitFor()
    assert.equal(await page.locator('[role=row][aria-busy]').count(), 0)
    await page.unrouteAll({ behavior: 'wait' })
  })

  await context.test('are too many to search: the newest are offered, as a filter', async () => {
    const slow = {
      status: 503,
      json: { status: 503, code: 'request.too-slow', title: 'Too slow.' },
    }
    await page.route('**/order/search*', (route) => {
      const body = route.request().postDataJSON()
      // There are not so many records here.
      if (route.request().url().includes('page=100000'))
        return route.fulfill({ json: { data: [{ id: 29_995 }] } })
      return body.$search && !body.$where ? route.fulfill(slow) : route.continue()
    })
    await searchIn(page).fill('O-02999')
    await page.getByText('Searching all records takes too long.').waitFor()
    assert.deepEqual(await findViolations(page), [])
    assert.equal(await page.getByRole('alert').count(), 1)
    await page.getByRole('button', { name: 'Search the newest 100,000 records' }).press('Enter')
    await page.getByText('5 records').waitFor()
    const filter = page.getByRole('button', { name: /is at least 29,?995/ })
    await filter.first().waitFor()
  })
})
