/** The history of a record in a real browser: its filter in the address, and what was sent because of an entry. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { startTestWorker } from '../support/worker.ts'
import { mailOf, startAdminService } from './admin/an-admin-service.ts'
import { pressInTurn } from './keyboard/a-keyboard.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
  const worker = await startTestWorker(service)
  await service.ask('POST', '/order/1/proceedToStep', { body: { action: 'submit' } })
  await worker.settled()
  await service.ask('PATCH', '/order/1', {
    body: { notes: 'By the administrator', status: 'open', approver_id: 3 },
  })
  await service.ask('POST', '/order/1/task', { body: { description: 'Call Boreas' } })
})

const openHistory = async (search = '', options: Parameters<typeof openPage>[3] = {}) => {
  const opened = await openPage(browser, service, `/console/order/1${search}`, options)
  const history = opened.page.getByRole('complementary', { name: 'History' })
  await history.getByRole('listitem').first().waitFor()
  return { ...opened, history }
}

test('it is filtered by field and by person, by keys alone, and the address says how', async () => {
  const { page, history, reports } = await openHistory()
  await history.getByText('Draft → In review').waitFor()
  await history.getByText('Status: – Open', { exact: true }).waitFor()
  await history.getByText('Approver: Ana Test Boris Test', { exact: true }).waitFor()
  const fields = history.getByRole('combobox', { name: 'Show changes of' })
  await fields.focus()
  // The browser finds an option by letters that come within a second of each other.
  await pressInTurn(page, ...'Notes')
  await history.getByText('Draft → In review').waitFor({ state: 'detached' })
  await history.getByText('Notes: – By the administrator').waitFor()
  assert.match(page.url(), /field=notes/)
  await page.reload()
  await history.getByText('Notes: – By the administrator').waitFor()
  await fields.selectOption('Tasks')
  await history.getByText('created a task').waitFor()
  await history.getByText('Description: Call Boreas').waitFor()
  await page.goto(`${service.url}/console/order/1?by=2&field=serial`)
  await history.getByText('Nothing found.').waitFor()
  assert.deepEqual(reports, [])
})

test('administrators see who was sent what, and when', async () => {
  const { history, page } = await openHistory()
  const sent = history.getByRole('list', { name: 'What was sent about this record' }).first()
  await sent.getByText('Ana Test').waitFor()
  await sent.getByRole('link', { name: 'O-1 waits' }).first().waitFor()
  assert.match(String(await sent.textContent()), /E-mail · (Queued|Sent)/)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await findViolations(page), [])
  }
  await sent.getByRole('link', { name: 'O-1 waits' }).first().press('Enter')
  await page.getByRole('heading', { name: 'O-1 waits' }).waitFor()
})

test('whoever reads a record sees who was notified, by which channel and when, and asks for nothing else', async () => {
  const asked: string[] = []
  const refused: string[] = []
  const { page, reports } = await openPage(browser, service, '/console/-/inbox', {
    as: mailOf('Ana'),
  })
  page.on('request', (request) => asked.push(request.url()))
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
  })
  await page.goto(`${service.url}/console/order/1`)
  const history = page.getByRole('complementary', { name: 'History' })
  await history.getByText('Draft → In review').waitFor()
  const notified = history.getByRole('list', { name: 'Notified of this' }).first()
  await notified.getByText('Ana Test').waitFor()
  assert.match(String(await notified.textContent()), /E-mail.* · Console \d/)
  // By keys alone.
  await page.getByRole('button', { name: 'Actions' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Who was notified?' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Who was notified?' })
  await dialog.getByText('Draft → In review').waitFor()
  await dialog.getByText('Ana Test').first().waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(
    asked.filter((url) => url.includes('/api/deliveries')),
    [],
  )
  assert.deepEqual([refused, reports], [[], []])
})

test('what is longer than the page is scrolled by keys', async () => {
  for (let at = 1; at <= 30; at += 1)
    await service.ask('PATCH', '/order/1', { body: { notes: `Note ${at}` } })
  const { page } = await openPage(browser, service, '/console', { as: mailOf('Ana') })
  await page.setViewportSize({ width: 1440, height: 600 })
  await page.goto(`${service.url}/console/order/1`)
  const history = page.getByRole('complementary', { name: 'History' })
  await history.getByText('changed the record').first().waitFor()
  assert.deepEqual(await findViolations(page), [])
  await history.focus()
  await page.keyboard.press('End')
  await until('it is scrolled', () => page.evaluate('document.activeElement.scrollTop > 0'))
})
