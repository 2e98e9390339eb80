/** Ways to the question who is told, and whom an action for many records would notify, in a real browser. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openPage, startBrowser } from '../../support/browser.ts'
import type { TestService } from '../../support/service.ts'
import { startTestWorker } from '../../support/worker.ts'
import { startAdminService } from './an-admin-service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
  const worker = await startTestWorker(service)
  await service.ask('POST', '/order/1/proceedToStep', { body: { action: 'submit' } })
  await worker.settled()
})

test('who is told is asked from a notification, too', async () => {
  const { page } = await openPage(browser, service, '/console/-/inbox')
  await page.getByRole('button', { name: 'New: Order O-1' }).click()
  await page.getByRole('link', { name: 'Why did I get this?' }).click()
  await page.getByRole('heading', { name: 'Who is notified' }).waitFor()
})

test('an action for many records says whom it would notify', async () => {
  for (let n = 1; n <= 6; n++)
    await service.ask('POST', '/order', { body: { number: `B-${n}`, customer_id: 1 } })
  const where = encodeURIComponent(JSON.stringify({ number: { $startsWith: 'B-' } }))
  const { page, reports } = await openPage(browser, service, `/console/order?w=${where}`)
  await page.getByRole('checkbox', { name: 'Select all that match' }).check()
  await page.getByRole('button', { name: 'Submit …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Submit: 6 records' })
  await dialog.getByRole('button', { name: 'Check' }).click()
  await dialog.getByText('Possible for 6 records.').waitFor()
  await dialog.getByText(/^Notifies Ana Test.* about 6 records/).waitFor()
  assert.deepEqual(reports, [])
})
