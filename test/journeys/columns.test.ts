/** Widths, pins and places of the columns of a list in a real browser: by mouse, by menu, and by keys alone. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import { layoutOf } from '../../console/features/list/grid-layout.ts'
import { findViolations, startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { openOrders, startOrders } from './a-bulk-page.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders(200)
  browser = await startBrowser()
})

const headOf = (page: Page, name: string) =>
  page.getByRole('columnheader', { name, exact: false }).filter({ hasText: name }).first()

const boxOf = async (page: Page, name: string) => {
  const box = await headOf(page, name).boundingBox()
  assert.ok(box, `The column ${name} is on the screen.`)
  return box
}

const widthOf = async (page: Page, name: string) => Math.round((await boxOf(page, name)).width)

const columnsOf = async (page: Page): Promise<readonly string[]> =>
  (await page.getByRole('columnheader').allInnerTexts()).slice(1).map((text) => text.trim())

const keptOf = async (as?: string) =>
  (await service.ask('GET', '/console/-/settings.json', as === undefined ? {} : { as })).json()

/** Drags from one point to another, in steps as a hand does. */
const drag = async (page: Page, from: { x: number; y: number }, to: { x: number; y: number }) => {
  const grid = page.getByRole('grid')
  const styleBefore = await grid.getAttribute('style')
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  // The file that follows the pointer is loaded when it comes to a head.
  await until('the head follows the pointer', async () => {
    for (const by of [8, 12]) await page.mouse.move(from.x + by, from.y)
    const isMoved = (await grid.locator('[data-dragged]').count()) > 0
    return isMoved || (await grid.getAttribute('style')) !== styleBefore
  })
  await page.mouse.move(to.x, to.y, { steps: 6 })
  await page.mouse.up()
}

