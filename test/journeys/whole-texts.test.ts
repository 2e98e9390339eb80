/** Texts of a list in a real browser: one that has room is not clipped, and every other is. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { orderProject } from '../support/console/an-order-project.ts'

const names = [
  ...['1', 'W'.repeat(90), 'ﷺ'.repeat(12), '﷽', 'عمان', '株式会社', '𝕎𝕎𝕎', 'a\u0301'.repeat(40)],
  ...['iiiiiiiiiiiiiiiiiiii', '11111111111111111111', 'Ünïcödé GmbH & Co. KG', '👩‍👩‍👧‍👦👩‍👩‍👧‍👦'],
]

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  for (const [at, number] of names.entries()) {
    const body = { number, customer_id: 1, total: `${10 ** at}.50`, ordered_on: '2026-05-04' }
    const { status } = await service.ask('POST', '/order', { body })
    assert.equal(status, 201)
  }
})

type Cell = { readonly text: string; readonly isWhole: boolean; readonly beyond: number }

/** The texts of the list, whether each is shown whole, and by how many pixels it is wider than its cell. */
const cellsOf = (page: Page): Promise<readonly Cell[]> =>
  page.evaluate<
    readonly Cell[]
  >(`[...document.querySelectorAll('.grid-row .grid-cell > [dir]:is(a, span)')].map((text) => {
    const content = document.createRange()
    content.selectNodeContents(text)
    const cell = text.parentElement.getBoundingClientRect()
    const { left, right } = content.getBoundingClientRect()
    const isCut = getComputedStyle(text).overflowX === 'hidden'
    return { text: text.textContent, isWhole: !isCut, beyond: Math.max(cell.left - left, right - cell.right) }
  })`)

/** The list as somebody sees it whose browser has further styles. */
const openList = async (styles = '') => {
  const { page } = await openPage(browser, service, '/console/order')
  await page.addInitScript(`{
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(${JSON.stringify(styles)})
    document.adoptedStyleSheets = [sheet]
  }`)
  await page.reload()
  const last = page.getByRole('gridcell', { name: 'Adria Metal' }).nth(names.length - 1)
  await last.waitFor()
  return page
}

const looks = {
  'the usual letters': '',
  'larger letters': 'body { font-size: 22px }',
  'more space between letters, as users may set it':
    '* { letter-spacing: 0.12em !important; word-spacing: 0.16em !important }',
}

for (const [look, styles] of Object.entries(looks))
  test(`no text stands over the next one, with ${look}`, async () => {
    const cells = await cellsOf(await openList(styles))
    assert.ok(cells.length > names.length * 4)
    const over = cells.filter(({ text, isWhole, beyond }) => text !== '' && isWhole && beyond > 0)
    assert.deepEqual(over, [])
    assert.ok(cells.some(({ text, isWhole }) => text.startsWith('W') && !isWhole))
  })

test('most texts are not cut', async () => {
  const cells = await cellsOf(await openList())
  const days = cells.filter(({ text }) => text === '4 May 2026')
  assert.deepEqual([days.length, days.every(({ isWhole }) => isWhole)], [names.length, true])
})
