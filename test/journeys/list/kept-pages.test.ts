/** The list that a user comes back to, the record that is rendered before it is opened, and from where rows are read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../support/wait.ts'
import { startOrderList } from './an-order-list.ts'

const list = await startOrderList()

const nameOf = (row: number) => `O-${String(row).padStart(6, '0')}`

const cellOf = (page: Page, row: number) =>
  page.getByRole('gridcell', { name: nameOf(row), exact: true })

const isRecord = (page: Page, row: number) =>
  page.getByRole('heading', { level: 1, name: nameOf(row), exact: true }).waitFor()

const openRecord = async (page: Page, row: number) => {
  await cellOf(page, row).getByRole('link').click()
  await isRecord(page, row)
}

const scrolledTo = (page: Page) =>
  page.getByRole('grid').evaluate(({ scrollTop: top, scrollLeft: left }) => ({ top, left }))

/** Says of the element of the grid that it is this one. */
const markGrid = (page: Page) =>
  page.getByRole('grid').evaluate((grid) => grid.setAttribute('data-before', ''))

const isMarked = (page: Page) =>
  page.getByRole('grid').evaluate((grid) => grid.hasAttribute('data-before'))

/** The searches for rows from now on, by what they were asked with. */
const watchSearches = (page: Page) => {
  const asked: { readonly page: number; readonly limit: number; readonly cursor: string }[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (!pathname.endsWith('/order/search') || !searchParams.has('page')) return
    const { $after, $before } = request.postDataJSON()
    const [key, cursor] = $before === undefined ? ['$after', $after] : ['$before', $before]
    asked.push({
      page: Number(searchParams.get('page')),
      limit: Number(searchParams.get('limit')),
      cursor: `${key} ${cursor === null ? null : 'a row'}`,
    })
  })
  return asked
}

/** Drags the scroll bar until a row is at the top. */
const dragTo = (page: Page, row: number) =>
  page.getByRole('grid').evaluate(
    (grid, top) => {
      grid.scrollTop = top
    },
    (row - 1) * 36,
  )

/** The row that a cell with the number of an order stands in. */
const rowOf = async (page: Page, number: number) => {
  const row = page.getByRole('row').filter({ has: cellOf(page, number) })
  return Number(await row.getAttribute('aria-rowindex')) - 1
}

test('a list that a user comes back to', async (context) => {
  const { page, reports } = await list.openList('?s=["id"]')
  const grid = page.getByRole('grid')

  await context.test('begins a record that is pointed at when it is opened', async () => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const isAsked = (part: string) => asked.some((one) => one.includes(part))
    const link = page.getByRole('link', { name: nameOf(2), exact: true })
    await link.hover()
    // The look at it is shown later than the record is rendered.
    await page.locator('.record-preview-row').first().waitFor()
    assert.equal(isAsked('/order/2'), true)
    assert.equal(await page.locator('.field-row').count(), 0)
    assert.equal(isAsked('/order/2/task'), false, 'Its tasks are read for its page alone.')
    await link.click()
    await isRecord(page, 2)
    await until('its tasks are read', async () => isAsked('/order/2/task'))
    assert.equal(await page.locator('.record-preview').count(), 0)
    // Back in the list, the pointer would rest on the link.
    await page.mouse.move(0, 0)
    await page.goBack()
    await cellOf(page, 2).waitFor()
    assert.equal(await page.locator('.record-preview').count(), 0)
  })

  await context.test('leads to a record that starts over, and shows what was changed', async () => {
    await openRecord(page, 1)
    const record = page.locator('.record')
    await record.evaluate((element) => element.setAttribute('data-before', ''))
    await page.goBack()
    await openRecord(page, 1)
    assert.equal(await record.evaluate((element) => element.hasAttribute('data-before')), false)
    await page.getByRole('textbox', { name: 'Number', exact: true }).fill('O-first')
    await page.keyboard.press('Control+s')
    await page.getByRole('heading', { level: 1, name: 'O-first' }).waitFor()
    await page.goBack()
    await page.getByRole('gridcell', { name: 'O-first', exact: true }).waitFor()
    await list.service.ask('PATCH', '/order/1', { body: { number: nameOf(1) } })
    await cellOf(page, 1).waitFor()
  })

  await context.test('starts again by a link to the same list', async () => {
    await grid.focus()
    for (const key of ['Control+Home', 'PageDown', 'PageDown']) await page.keyboard.press(key)
    await markGrid(page)
    await openRecord(page, 40)
    await page.locator('.record-title').getByRole('link').first().click()
    await grid.waitFor()
    assert.equal(await isMarked(page), false)
    assert.deepEqual(await scrolledTo(page), { top: 0, left: 0 })
  })

  await context.test('is where it was, with cursor and selection, and goes on', async () => {
    await page.goto(`${list.service.url}/console/order?s=["id"]`)
    await cellOf(page, 2).waitFor()
    await grid.focus()
    for (const key of ['PageDown', 'PageDown', 'x']) await page.keyboard.press(key)
    await page.getByText('1 selected').waitFor()
    await grid.evaluate((element) => element.scrollBy(30, 0))
    const place = await scrolledTo(page)
    assert.ok(place.top > 0 && place.left > 0)
    await markGrid(page)
    await openRecord(page, 40)
    assert.equal(await page.locator('[role=grid]').count(), 0)
    await page.goBack()
    await page.getByText('1 selected').waitFor()
    assert.equal(await isMarked(page), true)
    assert.deepEqual(await scrolledTo(page), place)
    const opened = await cellOf(page, 40).getAttribute('id')
    assert.equal(await grid.getAttribute('aria-activedescendant'), opened)
    await grid.focus()
    await page.keyboard.press('Control+End')
    await cellOf(page, 30_000).waitFor()
  })
  assert.deepEqual(reports, [])
})

