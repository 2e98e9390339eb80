/** Values that tell records apart are whole in a list, as are words of heads, in a real browser. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

const texts = (key: string, name: string, more: object = {}) => ({
  ...{ key, name, type: 'string' },
  ...more,
})

const project = {
  'docket.json': { name: 'Goods', locale: 'en' },
  'entities/article.json': {
    ...{ key: 'article', name: 'Article', displayField: 'name' },
    fields: [
      texts('name', 'Name', { maxLength: 160 }),
      texts('gtin', 'GTIN', { unique: true, maxLength: 13, pattern: '^[0-9]{13}$' }),
      texts('account', 'Account', { maxLength: 36 }),
      texts('reference', 'Reference', { unique: true }),
      texts('group', 'Warengruppennummer'),
      { key: 'measure', name: 'Measure', type: 'enum', values: ['square_metres_of_floor'] },
      { key: 'stock', name: 'Stock', type: 'integer', unit: { field: 'measure' } },
      texts('remark', 'Remark', { maxLength: 400 }),
    ],
  },
}

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(project))
  browser = await startBrowser()
  const body = {
    ...{
      name: 'Tarpaulin',
      gtin: '3859990003006',
      account: 'EG21 9932 1171 2370 3384 7618 9509 8',
    },
    ...{ reference: 'WWW-MMMM-2026-000123456', group: 'T', measure: 'square_metres_of_floor' },
    ...{ stock: 12_345, remark: 'long '.repeat(40).trim() },
  }
  assert.equal((await service.ask('POST', '/article', { body })).status, 201)
})

/** The columns of which a part cannot be read. */
const cutScript = `[...document.querySelectorAll('[role=gridcell][data-label]')]
  .filter((cell) => [...cell.children].some((part) => part.scrollWidth > part.clientWidth))
  .map((cell) => cell.dataset.label)`

const linesScript = `(() => {
  const head = [...document.querySelectorAll('[role=columnheader] > button')]
    .find(({ textContent }) => textContent.includes('Warengruppennummer'))
  const range = document.createRange()
  range.selectNodeContents(head)
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
})()`

test('codes, numbers with long units and words of heads are whole; long texts end earlier', async () => {
  const { page, reports } = await openPage(browser, service, '/console/article')
  const grid = page.getByRole('grid')
  // Columns out of view have no cells.
  await page.setViewportSize({ width: 2400, height: 800 })
  await grid.getByText('12,345 square metres of floor').waitFor()
  assert.deepEqual(await page.evaluate(cutScript), ['Remark'])
  assert.equal(await page.evaluate(linesScript), 1)
  assert.deepEqual(reports, [])
})
