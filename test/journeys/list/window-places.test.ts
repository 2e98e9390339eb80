/** From where in a list its rows are read: the nearest row that is known. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startOrderList } from './an-order-list.ts'

let list: Awaited<ReturnType<typeof startOrderList>>
before(async () => {
  list = await startOrderList()
})

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

const nameFor = (number: number) => `O-${`${number}`.padStart(6, '0')}`

const nameOf = (page: Page, number: number) =>
  page.getByRole('gridcell', { name: nameFor(number), exact: true })

/** The row that a cell with the number of an order stands in. */
const rowOf = async (page: Page, number: number) => {
  const row = page.getByRole('row').filter({ has: nameOf(page, number) })
  return Number(await row.getAttribute('aria-rowindex')) - 1
}

describe('The rows of a list', () => {
  test('are read from its end, and from rows that are known, where those are nearer than its start', async () => {
    const { page } = await list.openList('?s=["id"]')
    await page.getByText('30,000 records').waitFor()
    const asked = watchSearches(page)
    await dragTo(page, 22_020)
    await nameOf(page, 22_020).waitFor()
    assert.equal(await rowOf(page, 22_020), 22_020)
    assert.deepEqual(asked.slice(0, 2), [
      { page: 1, limit: 100, cursor: '$before null' },
      { page: 79, limit: 100, cursor: '$before a row' },
    ])
    await dragTo(page, 21_020)
    await nameOf(page, 21_020).waitFor()
    assert.equal(await rowOf(page, 21_020), 21_020)
    assert.deepEqual(asked.at(-1), { page: 10, limit: 100, cursor: '$before a row' })
    await dragTo(page, 21_120)
    await nameOf(page, 21_120).waitFor()
    assert.equal(await rowOf(page, 21_120), 21_120)
    assert.deepEqual(asked.at(-1), { page: 1, limit: 100, cursor: '$after a row' })
  })

  test('adjoin, although records were added above them meanwhile', async () => {
    const { page } = await list.openList('?s=["-id"]')
    await page.getByText('30,000 records').waitFor()
    await nameOf(page, 30_000).waitFor()
    const { pool } = list.service.database
    await pool.query(`INSERT INTO records."order" (number, customer_id, _created_by, _updated_by)
      SELECT 'added ' || n, 1, 1, 1 FROM generate_series(1, 7) n`)
    await dragTo(page, 95)
    await nameOf(page, 29_895).waitFor()
    for (const row of [99, 100, 101, 102]) assert.equal(await rowOf(page, 30_001 - row), row)
    await pool.query(`DELETE FROM records."order" WHERE number LIKE 'added %'`)
  })

  // The first and the last row of a window, one between them, and those of the first and the last window.
  test('each have the rows beside them, without reading the list from its start', async () => {
    const { page } = await list.openList('?s=["id"]')
    const asked = watchSearches(page)
    for (const row of [1, 100, 15_001, 15_050, 15_100, 29_901, 30_000]) {
      // A page that knows no row yet.
      await page.goto(`${list.service.url}/console/order?s=["id"]`)
      await page.getByText('30,000 records').waitFor()
      asked.length = 0
      await dragTo(page, row)
      await nameOf(page, row).getByRole('link').click()
      await page.getByRole('heading', { name: nameFor(row), exact: true }).waitFor()
      const place = page.getByText(`${row.toLocaleString('en')} / 30,000`, { exact: true })
      await place.waitFor()
      const [way, beside] = row < 30_000 ? ['Next', row + 1] : ['Previous', row - 1]
      await page.getByRole('link', { name: `${way} record` }).click()
      await page.getByRole('heading', { name: nameFor(beside), exact: true }).waitFor()
      const alone = asked.filter(({ limit }) => limit === 1)
      assert.ok(alone.length > 0 && alone.every((search) => search.page <= 100), `row ${row}`)
    }
  })
})
