/** The export of a list in a real browser: a whole file, or none, wherever it breaks. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openPage, startBrowser } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import { startRelay } from '../support/relay.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import {
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

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders()
  browser = await startBrowser()
  for (const role of ['reader', 'clerk']) await createUser(service, role)
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
  const columns = ['number', 'customer.name', 'total', 'notes']
  const { page, dialog, reports } = await openExport(browser, service, { where: filter, columns })
  const expected = await exportOf('format=csv', { $where: filter, $select: columns })
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
  })
  assert.deepEqual(reports, [])
})

test('words that are searched narrow it too, and lines for a shell say the same', async () => {
  const { page, dialog } = await openExport(browser, service, {
    ...{ words: 'O-000007', where: { number: { $ne: "it's" } }, columns: ['number'] },
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

test('a role that may not export sees no button', async () => {
  const { page } = await openPage(browser, service, '/console/order', { as: 'reader@example.com' })
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
  assert.match(header, /^"?ID"?,Number/i)
  assert.doesNotMatch(header, /Total/)
  await startExport(dialog)
  await dialog.getByText('Complete and checked: 0 records').waitFor()
})

test('an export of all records', async (context) => {
  const relay = await startRelay(service.url)
  const columns = ['number', 'customer.name']
  const { page, dialog } = await openExport(browser, { ...service, url: relay.url }, { columns })

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
    ['own', [50_000, 1_000_000, 3_000_000, 5_000_000]],
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

test('the export of a list that breaks', async (context) => {
  const columns = ['number', 'notes']
  const { page, dialog } = await openExport(browser, service, { where: filter, columns })
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
      `is discarded where the service says so, or says nothing: ${at}`,
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

  await context.test('is not begun where the service refuses it, and says why', async () => {
    await page.route('**/order/export?*', (route) =>
      route.fulfill({ status: 422, json: { detail: 'A cell is too long.' } }),
    )
    await startExport(dialog)
    await dialog.getByText('The export did not start. A cell is too long.').waitFor()
    await page.unroute('**/order/export?*')
  })

  await context.test('is removed at the next start if a crash has left it', async () => {
    await startExport(dialog)
    await saveLink(dialog).waitFor()
    assert.equal((await storedFiles(page)).length, 1)
    // Another tab does not take it away from this one.
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('gridcell').first().waitFor()
    assert.equal((await storedFiles(page)).length, 1)
    await page.close()
    await other.reload()
    await until('the file is removed', async () => (await storedFiles(other)).length === 0)
  })
})
