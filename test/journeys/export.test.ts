/** The export of a list in a real browser: a whole file, or none. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { openPage, startBrowser } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import type { TestService } from '../support/service.ts'
import {
  openExport,
  savedFile,
  saveFile,
  settled,
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

  test('the file is named after the day where the user is', async () => {
    const { page, dialog } = await openExport(browser, service, { where: filter, columns: ['id'] })
    await page.clock.setFixedTime('2026-05-04T22:30:00Z')
    await dialog.getByLabel('JSON', { exact: true }).check()
    const saved = await savedFile(page, dialog)
    await dialog.getByText('Complete and checked: 200 records').waitFor()
    const { name } = await saveFile(page, dialog)
    assert.equal(saved, name)
    // The zone of the project, Europe/Zagreb, is two hours before UTC.
    assert.equal(name, 'order-2026-05-05.json')
  })

  test('a file of every other format is checked and offered', async () => {
    const { page, dialog } = await openExport(browser, service, { where: filter })
    // How a file of the format begins.
    const formats = { 'Excel (xlsx)': 'PK', NDJSON: '{"', JSON: '[', Parquet: 'PAR1' }
    for (const [format, begin] of Object.entries(formats)) {
      await dialog.getByLabel(format, { exact: true }).check()
      await startExport(dialog)
      await dialog.getByText('Complete and checked: 200 records').waitFor()
      const { bytes } = await saveFile(page, dialog)
      assert.equal(bytes.toString('latin1', 0, begin.length), begin)
      assert.ok(bytes.length > 1_000)
    }
  })

  test('the columns as defined for exports, and a byte order mark', async () => {
    const { page, dialog } = await openExport(browser, service, { where: filter })
    await dialog.getByLabel('For Excel (with a byte order mark)').check()
    await dialog.getByRole('button', { name: 'As defined for exports' }).click()
    await startExport(dialog)
    const { bytes } = await saveFile(page, dialog)
    const expected = await exportOf('format=csv&bom=true', { $where: filter })
    assert.ok(bytes.equals(expected))
    assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
  })

  test('the preview shows the first rows, and not more of long ones than a page can hold', async () => {
    const { dialog } = await openExport(browser, service, { columns: ['number', 'customer.name'] })
    const preview = dialog.getByLabel('The first rows, as in the file')
    await settled(dialog)
    const lines = (await preview.inputValue()).trim().split('\n')
    assert.equal(lines.length, 21)
    assert.match(lines[1] ?? '', /^O-000001,"Čavao ""d\.o\.o\."""/)
    await dialog.getByLabel('JSON', { exact: true }).check()
    await settled(dialog)
    const json: object[] = JSON.parse(await preview.inputValue())
    assert.deepEqual(json[0], { number: 'O-000001', 'customer.name': 'Čavao "d.o.o."' })
    await dialog.getByRole('button', { name: 'As defined for exports' }).click()
    await settled(dialog)
    assert.ok((await preview.inputValue()).length < 66_000)
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
    const criteria = `'{"$where":{"number":{"$ne":"it'\\''s"}},"$orderBy":["id"],"$select":["number"]}'`
    const curl = await dialog.getByLabel('curl', { exact: true }).inputValue()
    assert.ok(curl.startsWith(`curl -sSf '${service.url}/order/export?format=csv' -H `), curl)
    assert.ok(curl.includes(` -d ${criteria} -o order-`), curl)
    const docket = await dialog.getByLabel('docket export', { exact: true }).inputValue()
    assert.ok(docket.startsWith(`docket export order --url '${service.url}' --format csv`), docket)
    assert.ok(docket.includes(` --criteria ${criteria} --out order-`), docket)
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
    await dialog.getByText('0 records').waitFor()
    await dialog.getByRole('button', { name: 'As defined for exports' }).click()
    await settled(dialog)
    const header = await dialog.getByLabel('The first rows, as in the file').inputValue()
    assert.match(header, /^ID,Number/i)
    assert.doesNotMatch(header, /Total/)
    await startExport(dialog)
    await dialog.getByText('Complete and checked: 0 records').waitFor()
  })
})
