/** The export of a list in a real browser: a whole file, or none. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { openPage, startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import {
  createUser,
  openExport,
  saveFile,
  startExport,
  startOrders,
  storedFiles,
  storedText,
} from './an-export-page.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders()
  browser = await startBrowser()
  for (const role of ['reader', 'clerk']) await createUser(service, role)
})

const filter = { number: { $lte: 'O-000200' } }

const exportOf = async (query: string, body: object): Promise<Buffer> => {
  const response = await fetch(`${service.url}/order/export?${query}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await service.tokenOf()}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  return Buffer.from(await response.arrayBuffer())
}

describe('the export of a list', () => {
  test('the file has the columns and the filter of the list, byte for byte', async () => {
    const columns = ['number', 'customer.name', 'total', 'notes']
    const { page, dialog, reports } = await openExport(browser, service, { where: filter, columns })
    await dialog.getByText('200 records').waitFor()
    await dialog.getByText('Filter: Number is at most O-000200').waitFor()
    await startExport(dialog)
    await dialog.getByText('Complete and checked: 200 records').waitFor()
    const { name, bytes } = await saveFile(page, dialog)
    assert.match(name, /^order-\d{4}-\d\d-\d\d\.csv$/)
    const expected = await exportOf('format=csv', { $where: filter, $select: columns })
    assert.ok(expected.length > 1_000_000)
    assert.ok(bytes.equals(expected))
    assert.deepEqual(reports, [])
  })

  for (const format of ['Excel (xlsx)', 'NDJSON', 'JSON', 'Parquet'])
    test(`a file of ${format} is checked and offered`, async () => {
      const { page, dialog } = await openExport(browser, service, { where: filter })
      await dialog.getByLabel(format, { exact: true }).check()
      await startExport(dialog)
      await dialog.getByText('Complete and checked: 200 records').waitFor()
      const { bytes } = await saveFile(page, dialog)
      assert.ok(bytes.length > 1_000)
    })

  test('the columns of the export settings, and a byte order mark', async () => {
    const { page, dialog } = await openExport(browser, service, { where: filter })
    await dialog.getByLabel('For Excel (with a byte order mark)').check()
    await dialog.getByLabel(/Columns of the export settings/).check()
    await startExport(dialog)
    const { bytes } = await saveFile(page, dialog)
    const expected = await exportOf('format=csv&bom=true', { $where: filter })
    assert.ok(bytes.equals(expected))
    assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
  })

  test('the preview shows the first rows, and not more of long ones than a page can hold', async () => {
    const { dialog } = await openExport(browser, service, { columns: ['number', 'customer.name'] })
    const preview = dialog.getByLabel('First 5 rows as CSV')
    await dialog.getByText('Loading').waitFor({ state: 'detached' })
    const lines = (await preview.inputValue()).trim().split('\n')
    assert.equal(lines.length, 6)
    assert.match(lines[1] ?? '', /^O-000001,"Čavao ""d\.o\.o\."""/)
    await dialog.getByLabel(/Columns of the export settings/).check()
    await dialog.getByText('Loading').waitFor({ state: 'detached' })
    assert.ok((await preview.inputValue()).length < 17_000)
  })

  test('words that are searched narrow it too', async () => {
    const columns = ['number']
    const { page, dialog } = await openExport(browser, service, { words: 'O-000007', columns })
    await dialog.getByText('Search: O-000007').waitFor()
    await startExport(dialog)
    const { bytes } = await saveFile(page, dialog)
    assert.equal(bytes.toString(), 'number\r\nO-000007\r\n')
  })

  test('where the browser can, the file is written to the place that was chosen', async () => {
    const columns = ['number', 'notes']
    const { page, dialog } = await openExport(browser, service, {
      where: filter,
      columns,
      storage: 'chosen',
    })
    await startExport(dialog)
    await dialog.getByText('The file is saved.').waitFor()
    const [name = ''] = await storedFiles(page)
    const text = await storedText(page, name)
    const expected = await exportOf('format=csv', { $where: filter, $select: columns })
    assert.equal(text, expected.toString())
  })

  test('lines for a shell say the same', async () => {
    const { dialog } = await openExport(browser, service, {
      where: { number: { $ne: "it's" } },
      columns: ['number'],
    })
    await dialog.getByText('On the command line').click()
    const criteria = `'{"$where":{"number":{"$ne":"it'\\''s"}},"$select":["number"]}'`
    const curl = await dialog.getByLabel('curl', { exact: true }).inputValue()
    assert.ok(curl.startsWith(`curl -sSf '${service.url}/order/export?format=csv' -H `), curl)
    assert.ok(curl.includes(` -d ${criteria} -o order-`), curl)
    const docket = await dialog.getByLabel('docket export', { exact: true }).inputValue()
    assert.ok(docket.startsWith(`docket export order --url '${service.url}' --format csv`), docket)
    assert.ok(docket.includes(` --criteria ${criteria} --out order-`), docket)
  })
})

describe('the export of a selection', () => {
  test('has the selected records, unless all that match are wanted', async () => {
    const { page } = await openPage(browser, service, '/console/order?c=%5B%22number%22%5D')
    for (const number of ['O-000002', 'O-000005'])
      await page.getByRole('checkbox', { name: `Select ${number}` }).check()
    await page.evaluate('window.showSaveFilePicker = undefined')
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export: Order' })
    assert.equal(await dialog.getByLabel('Selected (2)').isChecked(), true)
    await startExport(dialog)
    const { bytes } = await saveFile(page, dialog)
    assert.equal(bytes.toString(), 'number\r\nO-000002\r\nO-000005\r\n')
    await dialog.getByLabel('For Excel (with a byte order mark)').check()
    await dialog.getByLabel('All that match (3,000)').check()
    await dialog.getByText('On the command line').click()
    const docket = await dialog.getByLabel('docket export', { exact: true }).inputValue()
    assert.match(docket, / --format csv --bom --criteria '\{"\$select":\["number"\]\}' /)
  })
})

describe('permissions', () => {
  test('a role that may not export sees no button', async () => {
    const { page } = await openPage(browser, service, '/console/order', {
      as: 'reader@example.com',
    })
    await page.getByRole('gridcell').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Export' }).count(), 0)
  })

  test('a role that exports only its own records is told so, and gets no hidden column', async () => {
    const { dialog } = await openExport(browser, service, { as: 'clerk@example.com' })
    await dialog.getByText('Your role exports only your own records.').waitFor()
    await dialog.getByLabel(/Columns of the export settings/).check()
    await dialog.getByText('Loading').waitFor({ state: 'detached' })
    const header = await dialog.getByLabel('First 5 rows as CSV').inputValue()
    assert.match(header, /^ID,Number/i)
    assert.doesNotMatch(header, /Total/)
    await startExport(dialog)
    await dialog.getByText('Complete and checked: 0 records').waitFor()
  })
})