describe('the columns of a list', () => {
  test('give texts the room that their first rows need, within limits', () => {
    const widthFor = (textWidth: number | undefined, more: object = {}) => {
      const of = { key: 'title', type: 'string', column: 'title', ...more } as const
      const field = { ...of, isSystem: false, isCalculated: false }
      const column = { path: 'title', label: 'Title', place: ['title'], link: undefined }
      const sized = [{ ...column, field, textWidth }]
      return layoutOf(sized, { widths: {}, pinned: [] })['--columns-width']
    }
    // With the boxes that select rows.
    const texts = [20, 170, 3000, undefined].map((width) => widthFor(width))
    assert.deepEqual(texts, ['160px', '236px', '260px', '210px'])
    // Values that tell records apart, and those that are short, are not cut so soon.
    for (const code of [{ unique: true }, { maxLength: 34 }])
      assert.deepEqual([widthFor(280, code), widthFor(3000, code)], ['346px', '380px'])
    assert.equal(widthFor(280, { maxLength: 120 }), '260px')
  })

  test('those out of view have no cells until somebody comes to them by keys, or scrolls sideways', async () => {
    const cellsIn = async (page: Page) => {
      const row = page.getByRole('row').nth(1)
      return row.getByRole('gridcell').count()
    }
    const openNarrow = async () => {
      const { page } = await openOrders(browser, service)
      await page.setViewportSize({ width: 800, height: 700 })
      await page.reload()
      await page.getByRole('gridcell').first().waitFor()
      const heads = await page.getByRole('columnheader').count()
      assert.ok((await cellsIn(page)) < heads, 'Some columns are out of view.')
      return { page, heads }
    }
    const byKeys = await openNarrow()
    await byKeys.page.getByRole('grid').focus()
    await byKeys.page.keyboard.press('End')
    const grid = byKeys.page.getByRole('grid')
    const active = byKeys.page.locator(`[id="${await grid.getAttribute('aria-activedescendant')}"]`)
    assert.equal(await active.getAttribute('aria-colindex'), `${byKeys.heads}`)
    assert.equal(await cellsIn(byKeys.page), byKeys.heads)
    const aside = await openNarrow()
    await aside.page.getByRole('grid').evaluate((element) => element.scrollBy(20, 0))
    await until('all have cells', async () => (await cellsIn(aside.page)) === aside.heads)
    // A window that becomes wider shows more of them.
    const wider = await openNarrow()
    await wider.page.setViewportSize({ width: 2600, height: 700 })
    await until('all are in view', async () => (await cellsIn(wider.page)) === wider.heads)
  })

  test('their ends are dragged, and every browser of the user shows them so wide', async () => {
    const { page, reports } = await openOrders(browser, service)
    const { x, y, width, height } = await boxOf(page, 'Total')
    const end = { x: x + width - 3, y: y + height / 2 }
    await drag(page, end, { x: end.x + 80, y: end.y })
    const wide = Math.round(width) + 80
    await until('it is as wide', async () => (await widthOf(page, 'Total')) === wide)
    // The rows stand below their heads.
    const cell = await page.getByRole('gridcell', { name: '200.50', exact: true }).boundingBox()
    assert.equal(Math.round(cell?.width ?? 0), wide)
    assert.equal(new URL(page.url()).search, '')
    await until('the service keeps the width', async () => (await keptOf())['columns.order'])
    const other = await openOrders(browser, service)
    assert.equal(await widthOf(other.page, 'Total'), wide)
    await other.page.getByRole('button', { name: 'Menu of the column Total' }).click()
    await other.page.getByRole('menuitem', { name: 'Usual width' }).click()
    await until('the width is the usual one', async () => {
      return (await widthOf(other.page, 'Total')) === Math.round(width)
    })
    await other.page.getByRole('button', { name: 'Menu of the column Total' }).click()
    const wider = other.page.getByRole('menuitem', { name: 'Wider' })
    for (const by of [16, 32]) {
      await wider.click()
      await until('it is a step wider', async () => {
        return (await widthOf(other.page, 'Total')) === Math.round(width) + by
      })
    }
    await other.page.getByRole('menuitem', { name: 'Fit to the content' }).click()
    await until('the column fits', async () => (await widthOf(other.page, 'Total')) < width - 20)
    const value = other.page.getByRole('gridcell', { name: '190.50' }).locator('span')
    assert.ok(await value.evaluate((span) => span.scrollWidth <= span.clientWidth))
    assert.deepEqual([...reports, ...other.reports], [])
  })

  test('a head is dragged to another place, which the address keeps, and is not sorted by that', async () => {
    const { page, reports } = await openOrders(browser, service)
    const before = await columnsOf(page)
    const status = await boxOf(page, 'Status')
    const number = await boxOf(page, 'Number')
    await drag(page, { x: status.x + 30, y: status.y + 15 }, { x: number.x + 30, y: number.y + 15 })
    await page.waitForURL(/[?&]c=/)
    const after = ['Status', ...before.filter((name) => name !== 'Status')]
    assert.deepEqual(await columnsOf(page), after)
    assert.equal(new URL(page.url()).searchParams.get('s'), null)
    await page.reload()
    await headOf(page, 'Status').waitFor()
    assert.deepEqual(await columnsOf(page), after)
    assert.deepEqual(reports, [])
  })

  test('a pinned column stays at the start while the others are scrolled', async () => {
    const viewport = { width: 768, height: 700 }
    const { page, reports } = await openOrders(browser, service, { viewport })
    await page.getByRole('button', { name: 'Menu of the column Total' }).click()
    await page.getByRole('menuitem', { name: 'Pin to the start' }).click()
    await until('it is the first', async () => (await columnsOf(page))[0] === 'Total')
    const place = await boxOf(page, 'Total')
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ left: 500 }))
    await until('the others are scrolled', async () => (await boxOf(page, 'Number')).x < place.x)
    await until('it is where it was', async () =>
      isDeepStrictEqual(await boxOf(page, 'Total'), place),
    )
    assert.ok(await page.getByRole('gridcell', { name: '200.50', exact: true }).isVisible())
    assert.equal(new URL(page.url()).search, '')
    assert.deepEqual(await findViolations(page), [])
    await page.evaluate(`document.documentElement.dir = 'rtl'`)
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ left: -500 }))
    const grid = await page.getByRole('grid').boundingBox()
    await until('it stays at the start, which is the right', async () => {
      const { x, width } = await boxOf(page, 'Total')
      return grid && Math.abs(x + width + 40 - (grid.x + grid.width)) < 20
    })
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset the columns' }).click()
    await until('nothing is pinned', async () => (await columnsOf(page))[0] === 'Number')
    assert.deepEqual(reports, [])
  })

  test('by keys alone: to the heads, wider, moved, pinned, sorted, and back to the rows', async () => {
    const as = 'reader@example.com'
    const { page, reports, forbidden } = await openOrders(browser, service, { as })
    const grid = page.getByRole('grid')
    await grid.focus()
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await press('ArrowUp', 'ArrowRight', 'ArrowRight', 'ArrowRight')
    const width = await widthOf(page, 'Total')
    await press('Shift+ArrowRight')
    await until('it is a step wider', async () => (await widthOf(page, 'Total')) === width + 16)
    await press('Shift+ArrowLeft')
    await until('it is narrower again', async () => (await widthOf(page, 'Total')) === width)
    await press('Control+ArrowLeft')
    await page.waitForURL(/[?&]c=/)
    assert.deepEqual((await columnsOf(page)).slice(0, 3), ['Number', 'Step', 'Total'])
    await press('Enter')
    await page.waitForURL(/total/)
    assert.equal(await headOf(page, 'Total').getAttribute('aria-sort'), 'ascending')
    await press('Shift+F10')
    const menu = page.getByRole('menu', { name: 'Menu of the column Total' })
    await menu
      .getByRole('menuitem', { name: 'Sort ascending' })
      .and(page.locator(':focus'))
      .waitFor()
    await press('End', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter')
    await until(
      'it is pinned',
      async () => (await columnsOf(page))[0]?.startsWith('Total') === true,
    )
    await grid.and(page.locator(':focus')).waitFor()
    await until('the service keeps it', async () => (await keptOf(as))['columns.order'])
    await press('ArrowDown', 'Enter')
    await page.getByRole('heading', { name: 'O-000001' }).waitFor()
    assert.deepEqual([...reports, ...forbidden], [])
  })
})
