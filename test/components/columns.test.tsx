/** Columns of a list: their widths, pins and places, by mouse, by menu and by keys alone, and how texts fit into them. */
import { afterEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
// Loaded when the pointer comes to a head: here before, so that it follows the first movement.
import '../../console/features/grid/column-acts.ts'
import { entityFile } from '../support/definitions/files.ts'
import {
  addressed,
  closeConsole,
  type Opening,
  openConsole,
  press,
} from './support/open-console.tsx'
import { adria, openKept, ordersProject, ordersUpTo } from './support/orders.ts'
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
  test('those out of view have no cells until the user comes to them by keys', async () => {
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
  ] as const)('those out of view have cells when the user %s', async ([, show]) => {
    await openList({ viewport: { width: 800, height: 700 } })
    const heads = page.getByRole('columnheader').elements().length
    expect(rowCells()).toBeLessThan(heads)
    await show()
    await expect.poll(rowCells).toBe(heads)
  })

  test('the list stands where it is when the conditions of its filter come in', async () => {
    // Its height is that of its rows.
    const placeOf = () => {
      const { x, y, width } = grid.element().getBoundingClientRect()
      return { x, y, width }
    }
    await openList()
    const before = placeOf()
    await closeConsole()
    await openKept('/order?w={"status":"open"}', ordersUpTo(2))
    await see(button('Change the filter Status'))
    expect(placeOf()).toEqual(before)
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
    await press(grid, '{Home}{ArrowLeft}')
    await expect
      .element(grid)
      .toHaveAttribute('aria-activedescendant', expect.stringMatching(/-1$/))
    document.documentElement.dir = ''
    await button('Columns').click()
    await button('Reset the columns').click()
    await expect.poll(() => columns()[0]).toBe('Number')
  })

  test('by keys alone: to the heads, wider, moved, pinned, sorted, and back to the rows', async () => {
    const { kept } = await openList({ role: 'reader' })
    const before = columns()
    const at = before.indexOf('Total')
    // Alt and an arrow lead through the history of the browser.
    await press(grid, `{ArrowUp}${'{ArrowRight}'.repeat(at)}{Alt>}{ArrowRight}{/Alt}`)
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
    await userEvent.keyboard('{ArrowRight}{Shift>}{Enter}{/Shift}{ArrowLeft}')
    await expect.poll(() => addressed('s')).toEqual(['total', expect.any(String)])
    await userEvent.keyboard('{Shift>}{F10}{/Shift}')
    await expect.element(item('Sort ascending')).toHaveFocus()
    await userEvent.keyboard('{End}{ArrowUp}{ArrowUp}{ArrowUp}{Enter}')
    await expect.poll(() => columns()[0]?.startsWith('Total')).toBe(true)
    await expect.element(grid).toHaveFocus()
    await expect.poll(kept).toMatchObject({ 'columns.order': { pinned: ['total'] } })
    // It stays before the others.
    await userEvent.keyboard('{Home}{Control>}{ArrowRight}{/Control}{Enter}')
    await expect.poll(() => addressed('s')).toEqual(['-total'])
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await expect.poll(() => location.pathname).toBe('/console/order/200')
  })
})

const string = (key: string, name: string, more: object = {}) => ({
  key,
  name,
  type: 'string',
  ...more,
})

