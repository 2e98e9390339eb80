/** Inputs of moments in a real browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, writeProject } from '../support/service.ts'
import { orderProject } from '../support/console/an-order-project.ts'

test('a moment shows seconds and parts of one only if it has them, and is saved as it was', async () => {
  const service = await startTestService(await writeProject(orderProject))
  const browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  await service.ask('POST', '/order', { body: { number: 'M-1', customer_id: 1 } })
  const moments = [
    '2026-05-04T08:30:00.000Z',
    '2026-05-04T08:30:15.000Z',
    '2026-05-04T08:30:15.251Z',
  ]
  const shown = ['10:30', '10:30:15', '10:30:15.251']
  for (const [at, sentAt] of moments.entries()) {
    await service.ask('PATCH', '/order/1', { body: { sent_at: sentAt } })
    const { page } = await openPage(browser, service, '/console/order/1')
    const input = page.getByLabel('Sent at', { exact: true })
    await page.getByText('M-1').first().waitFor()
    assert.equal(await input.inputValue(), `4 May 2026, ${shown[at]}`)
    await input.press('ArrowUp')
    await page.getByText('1 change is not saved').waitFor()
    await input.press('ArrowDown')
    await page.getByText('1 change is not saved').waitFor({ state: 'detached' })
    await page.getByLabel('Quantity').fill(`${at + 1}`)
    await page.keyboard.press('Control+s')
    await page.getByText('1 change is not saved').waitFor({ state: 'detached' })
    const record = (await service.ask('GET', '/order/1')).json()
    assert.deepEqual([record.sent_at, record.quantity], [sentAt, at + 1])
    await page.context().close()
  }
})
