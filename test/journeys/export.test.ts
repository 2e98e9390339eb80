/** The export of a list in a real browser: a whole file of it or none, wherever it breaks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opened } from '../support/afterwards.ts'
import { startRelay } from '../support/relay.ts'
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
} from './an-export-page.ts'

const service = opened(() => startOrders())

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
    const { exportFormat } = (await service.ask('GET', '/console/-/settings.json')).json()
    assert.equal(exportFormat, 'parquet', 'The next one begins with it.')
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
    await dialog.getByLabel('CSV form').selectOption('excel-en-gb')
    await dialog.getByRole('button', { name: 'As defined for exports' }).click()
    await startExport(dialog)
    const { bytes } = await saveFile(page, dialog)
    assert.ok(bytes.equals(await exportOf('format=csv&dialect=excel-en-gb', { $where: filter })))
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

test('an export of all records', async (context) => {
  const relay = await startRelay(service.url)
  const shown = { columns: ['number', 'customer.name', 'notes'] }
  const { page, dialog } = await openExport({ ...service, url: relay.url }, shown)

  await context.test('is stopped by a user, and the service stops too', async () => {
    // What the buffers of the connections take would be sent without anybody reading it.
    relay.holdAfter(50_000, 'manifest=true')
    const begun = page.waitForResponse((response) => response.url().includes('manifest=true'))
    await startExport(dialog)
    const id = (await (await begun).allHeaders())['x-request-id']
    await dialog.getByRole('button', { name: 'Stop the export' }).click()
    await dialog.getByText('The export was stopped. There is no file.').waitFor()
    await until('the export is cancelled', async () => {
      const run = await service.ask('GET', `/api/exports/${id}`)
      return run.status === 200 && run.json().state === 'cancelled'
    })
    await relay.resume(service.url)
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
