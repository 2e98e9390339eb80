/** Approvals and the inbox where there is no room for a list and what is open of it beside each other. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { startTestWorker } from '../support/worker.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  await startTestWorker(service)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
})

let number = 0
const submitOrders = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left--) {
    number += 1
    const body = { number: `T-${number}`, customer_id: 1, notes: 'Ring twice' }
    const { id } = (await service.ask('POST', '/order', { body })).json()
    await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
  }
}

const queueOf = (page: Page) => page.getByRole('list', { name: 'Waiting for a decision' })
const recordOf = (page: Page) => page.getByRole('region', { name: 'Record to decide on' })

/** Nothing is printed over something else: what is not shown has no box. */
const assertAlone = async (shown: ReturnType<typeof queueOf>, other: typeof shown) => {
  await shown.waitFor()
  assert.equal(await other.count(), 0)
}

describe('on a narrow screen', () => {
  for (const width of [320, 768])
    test(`the queue leads to a record, its actions and back, ${width} pixels`, async () => {
      await submitOrders(8)
      const { page, reports } = await openPage(browser, service, '/console/-/approvals', {
        viewport: { width, height: 640 },
      })
      await assertAlone(queueOf(page), recordOf(page))
      assert.equal(await queueOf(page).locator('[aria-current]').count(), 0, 'nothing is chosen')
      const item = queueOf(page).getByRole('button').nth(5)
      const title = (await item.locator('[dir=auto]').first().textContent()) ?? ''
      await item.scrollIntoViewIfNeeded()
      await item.click()
      await assertAlone(recordOf(page), queueOf(page))
      await recordOf(page).getByRole('heading', { name: title, exact: true }).waitFor()
      const approve = page.getByRole('button', { name: 'Approve', exact: true })
      await approve.waitFor()
      assert.deepEqual(await findViolations(page), [])
      // Back by the browser, and by the page; the item that was opened has the focus again.
      await page.goBack()
      await assertAlone(queueOf(page), recordOf(page))
      await queueOf(page).locator(':focus').getByText(title, { exact: true }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Approvals', exact: true }).click()
      await assertAlone(queueOf(page), recordOf(page))
      assert.deepEqual(reports, [])
    })

  test('the actions stand at the bottom of a short record, and the next one follows', async () => {
    await submitOrders(2)
    const height = 2400
    const { page } = await openPage(browser, service, '/console/-/approvals', {
      viewport: { width: 390, height },
    })
    await queueOf(page).getByRole('button').first().click()
    const approve = page.getByRole('button', { name: 'Approve', exact: true })
    const bar = page.getByRole('navigation', { name: 'Quick navigation' })
    await approve.waitFor()
    const [action, navigation] = [await approve.boundingBox(), await bar.boundingBox()]
    assert.ok(action && navigation)
    const gap = navigation.y - (action.y + action.height)
    assert.ok(gap >= 0 && gap < 20, `${gap}`)
    const before = await recordOf(page).getByRole('heading', { level: 1 }).textContent()
    await approve.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await recordOf(page)
      .getByRole('heading', { level: 1 })
      .filter({ hasNotText: before ?? '' })
      .waitFor()
  })

  test('a notification has the page for itself', async () => {
    await submitOrders(1)
    const { page, reports } = await openPage(browser, service, '/console/-/inbox', {
      viewport: { width: 320, height: 640 },
    })
    const title = `T-${number} moved on`
    await page.getByRole('button', { name: `Unread: ${title}` }).click()
    const message = page.getByRole('region', { name: 'Notification' })
    await message.getByRole('heading', { name: title }).waitFor()
    assert.equal(await page.getByRole('button', { name: title }).count(), 0)
    await page.getByRole('button', { name: 'Inbox', exact: true }).click()
    await message.waitFor({ state: 'detached' })
    assert.deepEqual(reports, [])
  })
})