test('the rows of a list', async (context) => {
  const { page } = await list.openList('?s=["id"]')
  const asked = watchSearches(page)
  const goTo = async (order: string) => {
    await page.goto(`${list.service.url}/console/order?s=["${order}"]`)
    await page.getByText('30,000 records').waitFor()
  }

  await context.test('are read from its end and from known rows, if those are nearer', async () => {
    await page.getByText('30,000 records').waitFor()
    asked.length = 0
    for (const [row, at, cursor] of [
      [22_020, 79, '$before a row'],
      [21_020, 10, '$before a row'],
      [21_120, 1, '$after a row'],
    ] as const) {
      await dragTo(page, row)
      await cellOf(page, row).waitFor()
      assert.equal(await rowOf(page, row), row)
      assert.deepEqual(asked.at(-1), { page: at, limit: 100, cursor })
    }
    assert.deepEqual(asked[0], { page: 1, limit: 100, cursor: '$before null' })
  })

  await context.test('adjoin, although records were added above them meanwhile', async () => {
    await goTo('-id')
    await cellOf(page, 30_000).waitFor()
    const { pool } = list.service.database
    await pool.query(`INSERT INTO records."order" (number, customer_id, _created_by, _updated_by)
      SELECT 'added ' || n, 1, 1, 1 FROM generate_series(1, 7) n`)
    await dragTo(page, 95)
    await cellOf(page, 29_895).waitFor()
    for (const row of [99, 100, 101, 102]) assert.equal(await rowOf(page, 30_001 - row), row)
    await pool.query(`DELETE FROM records."order" WHERE number LIKE 'added %'`)
  })

  // The last row of a window, the first one of another, and the end of the list.
  await context.test('have those next to them without reading from the start', async () => {
    for (const row of [100, 15_001, 30_000]) {
      // A page that knows no row yet.
      await goTo('id')
      asked.length = 0
      await dragTo(page, row)
      await openRecord(page, row)
      await page.getByText(`${row.toLocaleString('en')} / 30,000`, { exact: true }).waitFor()
      const [way, beside] = row < 30_000 ? ['Next', row + 1] : ['Previous', row - 1]
      await page.getByRole('link', { name: `${way} record` }).click()
      await isRecord(page, beside)
      const alone = asked.filter(({ limit }) => limit === 1)
      assert.ok(alone.length > 0 && alone.every((search) => search.page <= 100), `row ${row}`)
    }
  })
})
