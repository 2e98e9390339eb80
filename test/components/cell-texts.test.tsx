/** Texts in cells: what tells records apart is whole, one that has room is not clipped, and every other is. */
import { afterEach, describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import { openConsole } from './support/open-console.tsx'
import { adria } from './support/orders.ts'
import { button } from './support/parts.ts'
import { see } from './support/record-form.ts'

const string = (key: string, name: string, more: object = {}) => ({
  ...{ key, name, type: 'string' },
  ...more,
})

test('codes, numbers with long units and words of heads are whole; long texts end earlier', async () => {
  const project = {
    'docket.json': { name: 'Goods', locale: 'en' },
    'entities/article.json': {
      ...{ key: 'article', name: 'Article', displayField: 'name' },
      fields: [
        string('name', 'Name', { maxLength: 160 }),
        string('gtin', 'GTIN', { unique: true, maxLength: 13, pattern: '^[0-9]{13}$' }),
        string('account', 'Account', { maxLength: 36 }),
        string('reference', 'Reference', { unique: true }),
        string('group', 'Warengruppennummer'),
        { key: 'measure', name: 'Measure', type: 'enum', values: ['square_metres_of_floor'] },
        { key: 'stock', name: 'Stock', type: 'integer', unit: { field: 'measure' } },
        string('remark', 'Remark', { maxLength: 400 }),
      ],
    },
  }
  const article = {
    ...{ id: 1, name: 'Tarpaulin', gtin: '3859990003006', group: 'T', stock: 12_345 },
    ...{ account: 'EG21 9932 1171 2370 3384 7618 9509 8', reference: 'WWW-MMMM-2026-000123456' },
    ...{ measure: 'square_metres_of_floor', remark: 'long '.repeat(40).trim() },
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
    ...{ id: at + 1, number, customer_id: 1, total: `${10 ** at}.50`, ordered_on: '2026-05-04' },
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

  /** The list as somebody sees it whose browser has further styles. */
  const openList = async (styles = '') => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    document.adoptedStyleSheets = [sheet]
    const customer = adria
    await openConsole('/order', { project: orderProject, records: { order, customer } })
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
    await openList(styles)
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
