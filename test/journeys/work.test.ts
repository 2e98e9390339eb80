/** What waits for a user, in a real browser: approvals and the inbox, live in every tab. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
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

const createOrder = async (number: string): Promise<number> => {
  const created = await service.ask('POST', '/order', { body: { number, customer_id: 1 } })
  return created.json().id
}

const act = (id: number, action: string, values = {}) =>
  service.ask('POST', `/order/${id}/proceedToStep`, { body: { action, ...values } })

const linkOf = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name })

describe('approvals', () => {
  test('records that wait are listed, and after a decision the next one opens', async () => {
    for (const number of ['A-1', 'A-2']) await act(await createOrder(number), 'submit')
    const { page } = await openPage(browser, service, '/console')
    await linkOf(page, 'Approvals 2').click()
    await page.getByRole('heading', { name: 'A-1' }).waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'A-2' }).waitFor()
    await linkOf(page, 'Approvals 1').waitFor()
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await page.getByText('Nothing is waiting for your decision.').waitFor()
  })
})

describe('many approvals', () => {
  test('all are reached that the service gives at once, and no more are asked for', async () => {
    await service.database.pool.query(`
      INSERT INTO records."order" (number, customer_id, _step, _created_at, _updated_at)
      SELECT 'M-' || n, 1, 'review', now(), now() FROM generate_series(1, 1001) AS n`)
    const { page, reports } = await openPage(browser, service, '/console/-/approvals')
    const queue = page.getByRole('list', { name: 'Waiting for a decision' })
    const more = queue.getByRole('button', { name: 'More', exact: true })
    for (let shown = 100; shown < 1000; shown += 100) {
      await more.click()
      await queue.getByRole('checkbox').nth(shown).waitFor()
    }
    await more.waitFor({ state: 'detached' })
    assert.equal(await queue.getByRole('checkbox').count(), 1000)
    await service.database.pool.query(`DELETE FROM records."order" WHERE number LIKE 'M-%'`)
    assert.deepEqual(reports, [])
  })
})

describe('the inbox', () => {
  test('what is due says so until it is done', async () => {
    const id = await createOrder('D-1')
    const body = { description: 'Call Adria', assigne_id: 1, due_date: '2020-01-01 09:00:00' }
    const { id: taskId } = (await service.ask('POST', `/order/${id}/task`, { body })).json()
    const { page, reports } = await openPage(browser, service, '/console/-/inbox')
    const overdue = page.getByRole('button', { name: 'overdue' }).filter({ hasText: 'Call Adria' })
    await overdue.getByText(/^Due .* years ago$/).waitFor()
    await service.ask('PUT', `/order/${id}/${taskId}`, { body: { is_completed: true } })
    await page.reload()
    await overdue.waitFor()
    assert.equal(await overdue.getByText('years ago').count(), 0)
    assert.deepEqual(reports, [])
  })

  test('a notification comes by itself in every tab, and so does its number', async () => {
    const first = await openPage(browser, service, '/console/-/inbox')
    const second = await first.page.context().newPage()
    await second.goto(`${service.url}/console/customer`)
    await second.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
    const before = Number(
      (await service.ask('GET', '/api/notifications/count?status=unseen')).json().count,
    )
    await act(await createOrder('I-1'), 'submit')
    await linkOf(second, `Inbox ${before + 1}`).waitFor()
    await linkOf(first.page, `Inbox ${before + 1}`).waitFor()
    await first.page.getByRole('button', { name: 'Unread: I-1 moved on' }).click()
    // It stays where it was, as read, beside what it says and what it is about.
    await first.page.getByRole('button', { name: /^I-1 moved on/ }).waitFor()
    const opened = first.page.getByRole('region', { name: 'Notification' })
    await opened.getByRole('link', { name: 'Adria Metal' }).waitFor()
    await linkOf(second, before === 0 ? 'Inbox' : `Inbox ${before}`).waitFor()
    await first.page.getByRole('link', { name: 'Open the record' }).click()
    await first.page.getByRole('heading', { name: 'I-1' }).waitFor()
    assert.deepEqual(first.reports, [])
  })

  test('everything is marked as read, and taken back exactly', async () => {
    await act(await createOrder('I-2'), 'submit')
    await act(await createOrder('I-3'), 'submit')
    const { page } = await openPage(browser, service, '/console/-/inbox')
    await page.getByRole('button', { name: 'Unread: I-2 moved on' }).waitFor()
    await page.getByRole('button', { name: 'Unread: I-3 moved on' }).waitFor()
    const countOf = async () =>
      (await service.ask('GET', '/api/notifications/count?status=unseen')).json().count
    const before = await countOf()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await page.getByText('Nothing new.').waitFor()
    assert.equal(await countOf(), 0)
    await page.getByRole('button', { name: 'Undo: Mark all as read' }).click()
    await page.getByRole('button', { name: 'Unread: I-3 moved on' }).waitFor()
    assert.equal(await countOf(), before)
  })
})
