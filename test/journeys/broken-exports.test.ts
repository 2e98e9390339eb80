/** Exports that break in a real browser: no file is offered, and none is left behind. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { startBrowser } from '../support/browser.ts'
import { startRelay } from '../support/relay.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import {
  openExport,
  saveLink,
  settled,
  startExport,
  startOrders,
  storedFiles,
  throttle,
} from './an-export-page.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startOrders()
  browser = await startBrowser()
})

const filter = { number: { $lte: 'O-000200' } }
// Bytes per second.
const slow = 1_000_000

describe('an export that is not whole', () => {
  // All places where it may break are tried with the storage that most browsers have.
  for (const [storage, places] of [
    ['own', [50_000, 1_000_000, 4_000_000, 8_000_000]],
    ['memory', [1_000_000]],
    ['chosen', [1_000_000]],
  ] as const)
    test(`wherever the connection breaks, no file is left or offered (${storage})`, async () => {
      const relay = await startRelay(service.url)
      const behind = { ...service, url: relay.url }
      const columns = ['number', 'notes']
      const { page, dialog } = await openExport(browser, behind, { columns, storage })
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

  test('a file that a crash has left is removed at the next start', async () => {
    const { page, dialog } = await openExport(browser, service, { where: filter })
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
    await dialog.getByText('It cannot be checked whether the file is complete').waitFor()
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
    await dialog.getByText('The export did not start. A cell is too long.').waitFor()
  })
})
