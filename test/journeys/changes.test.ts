/** What others change while a list is open in several tabs: the stream of one of them tells all. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  const body = { number: 'C-1', customer_id: 1, total: '1.00' }
  assert.equal((await service.ask('POST', '/order', { body })).status, 201)
})

test('several tabs share one connection, whichever of them shows the list', async () => {
  const { page } = await openPage(browser, service, '/console/-/inbox')
  await page.waitForFunction(async () => (await navigator.locks.query()).held?.length === 1)
  const other = await page.context().newPage()
  const streams: string[] = []
  other.on('request', (request) => {
    if (request.url().includes('/stream')) streams.push(request.url())
  })
  const watched = page.waitForResponse((response) => response.url().includes('watch=order'))
  await other.goto(`${service.url}/console/order`)
  await other.getByRole('gridcell', { name: 'C-1', exact: true }).waitFor()
  await watched
  const changed = await service.ask('PATCH', '/order/1', { body: { total: '55.00' } })
  assert.equal(changed.status, 200, changed.text)
  await other.getByText('55.00').waitFor()
  assert.deepEqual(streams, [])
})
