/** The export of a list in a real browser: what is chosen, and a whole file of it or none, wherever it breaks. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { opened } from '../support/afterwards.ts'
import { findViolations, openPage } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import { startRelay } from '../support/relay.ts'
import { until } from '../support/wait.ts'
import {
  addressOf,
  openDialog,
  openExport,
  type Storage,
  savedFile,
  saveFile,
  saveLink,
  settled,
  startExport,
  startOrders,
  storedFiles,
  storedText,
  storeIn,
  throttle,
} from './an-export-page.ts'

const service = opened(() => startOrders())
before(async () => {
  await createUser(service, 'clerk')
})

const exported = { number: 'O-000007' }
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
test('what is exported', async (context) => {
  const inSheet = { where: exported, columns: ['number', 'total', 'is_gift', '_created_at'] }
  const { page, reports } = await openPage(service, addressOf(inSheet))
  let dialog = await openDialog(page)
  const goTo = async (opening: Parameters<typeof addressOf>[0]) => {
    await page.goto(`${service.url}${addressOf(opening)}`)
    await page.getByRole('gridcell').first().waitFor()
  }

  await context.test('is a workbook at first, as a spreadsheet shows it', async () => {
    assert.equal(await dialog.getByLabel('Excel (xlsx)').isChecked(), true)
    const sheet = dialog.getByRole('region', { name: 'The first rows, as in the file' })
    await sheet.getByRole('columnheader', { name: 'Created at (Europe/Zagreb)' }).waitFor()
    const cells = await sheet.getByRole('cell').allTextContents()
    assert.deepEqual(cells.slice(0, 3), ['O-000007', '7.50', ''])
    assert.match(cells[3] ?? '', /^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d$/)
  })

  await context.test('has the format of the last time', async () => {
    await dialog.getByLabel('NDJSON').check()
    const isKept = page.waitForResponse((response) => response.url().endsWith('settings.json'))
    await startExport(dialog)
    assert.equal((await isKept).status(), 200)
    await goTo({ where: exported, columns })
    dialog = await openDialog(page)
    assert.equal(await dialog.getByLabel('NDJSON').isChecked(), true)
    // Paths are for columns that have one label.
    assert.equal(await dialog.getByRole('option').getByText('number', { exact: true }).count(), 0)
  })

  await context.test(
    'has columns that are dragged, moved, taken out and found by mouse',
    async () => {
      await dialog.getByLabel('CSV').check()
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
    },
  )

  await context.test('has columns that are moved, taken out and found by keys alone', async () => {
    await dialog.getByRole('listbox', { name: 'Columns in their order' }).focus()
    for (const key of ['Home', 'ArrowDown', 'Alt+ArrowDown', 'Alt+ArrowDown'])
      await page.keyboard.press(key)
    await dialog.getByText('Customer is column 4 of 4.').waitFor()
    assert.equal(await header(dialog), 'number,total,status,customer.name')
    for (const key of ['Home', 'Delete']) await page.keyboard.press(key)
    await dialog.getByText('Number is taken out.').waitFor()
    await dialog.getByRole('combobox', { name: 'Add a column' }).focus()
    await page.keyboard.type('customer.id')
    await page.keyboard.press('Enter')
    assert.equal(await header(dialog), 'total,status,customer.name,customer.id')
    await page.emulateMedia({ colorScheme: 'dark' })
    assert.deepEqual(await findViolations(page), [])
  })

  await context.test('is the selected records, unless all that match are wanted', async () => {
    await goTo({ where: { number: { $lte: 'O-000005' } }, columns: ['number', 'total'] })
    for (const number of ['O-000002', 'O-000005'])
      await page.getByRole('checkbox', { name: `Select ${number}` }).check()
    dialog = await openDialog(page, 'Export the selected records')
    assert.equal(await dialog.getByLabel('Selected (2)').isChecked(), true)
    await startExport(dialog)
    const { bytes } = await saveFile(page, dialog)
    assert.equal(bytes.toString(), 'number,total\r\nO-000002,2.50\r\nO-000005,5.50\r\n')
    await dialog.getByLabel('For Excel (opens with a double click)').check()
    await dialog.getByLabel('All that match (5)').check()
    await dialog.getByText('On the command line').click()
    const docket = await dialog.getByLabel('docket export', { exact: true }).inputValue()
    const criteria = `'{"$where":{"number":{"$lte":"O-000005"}},"$orderBy":["id"],"$select":["number","total"]}'`
    assert.ok(docket.includes(` --format csv --bom --criteria ${criteria} `), docket)
  })

  await context.test('is the records of a group', async () => {
    await goTo({ where: { number: { $lte: 'O-000003' } }, columns: ['number', 'total'] })
    await page.getByRole('button', { name: 'Menu of the column Total' }).click()
    await page.getByRole('menuitem', { name: 'Group by this column' }).click()
    await page.getByRole('button', { name: 'Export: 2.50' }).click()
    await dialog.getByText('1 record', { exact: true }).waitFor()
    assert.equal(await header(dialog), 'number,total')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Grouped by Total' }).waitFor()
  })
  assert.deepEqual(reports, [])
})

const filter = { number: { $lte: 'O-000200' } }
// Bytes per second.
const slow = 1_000_000

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

test('the export of a filtered list', async (context) => {
  const $select = ['number', 'customer.name', 'total', 'notes']
  const opening = { where: filter, columns: $select }
  const { page, dialog, reports } = await openExport(service, opening)
  const expected = await exportOf('format=csv', { $where: filter, $select })
  const isComplete = () => dialog.getByText('Complete and checked: 200 records').waitFor()
  const choose = (format: string) => dialog.getByLabel(format, { exact: true }).check()

  await context.test('the file has its columns and its filter, byte for byte', async () => {
    await dialog.getByText('200 records').waitFor()
    await dialog.getByText('Filter: Number is at most O-000200').waitFor()
    await startExport(dialog)
    await isComplete()
    const { name, bytes } = await saveFile(page, dialog)
    assert.match(name, /^Order-\d{4}-\d\d-\d\d\.csv$/)
    assert.ok(expected.length > 500_000)
    assert.ok(bytes.equals(expected))
  })

  await context.test('a file of every other format is checked and offered', async () => {
    // How a file of the format begins.
    const formats = { 'Excel (xlsx)': 'PK', NDJSON: '{"', JSON: '[', Parquet: 'PAR1' }
    for (const [format, begin] of Object.entries(formats)) {
      await choose(format)
      await startExport(dialog)
      await isComplete()
      const { bytes } = await saveFile(page, dialog)
      assert.equal(bytes.toString('latin1', 0, begin.length), begin)
      assert.ok(bytes.length > 1_000)
    }
  })

  const early = 'The export ended early and was discarded.'
  const answers = [
    {
      status: 200,
      json: { rows: 200, state: 'ended', digest: `sha-256=${'A'.repeat(43)}=` },
      says: early,
    },
    { status: 200, json: { rows: 200, state: 'failed' }, says: early },
    { status: 403, json: {}, says: 'It cannot be checked whether the file is complete' },
  ]
  for (const [at, { says, ...answer }] of answers.entries())
    await context.test(
      `it is discarded where the service says so, or says nothing: ${at}`,
      async () => {
        // What was said before is gone with another format.
        await dialog.getByLabel(at % 2 === 0 ? 'NDJSON' : 'CSV', { exact: true }).check()
        await page.route('**/api/exports/*', (route) => route.fulfill(answer))
        await startExport(dialog)
        await dialog.getByText(says).waitFor()
        assert.equal(await saveLink(dialog).count(), 0)
        await page.unroute('**/api/exports/*')
      },
    )

  await context.test('it is not begun where the service refuses it, and says why', async () => {
    await page.route('**/order/export?*', (route) =>
      route.fulfill({ status: 422, json: { detail: 'A cell is too long.' } }),
    )
    await startExport(dialog)
    await dialog.getByText('The export did not start. A cell is too long.').waitFor()
    await page.unroute('**/order/export?*')
  })

  await context.test('the file is named after the day where the user is', async () => {
    await page.clock.setFixedTime('2026-05-04T22:30:00Z')
    await choose('JSON')
    const saved = await savedFile(page, dialog)
    await isComplete()
    const { name } = await saveFile(page, dialog)
    assert.equal(saved, name)
    // The zone of the project, Europe/Zagreb, is two hours before UTC.
    assert.equal(name, 'Order-2026-05-05.json')
  })

  await context.test('the file is written to a chosen place where a browser can', async () => {
    await choose('CSV')
    await storeIn(page, 'chosen')
    await startExport(dialog)
    await dialog.getByText('The file is saved.').waitFor()
    const text = await storedText(page, 'Order-2026-05-05.csv')
    assert.equal(text, expected.toString())
  })

  await context.test('the columns as defined for exports, and a byte order mark', async () => {
    await storeIn(page, 'own')
    await dialog.getByLabel('For Excel (opens with a double click)').check()
    await dialog.getByRole('button', { name: 'As defined for exports' }).click()
    await startExport(dialog)
    const { bytes } = await saveFile(page, dialog)
    assert.ok(bytes.equals(await exportOf('format=csv&bom=true', { $where: filter })))
    assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
    const refused = /status of (403|422)/
    assert.deepEqual(
      reports.filter((text) => !refused.test(text)),
      [],
    )
  })

  await context.test('files are removed at the next start if a crash has left them', async () => {
    const files = (await storedFiles(page)).toSorted()
    assert.ok(files.length > 1)
    // Another tab does not take them away from this one.
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('gridcell').first().waitFor()
    assert.deepEqual((await storedFiles(page)).toSorted(), files)
    await page.close()
    await other.reload()
    await until('only the file in the chosen place is left', async () => {
      const [first, ...rest] = await storedFiles(other)
      return first === 'Order-2026-05-05.csv' && rest.length === 0
    })
  })
})

