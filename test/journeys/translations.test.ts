/** The console in a real browser shows the words of the definitions in the language of its user. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { loadSeeds } from '../../src/seeding/load-seeds.ts'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { copyExample, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await copyExample())
  const { project, database, ask } = service
  await loadSeeds({ pool: database.pool, project, timeZone: 'UTC' })
  const drafts = { $where: { _step: 'draft', total_eur: { $lt: '10000' } }, $select: ['id'] }
  const found = await ask('POST', '/purchase_order/search?limit=1', { body: drafts })
  const { id } = found.json().data[0]
  await ask('POST', `/purchase_order/${id}/proceedToStep`, { body: { action: 'submit' } })
  browser = await startBrowser()
})

const open = (path: string, locale = 'de-DE') => openPage(browser, service, path, { locale })

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

const isClean = async (page: Page, reports: readonly string[]) => {
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(reports, [])
}

test('the menu of the user has the German name of the role, as has the choice of another user', async () => {
  const { page, reports } = await open('/console/supplier')
  const menu = (role: string) => page.locator('.user-menu button[popovertarget]', { hasText: role })
  await menu('Administrator').click()
  await page.getByRole('menuitem', { name: 'Als andere Person handeln' }).click()
  const choice = page.getByRole('dialog').getByRole('button', { name: /Genehmigung/ })
  await isClean(page, reports)
  await choice.first().click()
  await menu('Genehmigung').waitFor()
  await page
    .getByRole('region', { name: 'Im Namen einer anderen Person' })
    .getByText('Genehmigung')
    .waitFor()
  assert.deepEqual(reports, [])
})

test('approvals name steps and actions in German', async () => {
  const { page, reports } = await open('/console/-/approvals')
  await page.getByText('Bestellung · In Prüfung').first().waitFor()
  await page
    .getByRole('button', { name: /^Genehmigen/ })
    .first()
    .waitFor()
  await isClean(page, reports)
})

test('an export dialog shows the heads and choices that its German file will have', async () => {
  const { page, reports } = await open('/console/supplier')
  await heading(page, 'Lieferanten')
  await page.getByRole('button', { name: 'Exportieren' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('columnheader', { name: 'Warengruppe' }).waitFor()
  await dialog.getByRole('cell', { name: 'Verbindungselemente' }).first().waitFor()
  await dialog.locator('summary').last().click()
  const line = (name: string) => dialog.getByLabel(name, { exact: true }).inputValue()
  assert.match(await line('curl'), / -H 'Accept-Language: de-DE' /)
  assert.match(await line('docket export'), / --names --language de-DE /)
  await isClean(page, reports)
})

test('what is shown is read anew when the user chooses another language', async () => {
  const { page, reports } = await open('/console/-/settings', 'en-GB')
  await page.getByRole('link', { name: 'Purchase orders', exact: true }).waitFor()
  await page.getByLabel('Language').selectOption('Deutsch')
  const link = page.getByRole('link', { name: 'Bestellungen', exact: true })
  await link.waitFor()
  await link.click()
  await heading(page, 'Bestellungen')
  // The browser's own language is another one, and the choice stays.
  await page.reload()
  await heading(page, 'Bestellungen')
  await page.getByRole('columnheader', { name: 'Lieferant' }).first().waitFor()
  await isClean(page, reports)
})
