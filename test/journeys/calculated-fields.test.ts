/** Calculated fields in a real browser: up to date by themselves in every page that is open. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { opened } from '../support/afterwards.ts'
import { openPage } from '../support/browser.ts'
import { calculatedProject } from '../support/records/a-calculated-project.ts'
import { startTestService } from '../support/service.ts'

const service = opened(() => startTestService(calculatedProject))
before(async () => {
  await service.ask('POST', '/order', { body: { number: 'C-1', rate: '2' } })
  const body = { order_id: 1, code: 'C-1-1', quantity: 2, price: '5' }
  await service.ask('POST', '/line', { body })
})

test('a record shows them without an input, and what follows from a change, in every page that is open', async () => {
  const order = await openPage(service, '/console/order/1')
  const outputOf = (page: typeof order.page, name: string) =>
    page.locator(`[data-column="${name}"] output`)
  await outputOf(order.page, 'total_eur').getByText('20.00').waitFor()
  const { page, reports } = await openPage(service, '/console/line/1')
  await outputOf(page, 'amount').getByText('10.00').waitFor()
  await page.getByLabel('quantity').fill('3')
  await page.keyboard.press('Control+s')
  await outputOf(page, 'amount').getByText('15.00').waitFor()
  await outputOf(order.page, 'total_eur').getByText('30.00').waitFor()
  assert.deepEqual([...reports, ...order.reports], [])
})
