/** Acting as somebody else in a real browser: every page says so, and the history names who really acted. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { startTestWorker } from '../support/worker.ts'
import { mailOf, startAdminService } from './admin/an-admin-service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
})

/** Opens the console as the administrator, who becomes Ana. */
const openAsAna = async () => {
  const opened = await openPage(browser, service, '/console/-/admin/roles/clerk')
  const { page } = opened
  await page
    .getByRole('row', { name: 'Ana Test' })
    .getByRole('button', { name: 'Act as this user' })
    .click()
  const said = page.getByRole('region', { name: 'Acting as somebody else' })
  await said.getByText('You act as Ana Test').waitFor()
  return { ...opened, said }
}

/** Sends a request of the page, with the cookie of its session. */
const post = (page: Page, path: string, body: object): Promise<{ id: number }> =>
  page.evaluate(
    async ([address, text]) => {
      const headers = { 'Content-Type': 'application/json' }
      const reply = await fetch(address, { method: 'POST', headers, body: text })
      return (await reply.json()) as { id: number }
    },
    [path, JSON.stringify(body)] as const,
  )

const said = {
  'en-GB': ['History', 'Ana Test (acting: Administrator)'],
  'de-DE': ['Verlauf', 'Ana Test (handelnd: Administrator)'],
  'hr-HR': ['Povijest', 'Ana Test (djeluje: Administrator)'],
} as const

test('the history and the approvals name who really acted, in three languages', async () => {
  const { page } = await openAsAna()
  const { id } = await post(page, '/order', { number: 'O-2', customer_id: 1, total: '7.00' })
  await post(page, `/order/${id}/proceedToStep`, { action: 'submit' })
  for (const [locale, [title, author]] of Object.entries(said)) {
    const path = `/console/order/${id}`
    const { page: read, reports } = await openPage(browser, service, path, { locale })
    const history = read.getByRole('complementary', { name: title })
    await history.getByText(author).nth(1).waitFor()
    assert.equal(await history.getByText(author).count(), 2)
    assert.deepEqual(await findViolations(read), [])
    assert.deepEqual(reports, [])
  }
  const { page: approvals } = await openPage(browser, service, '/console/-/approvals')
  await approvals.getByText('Ana Test (acting: Administrator)').first().waitFor()
  const [entry] = (await service.ask('GET', `/order/${id}/history`)).json().data
  assert.deepEqual([entry.user.id, entry.acting_user.id], [2, 1])
})

test('a page says so in a browser that keeps nothing, also after a second user, with the way back', async () => {
  const opened = await openAsAna()
  const { page } = opened
  await post(page, '/console/-/session', { user_id: 4 })
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await opened.said.getByText('You act as Gita Test').waitFor()
  await opened.said.getByRole('button', { name: 'Back to Administrator' }).click()
  await page.getByText('Administration').waitFor()
  assert.equal(await opened.said.count(), 0)
})

test('whoever is notified reads the user as whom it was done', async () => {
  const worker = await startTestWorker(service)
  const { page } = await openAsAna()
  const { id } = await post(page, '/order', { number: 'O-3', customer_id: 1 })
  await post(page, `/order/${id}/proceedToStep`, { action: 'submit' })
  await worker.settled()
  const { page: inbox } = await openPage(browser, service, '/console/-/inbox', {
    as: mailOf('Ana'),
  })
  await inbox.getByText('O-3 waits').waitFor()
  await inbox.getByRole('button', { name: /O-3 waits Ana Test asks\./ }).waitFor()
  // Administrators read in the list of what was sent who caused it.
  const { page: sent } = await openPage(browser, service, '/console/-/admin/deliveries')
  const row = sent.getByRole('row', { name: /O-3 waits/ }).first()
  await row.getByText('Ana Test (acting: Administrator)').waitFor()
  const { page: record } = await openPage(browser, service, `/console/order/${id}?by=1`)
  const history = record.getByRole('complementary', { name: 'History' })
  await history.getByText('Ana Test (acting: Administrator)').nth(1).waitFor()
  const person = history.getByRole('combobox', { name: 'Show changes by' })
  assert.equal(await person.locator('option:checked').textContent(), 'Administrator')
})

const words = {
  choose: 'Als andere Person handeln',
  allWindows: 'Als andere Person zu handeln gilt für alle Fenster dieses Browsers.',
  acts: 'Sie handeln jetzt als Ana Test: in einem anderen Fenster gewechselt.',
  back: 'Zurück zu Administrator',
  signedIn: 'Sie sind jetzt als Administrator angemeldet: in einem anderen Fenster gewechselt.',
  close: 'Schließen',
} as const

test('the choice of a person says that all windows change, and the others say who did it', async () => {
  const { page, reports } = await openPage(browser, service, '/console/customer', {
    locale: 'de-DE',
  })
  const other = await page.context().newPage()
  await other.goto(`${service.url}/console/order`)
  await other.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Administrator', exact: true }).click()
  await page.getByRole('menuitem', { name: words.choose }).click()
  const dialog = page.getByRole('dialog', { name: words.choose })
  await dialog.getByText(words.allWindows).waitFor()
  await dialog.getByText('npm run docket -- login', { exact: true }).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await dialog.getByRole('button', { name: /^Ana Test/ }).click()

  const note = other.getByRole('alert')
  await note.getByText(words.acts, { exact: true }).waitFor()
  assert.deepEqual(await findViolations(other), [])
  await other.getByRole('button', { name: words.back }).click()
  await page.getByRole('alert').getByText(words.signedIn, { exact: true }).waitFor()
  // Who changed it knows it.
  await other.getByRole('button', { name: 'Administrator', exact: true }).waitFor()
  assert.equal(await note.count(), 0)

  await page.getByRole('button', { name: words.close }).click()
  assert.equal(await page.getByRole('alert').count(), 0)
  assert.equal(await page.evaluate('document.activeElement?.tagName'), 'MAIN')
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  assert.deepEqual(reports, [])
})