test('codes, numbers with long units and words of heads are whole; long texts end earlier', async () => {
  const project = {
    'docket.json': { name: 'Goods', locale: 'en' },
    ...entityFile('article', { name: 'Article', displayField: 'name' }, [
      string('name', 'Name', { maxLength: 160 }),
      string('gtin', 'GTIN', { unique: true, maxLength: 13, pattern: '^[0-9]{13}$' }),
      string('account', 'Account', { maxLength: 36 }),
      string('reference', 'Reference', { unique: true }),
      string('group', 'Warengruppennummer'),
      { key: 'measure', name: 'Measure', type: 'enum', values: ['square_metres_of_floor'] },
      { key: 'stock', name: 'Stock', type: 'integer', unit: { field: 'measure' } },
      string('remark', 'Remark', { maxLength: 400 }),
    ]),
  }
  const article = {
    id: 1,
    name: 'Tarpaulin',
    gtin: '3859990003006',
    group: 'T',
    stock: 12_345,
    account: 'EG21 9932 1171 2370 3384 7618 9509 8',
    reference: 'WWW-MMMM-2026-000123456',
    measure: 'square_metres_of_floor',
    remark: 'long '.repeat(40).trim(),
  }
  // Columns out of view have no cells.
  const viewport = { width: 2400, height: 800 }
  await openConsole('/article', { project, records: { article: [article] }, viewport })
  await see(page.getByRole('grid').getByText('12,345 square metres of floor'))
  const cells = [...document.querySelectorAll<HTMLElement>('[role=gridcell][data-label]')]
  expect(
    cells
      .filter((cell) => [...cell.children].some((part) => part.scrollWidth > part.clientWidth))
      .map(({ dataset }) => dataset.label),
  ).toEqual(['Remark'])
  const range = document.createRange()
  range.selectNodeContents(button('Warengruppennummer').first().element())
  expect(new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size).toBe(1)
})

describe('texts of a list', () => {
  const names = [
    ...['1', 'W'.repeat(90), 'ﷺ'.repeat(12), '﷽', 'عمان', '株式会社', '𝕎𝕎𝕎', 'a\u0301'.repeat(40)],
    ...[
      'iiiiiiiiiiiiiiiiiiii',
      '11111111111111111111',
      'Ünïcödé GmbH & Co. KG',
      '👩‍👩‍👧‍👦👩‍👩‍👧‍👦',
    ],
  ]
  const order = names.map((number, at) => ({
    id: at + 1,
    number,
    customer_id: 1,
    total: `${10 ** at}.50`,
    ordered_on: '2026-05-04',
  }))

  /** The texts of the list, whether each is shown whole, and by how many pixels it is wider than its cell. */
  const cellsOf = () =>
    [...document.querySelectorAll('.grid-row .grid-cell > [dir]:is(a, span)')].map((text) => {
      const content = document.createRange()
      content.selectNodeContents(text)
      const cell = (text.parentElement as Element).getBoundingClientRect()
      const { left, right } = content.getBoundingClientRect()
      return {
        text: text.textContent,
        isWhole: getComputedStyle(text).overflowX !== 'hidden',
        beyond: Math.max(cell.left - left, right - cell.right),
      }
    })

  afterEach(() => {
    document.adoptedStyleSheets = []
  })

  /** The list as a user sees it whose browser has further styles. */
  const openStyled = async (styles = '') => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    document.adoptedStyleSheets = [sheet]
    const customer = adria
    await openConsole('/order', { project: ordersProject, records: { order, customer } })
    await see(page.getByRole('gridcell', { name: 'Adria Metal' }).nth(names.length - 1))
  }

  test.each([
    ['the usual letters', ''],
    ['larger letters', 'body { font-size: 22px }'],
    [
      'more space between letters, as users may set it',
      '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }',
    ],
  ])('do not stand one over the next, with %s, and most are not cut', async (_look, styles) => {
    await openStyled(styles)
    const cells = cellsOf()
    expect(cells.length).toBeGreaterThan(names.length * 4)
    const over = cells.filter(({ text, isWhole, beyond }) => text !== '' && isWhole && beyond > 0)
    expect(over).toEqual([])
    expect(cells.some(({ text, isWhole }) => text?.startsWith('W') && !isWhole)).toBe(true)
    if (styles !== '') return
    const days = cells.filter(({ text }) => text === '4 May 2026')
    expect(days.map(({ isWhole }) => isWhole)).toEqual(names.map(() => true))
  })
})
