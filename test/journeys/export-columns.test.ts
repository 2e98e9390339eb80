/** Which records and columns an export has, chosen in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { openExport, saveFile, settled, startExport, startOrders } from './an-export-page.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders()
  browser = await startBrowser()
})

const where = { number: 'O-000007' }
const columns = ['number', 'customer.name', 'total', 'status']

/** The header of the preview, when it shows what is chosen. */
const header = async (dialog: Locator): Promise<string | undefined> => {
  await settled(dialog)
  const text = await dialog.getByLabel('The first rows, as in the file').inputValue()
  return text.split('\n')[0]
}

const column = (dialog: Locator, name: string): Locator =>
  dialog.getByRole('option', { name, exact: true })

/** Drags a column by its grip to the place above another. */
const drag = async (page: Page, dialog: Locator, name: string, above: string): Promise<void> => {
  const from = await column(dialog, name).boundingBox()
  const to = await column(dialog, above).boundingBox()
  assert.ok(from && to)
  await page.mouse.move(from.x + 12, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(from.x + 12, to.y + 2, { steps: 4 })
  await page.mouse.up()
}

// Before any other export of the user.
test('an export begins as a workbook, and later with the format of the last one', async () => {
  const first = await openExport(browser, service, { where, format: 'as kept' })
  assert.equal(await first.dialog.getByLabel('Excel (xlsx)').isChecked(), true)
  await first.dialog.getByLabel('NDJSON').check()
  const isKept = first.page.waitForResponse((response) => response.url().endsWith('settings.json'))
  await startExport(first.dialog)
  assert.equal((await isKept).status(), 200)
  const second = await openExport(browser, service, { where, format: 'as kept' })
  assert.equal(await second.dialog.getByLabel('NDJSON').isChecked(), true)
  // Paths are for columns that have one label.
  assert.equal(
    await second.dialog.getByRole('option').getByText('number', { exact: true }).count(),
    0,
  )
  assert.deepEqual([first.reports, second.reports], [[], []])
})

describe('the columns of an export', () => {
  test('by mouse they are dragged, moved by buttons, taken out and found', async () => {
    const { page, dialog, reports } = await openExport(browser, service, { where, columns })
    await drag(page, dialog, 'Total', 'Number')
    assert.equal(await header(dialog), 'total,number,customer.name,status')
    await dialog.getByRole('button', { name: 'Down' }).click()
    assert.equal(await header(dialog), 'number,total,customer.name,status')
    await column(dialog, 'Status').click()
    await dialog.getByRole('button', { name: 'Take out' }).click()
    await dialog.getByRole('combobox', { name: 'Add a column' }).fill('city')
    await column(dialog, 'Customer › City').click()
    const chosen = 'number,total,customer.name,customer.city'
    assert.equal(await header(dialog), chosen)
    await dialog.getByText('Columns (4)').waitFor()
    await startExport(dialog)
    const { bytes } = await saveFile(page, dialog)
    assert.equal(bytes.toString(), `${chosen}\r\nO-000007,7.50,"Čavao ""d.o.o.""",\r\n`)
    await dialog.getByRole('button', { name: 'As in the list (4)' }).click()
    assert.equal(await header(dialog), columns.join())
    assert.deepEqual(reports, [])
  })

  test('by keys alone', async () => {
    const { page, dialog } = await openExport(browser, service, { where, columns })
    await dialog.getByRole('listbox', { name: 'Columns in their order' }).focus()
    for (const key of ['ArrowDown', 'Alt+ArrowDown', 'Alt+ArrowDown'])
      await page.keyboard.press(key)
    await dialog.getByText('Customer is column 4 of 4.').waitFor()
    assert.equal(await header(dialog), 'number,total,status,customer.name')
    for (const key of ['Home', 'Delete']) await page.keyboard.press(key)
    await dialog.getByText('Number is taken out.').waitFor()
    await dialog.getByRole('combobox', { name: 'Add a column' }).focus()
    await page.keyboard.type('customer.id')
    await page.keyboard.press('Enter')
    assert.equal(await header(dialog), 'total,status,customer.name,customer.id')
  })

  test('a workbook is shown as a spreadsheet shows it', async () => {
    const { dialog } = await openExport(browser, service, {
      where,
      columns: ['number', 'total', 'is_gift', '_created_at'],
    })
    await dialog.getByLabel('Excel (xlsx)').check()
    const sheet = dialog.getByRole('region', { name: 'The first rows, as in the file' })
    await sheet.getByRole('columnheader', { name: 'Created at (Europe/Zagreb)' }).waitFor()
    const cells = await sheet.getByRole('cell').allTextContents()
    assert.deepEqual(cells.slice(0, 3), ['O-000007', '7.50', ''])
    assert.match(cells[3] ?? '', /^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d$/)
  })
})

describe('the records of an export', () => {
  test('are the selected ones, unless all that match are wanted', async () => {
    const { page } = await openPage(browser, service, '/console/order?s=["id"]&c=["number"]')
    for (const number of ['O-000002', 'O-000005'])
      await page.getByRole('checkbox', { name: `Select ${number}` }).check()
    await page.evaluate('window.showSaveFilePicker = undefined')
    await page.getByRole('button', { name: 'Export the selected records' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export: Order' })
    assert.equal(await dialog.getByLabel('Selected (2)').isChecked(), true)
    await dialog.getByLabel('CSV').check()
    await startExport(dialog)
    const { bytes } = await saveFile(page, dialog)
    assert.equal(bytes.toString(), 'number\r\nO-000002\r\nO-000005\r\n')
    await dialog.getByLabel('For Excel (opens with a double click)').check()
    await dialog.getByLabel('All that match (3,000)').check()
    await dialog.getByText('On the command line').click()
    const docket = await dialog.getByLabel('docket export', { exact: true }).inputValue()
    assert.match(
      docket,
      / --format csv --bom --criteria '\{"\$orderBy":\["id"\],"\$select":\["number"\]\}' /,
    )
  })

  test('are those of a group', async () => {
    const search = new URLSearchParams({ w: JSON.stringify({ number: { $lte: 'O-000003' } }) })
    const path = `/console/order?${search}&c=%5B%22number%22%2C%22total%22%5D`
    const { page } = await openPage(browser, service, path)
    await page.getByRole('button', { name: 'Menu of the column Total' }).click()
    await page.getByRole('menuitem', { name: 'Group by this column' }).click()
    await page.getByRole('button', { name: 'Export: 2.50' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export: Order' })
    await dialog.getByText('1 record', { exact: true }).waitFor()
    await dialog.getByLabel('CSV').check()
    assert.equal(await header(dialog), 'number,total')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Grouped by Total' }).waitFor()
  })
})
