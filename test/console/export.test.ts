/** The export of a list in a real browser: a whole file, or none. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { openPage, startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import {
  createUser,
  openExport,
  saveFile,
  saveLink,
  startExport,
  startOrders,
  storedFiles,
  storedText,
  throttle,
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

const slow = 100_000

describe('the export of a list', () => {
  test('the file has the columns and the filter of the list, byte for byte', async () => {
    const columns = ['number', 'customer.name', 'total', 'notes']
    const { page, dialog, reports } = await openExport(browser, service, { where: filter, columns })
    await dialog.getByText('200 records').waitFor()
    await dialog.getByText('Filter: Number is at most O-000200').waitFor()
    await startExport(dialog)
    await dialog.getByText('Whole and checked: 200 records').waitFor()
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
      await dialog.getByText('Whole and checked: 200 records').waitFor()
      const { bytes } = await saveFile(page, dialog)
      assert.ok(bytes.length > 1_000)
    })

  test('the columns of the export settings, and a byte order mark', async () => {
    const { page, dialog } = await openExport(browser, service, { where: filter })
    await dialog.getByLabel('With a byte order mark, for Excel').check()
    await dialog.getByLabel(/Those of the export settings/).check()
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
    await dialog.getByLabel(/Those of the export settings/).check()
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
    assert.equal(await dialog.getByLabel('The selected 2').isChecked(), true)
    await startExport(dialog)
    const { bytes } = await saveFile(page, dialog)
    assert.equal(bytes.toString(), 'number\r\nO-000002\r\nO-000005\r\n')
    await dialog.getByLabel('With a byte order mark, for Excel').check()
    await dialog.getByLabel('All 3,000 that match').check()
    await dialog.getByText('On the command line').click()
    const docket = await dialog.getByLabel('docket export', { exact: true }).inputValue()
    assert.match(docket, / --format csv --bom --criteria '\{"\$select":\["number"\]\}' /)
  })
})

describe('an export that is not whole', () => {
  for (const storage of ['memory', 'chosen'] as const)
    test(`a service that stops in the middle leaves no file (${storage})`, async () => {
      const own = await startOrders()
      const columns = ['number', 'notes']
      const { page, dialog } = await openExport(browser, own, { columns, storage })
      const release = await throttle(page, slow)
      await startExport(dialog)
      await dialog.getByText(/^\d.* kB$/).waitFor()
      await own.stop()
      await release()
      await dialog
        .getByText('The export ended early and was discarded. There is no file.')
        .waitFor()
      assert.equal(await saveLink(dialog).count(), 0)
      assert.deepEqual(await storedFiles(page), [])
    })

  test('a file of which the service says something else is discarded', async () => {
    const { page, dialog } = await openExport(browser, service, { where: filter })
    const answers = [{ state: 'ended', digest: `sha-256=${'A'.repeat(43)}=` }, { state: 'failed' }]
    for (const answer of answers) {
      await page.route('**/api/exports/*', (route) =>
        route.fulfill({ json: { rows: 200, ...answer } }),
      )
      await startExport(dialog)
      await dialog.getByText('The export ended early and was discarded.').waitFor()
      assert.equal(await saveLink(dialog).count(), 0)
      await dialog.getByLabel('JSON', { exact: true }).check()
    }
  })

  test('a file that cannot be checked is discarded', async () => {
    const { page, dialog } = await openExport(browser, service, { where: filter })
    await page.route('**/api/exports/*', (route) => route.fulfill({ status: 403, json: {} }))
    await startExport(dialog)
    await dialog.getByText('It cannot be checked whether the file is whole').waitFor()
    assert.equal(await saveLink(dialog).count(), 0)
  })

  test('a user stops it, and the service stops too', async () => {
    const { page, dialog } = await openExport(browser, service, { columns: ['number', 'notes'] })
    await throttle(page, slow)
    const begun = page.waitForResponse((response) => response.url().includes('manifest=true'))
    await startExport(dialog)
    const id = (await (await begun).allHeaders())['x-request-id']
    await dialog.getByRole('button', { name: 'Stop the export' }).click()
    await dialog.getByText('The export was stopped. There is no file.').waitFor()
    await until('the export is cancelled', async () => {
      const run = await service.ask('GET', `/api/exports/${id}`)
      return run.status === 200 && run.json().state === 'cancelled'
    })
  })

  test('what the service refuses is said', async () => {
    const { page, dialog } = await openExport(browser, service, { where: filter })
    await page.route('**/order/export?*', (route) =>
      route.fulfill({ status: 422, json: { detail: 'A cell is too long.' } }),
    )
    await startExport(dialog)
    await dialog.getByText('The export did not begin. A cell is too long.').waitFor()
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
    await dialog.getByText('Your role exports only your own of them.').waitFor()
    await dialog.getByLabel(/Those of the export settings/).check()
    await dialog.getByText('Loading').waitFor({ state: 'detached' })
    const header = await dialog.getByLabel('First 5 rows as CSV').inputValue()
    assert.match(header, /^ID,Number/i)
    assert.doesNotMatch(header, /Total/)
    await startExport(dialog)
    await dialog.getByText('Whole and checked: 0 records').waitFor()
  })
})