test('words that are searched narrow it too, and lines for a shell say the same', async () => {
  const { page, dialog } = await openExport(service, {
    words: 'O-000007',
    where: { number: { $ne: "it's" } },
    columns: ['number'],
  })
  await dialog.getByText('Search: O-000007').waitFor()
  await startExport(dialog)
  const { bytes } = await saveFile(page, dialog)
  assert.equal(bytes.toString(), 'number\r\nO-000007\r\n')
  await dialog.getByText('On the command line').click()
  const criteria = `'{"$where":{"number":{"$ne":"it'\\''s"}},"$search":"O-000007","$orderBy":["id"],"$select":["number"]}'`
  const curl = await dialog.getByLabel('curl', { exact: true }).inputValue()
  assert.ok(curl.startsWith(`curl -sSf '${service.url}/order/export?format=csv' -H `), curl)
  assert.ok(curl.includes(` -d ${criteria} -o Order-`), curl)
  const docket = await dialog.getByLabel('docket export', { exact: true }).inputValue()
  assert.ok(docket.startsWith(`docket export order --url '${service.url}' --format csv`), docket)
  assert.ok(docket.includes(` --criteria ${criteria} --out Order-`), docket)
})

test('a role that exports only its own records is told so, and gets no hidden column', async () => {
  const { dialog } = await openExport(service, { as: 'clerk@example.com' })
  await dialog.getByText('Your role exports only your own records.').waitFor()
  await dialog.getByText('0 records').waitFor()
  await dialog.getByRole('button', { name: 'As defined for exports' }).click()
  await settled(dialog)
  const header = await dialog.getByLabel('The first rows, as in the file').inputValue()
  assert.match(header, /^"?ID"?,Number/i)
  assert.doesNotMatch(header, /Total/)
  await startExport(dialog)
  await dialog.getByText('Complete and checked: 0 records').waitFor()
})

