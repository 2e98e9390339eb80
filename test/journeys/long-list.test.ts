/** A list of many rows in a real browser, which is higher than the highest element of any browser. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

// At 36 pixels each they are higher than the 16 million that a browser is asked for.
const rows = 600_000
const rowHeight = 36

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  const fields = [{ key: 'name', type: 'string' }]
  const mark = { key: 'mark', displayField: 'name', fields }
  service = await startTestService(await writeProject({ 'entities/mark.json': mark }))
  browser = await startBrowser()
  await service.database.pool.query(
    `INSERT INTO records.mark (name, _created_by, _updated_by)
     SELECT 'M-' || n, 1, 1 FROM generate_series(1, ${rows}) n`,
  )
})

/** The number of the first whole row under the heads. */
const firstRow = (page: Page): Promise<number> =>
  page.evaluate<number>(`(() => {
    const edge = document.querySelector('.grid-head').getBoundingClientRect().bottom
    const shown = [...document.querySelectorAll('.grid-row')]
      .map((row) => ({ row, top: row.getBoundingClientRect().top }))
      .filter(({ top }) => top >= edge - 1)
      .toSorted((one, other) => one.top - other.top)
    return Number(shown[0]?.row.getAttribute('aria-rowindex')) - 1
  })()`)

const untilFirst = (page: Page, row: number) =>
  until(`row ${row} is the first`, async () => (await firstRow(page)) === row)

const nameOf = (page: Page, row: number) =>
  page.getByRole('gridcell', { name: `M-${row}`, exact: true })

test('the wheel moves as many rows as it says, wherever the scroll bar was dragged to, also at both ends', async () => {
  const { page, reports } = await openPage(browser, service, '/console/mark?s=["id"]')
  await nameOf(page, 1).waitFor()
  await page.getByText('600,000 records').waitFor()
  await page.getByRole('grid').hover()
  for (const share of [0.5, 0.01, 0.99]) {
    await page.getByRole('grid').evaluate((grid, at) => {
      grid.scrollTop = Math.round((at * (grid.scrollHeight - grid.clientHeight)) / 36) * 36
    }, share)
    const first = await until(`the rows at ${share} of the list are shown`, async () => {
      const row = await firstRow(page)
      return Math.abs(row - share * rows) < 150 && row
    })
    await page.mouse.wheel(0, 10 * rowHeight)
    await untilFirst(page, first + 10)
    await page.mouse.wheel(0, -20 * rowHeight)
    await untilFirst(page, first - 10)
    await nameOf(page, first - 10).waitFor()
  }
  // Both ends are reached by keys and by the wheel.
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+End')
  await nameOf(page, rows).waitFor()
  const last = await firstRow(page)
  await page.mouse.wheel(0, -60 * rowHeight)
  await untilFirst(page, last - 60)
  for (let count = 0; count < 3; count += 1) await page.mouse.wheel(0, 30 * rowHeight)
  await untilFirst(page, last)
  await page.keyboard.press('Control+Home')
  await nameOf(page, 1).waitFor()
  await page.mouse.wheel(0, 60 * rowHeight)
  await untilFirst(page, 61)
  for (let count = 0; count < 3; count += 1) await page.mouse.wheel(0, -30 * rowHeight)
  await untilFirst(page, 1)
  assert.deepEqual(reports, [])
})
