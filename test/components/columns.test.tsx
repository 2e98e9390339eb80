/** Widths, pins and places of the columns of a list: by mouse, by menu, and by keys alone. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
// Loaded when the pointer comes to a head: here before, so that it follows the first movement.
import '../../console/features/columns/column-drag.ts'
import { addressed, closeConsole, type Opening, press } from './support/open-console.tsx'
import { openKept, ordersUpTo } from './support/orders.ts'
import { button } from './support/parts.ts'
import { see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const grid = page.getByRole('grid')
const headOf = (name: string) => page.getByRole('columnheader', { name }).first()
const boxOf = (name: string) => headOf(name).element().getBoundingClientRect()
const widthOf = (name: string) => Math.round(boxOf(name).width)
const item = (name: string) => page.getByRole('menuitem', { name, exact: true })
const menuOf = (name: string) => page.getByRole('button', { name: `Menu of the column ${name}` })
const columns = () =>
  page
    .getByRole('columnheader')
    .elements()
    .slice(1)
    .map((head) => head.textContent.trim())

const rowCells = () => page.getByRole('row').nth(1).getByRole('gridcell').elements().length

const openList = async (options: Opening = {}) => {
  const { service } = await openKept('/order', ordersUpTo(200).reverse(), options)
  await see(page.getByText('200 records'))
  const kept = () =>
    service.asked.findLast(
      ({ method, path }) => method === 'PATCH' && path.endsWith('settings.json'),
    )?.body as object | undefined
  return { service, kept }
}

describe('the columns of a list', () => {
  test('those out of view have no cells until somebody comes to them by keys', async () => {
    await openList({ viewport: { width: 800, height: 700 } })
    const heads = page.getByRole('columnheader').elements().length
    expect(rowCells()).toBeLessThan(heads)
    await press(grid, '{End}')
    const active = () =>
      document.getElementById(grid.element().getAttribute('aria-activedescendant') ?? '')
    await expect.poll(() => active()?.getAttribute('aria-colindex')).toBe(`${heads}`)
    expect(rowCells()).toBe(heads)
  })

  test.for([
    ['scrolls sideways', () => grid.element().scrollBy(20, 0)],
    ['has a wider window', () => page.viewport(2600, 700)],
  ] as const)('those out of view have cells when somebody %s', async ([, show]) => {
    await openList({ viewport: { width: 800, height: 700 } })
    const heads = page.getByRole('columnheader').elements().length
    expect(rowCells()).toBeLessThan(heads)
    await show()
    await expect.poll(rowCells).toBe(heads)
  })

  test('their ends are dragged, and the service keeps the widths', async () => {
    const { kept } = await openList()
    const width = widthOf('Total')
    const { height } = boxOf('Total')
    await headOf('Total').hover()
    await userEvent.dragAndDrop(headOf('Total'), headOf('Total'), {
      sourcePosition: { x: width - 3, y: height / 2 },
      targetPosition: { x: width - 3 + 80, y: height / 2 },
      force: true,
    })
    await expect.poll(() => widthOf('Total')).toBe(width + 80)
    // The rows stand below their heads.
    const cell = page.getByRole('gridcell', { name: '200.50', exact: true })
    expect(Math.round(cell.element().getBoundingClientRect().width)).toBe(width + 80)
    expect(location.search).toBe('')
    await expect.poll(kept).toMatchObject({ 'columns.order': { widths: { total: width + 80 } } })
  })

  test('a stored width is shown, and is changed by the menu: usual, wider, fitting', async () => {
    await openList()
    const usual = widthOf('Total')
    await closeConsole()
    await openList({ settings: { 'columns.order': { widths: { total: usual + 80 } } } })
    expect(widthOf('Total')).toBe(usual + 80)
    await menuOf('Total').click()
    await item('Usual width').click()
    await expect.poll(() => widthOf('Total')).toBe(usual)
    await menuOf('Total').click()
    for (const by of [16, 32]) {
      await item('Wider').click()
      await expect.poll(() => widthOf('Total')).toBe(usual + by)
    }
    await item('Fit to the content').click()
    await expect.poll(() => widthOf('Total')).toBeLessThan(usual - 20)
    const value = page.getByRole('gridcell', { name: '190.50' }).element().querySelector('span')
    expect(value?.scrollWidth).toBeLessThanOrEqual(value?.clientWidth ?? 0)
  })

  test('a head is dragged to another place, which the address keeps, and is not sorted by that', async () => {
    await openList()
    const before = columns()
    await headOf('Status').hover()
    await userEvent.dragAndDrop(headOf('Status'), headOf('Number'), {
      sourcePosition: { x: 30, y: 15 },
      targetPosition: { x: 30, y: 15 },
    })
    const after = ['Status', ...before.filter((name) => name !== 'Status')]
    await expect.poll(columns).toEqual(after)
    const shown = addressed('c') as readonly string[]
    expect(shown.slice(0, 2)).toEqual(['status', 'number'])
    expect(addressed('s')).toBe(null)
  })

  test('a pinned column stays at the start while the others are scrolled', async () => {
    const { kept } = await openList({ viewport: { width: 768, height: 700 } })
    await menuOf('Total').click()
    await item('Pin to the start').click()
    await expect.poll(() => columns()[0]).toBe('Total')
    await expect.poll(kept).toMatchObject({ 'columns.order': { pinned: ['total'] } })
    const place = boxOf('Total')
    grid.element().scrollTo({ left: 500 })
    await expect.poll(() => boxOf('Number').x).toBeLessThan(place.x)
    await expect.poll(() => boxOf('Total')).toEqual(place)
    await see(page.getByRole('gridcell', { name: '200.50', exact: true }))
    expect(location.search).toBe('')
    expect(await findViolations()).toEqual([])
    document.documentElement.dir = 'rtl'
    grid.element().scrollTo({ left: -500 })
    const end = () => grid.element().getBoundingClientRect().right
    await expect.poll(() => Math.abs(boxOf('Total').right + 40 - end())).toBeLessThan(20)
    document.documentElement.dir = ''
    await button('Columns').click()
    await button('Reset the columns').click()
    await expect.poll(() => columns()[0]).toBe('Number')
  })

  test('by keys alone: to the heads, wider, moved, pinned, sorted, and back to the rows', async () => {
    const { kept } = await openList({ role: 'reader' })
    const before = columns()
    const at = before.indexOf('Total')
    await press(grid, `{ArrowUp}${'{ArrowRight}'.repeat(at)}`)
    const width = widthOf('Total')
    await userEvent.keyboard('{Shift>}{ArrowRight}{/Shift}')
    await expect.poll(() => widthOf('Total')).toBe(width + 16)
    await userEvent.keyboard('{Shift>}{ArrowLeft}{/Shift}')
    await expect.poll(() => widthOf('Total')).toBe(width)
    await userEvent.keyboard('{Control>}{ArrowLeft}{/Control}')
    await expect.poll(() => columns().indexOf('Total')).toBe(at - 1)
    expect(columns().indexOf(before[at - 1] ?? '')).toBe(at)
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => addressed('s')).toEqual(['total'])
    await expect.element(headOf('Total')).toHaveAttribute('aria-sort', 'ascending')
    await userEvent.keyboard('{Shift>}{F10}{/Shift}')
    await expect.element(item('Sort ascending')).toHaveFocus()
    await userEvent.keyboard('{End}{ArrowUp}{ArrowUp}{ArrowUp}{Enter}')
    await expect.poll(() => columns()[0]?.startsWith('Total')).toBe(true)
    await expect.element(grid).toHaveFocus()
    await expect.poll(kept).toMatchObject({ 'columns.order': { pinned: ['total'] } })
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await expect.poll(() => location.pathname).toBe('/console/order/200')
  })
})