test('an export of all records', async (context) => {
  const relay = await startRelay(service.url)
  const shown = { columns: ['number', 'customer.name'] }
  const { page, dialog } = await openExport({ ...service, url: relay.url }, shown)

  await context.test('shows its first rows, and no more than a page can hold', async () => {
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

  await context.test('is stopped by a user, and the service stops too', async () => {
    await dialog.getByLabel('CSV').check()
    const release = await throttle(page, slow)
    const begun = page.waitForResponse((response) => response.url().includes('manifest=true'))
    await startExport(dialog)
    const id = (await (await begun).allHeaders())['x-request-id']
    await dialog.getByRole('button', { name: 'Stop the export' }).click()
    await dialog.getByText('The export was stopped. There is no file.').waitFor()
    await until('the export is cancelled', async () => {
      const run = await service.ask('GET', `/api/exports/${id}`)
      return run.status === 200 && run.json().state === 'cancelled'
    })
    await release()
  })

  // All places where it may break are tried with the storage that most browsers have.
  for (const [storage, places] of [
    ['own', [50_000, 5_000_000]],
    ['chosen', [1_000_000]],
    ['memory', [1_000_000]],
  ] satisfies [Storage, number[]][])
    await context.test(`leaves and offers no file wherever it breaks: ${storage}`, async () => {
      await storeIn(page, storage)
      const points = [
        { cut: relay.cut, says: 'The export did not start.' },
        ...places.map((bytes) => ({
          cut: async () => relay.cutAfter(bytes, 'manifest=true'),
          says: 'The export ended early and was discarded. There is no file.',
        })),
      ]
      for (const { cut, says } of points) {
        await settled(dialog)
        await cut()
        await startExport(dialog)
        await dialog.getByText(says).waitFor()
        assert.equal(await saveLink(dialog).count(), 0)
        assert.deepEqual(await storedFiles(page), [])
        await relay.resume(service.url)
      }
    })
})
