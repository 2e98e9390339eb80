/** What administrators do in a real browser: they act as another user, which the history says, and read caught e-mails. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { opened } from '../../support/afterwards.ts'
import { findViolations, openPage } from '../../support/browser.ts'
import { catchMail } from '../../support/console/catch-mail.ts'
import { startTestWorker } from '../../support/worker.ts'
import { mailOf, startAdminService } from './an-admin-service.ts'

const mailPath = '/console/-/admin/mail'
const html =
  '<body><h1>O-1 waits</h1><script>document.body.append("It ran")</script><form><button>Press</button></form></body>'

const service = opened(() => startAdminService())
before(async () => {
  await catchMail(service, mailOf('Ana'), html)
})

test('another user is acted as, which every page says with the way back', async () => {
  const { page } = await openPage(service, '/console/-/admin/users?role=clerk')
  await page.setViewportSize({ width: 1024, height: 480 })
  // However long the navigation is.
  const user = page.getByRole('button', { name: 'Administrator' })
  const { y = 480, height = 0 } = (await user.boundingBox()) ?? {}
  assert.ok(y + height <= 480)
  await actAsAna(page)
  const navigation = page.getByRole('navigation')
  await navigation.getByText('Ana Test').waitFor()
  assert.equal(await page.getByText('Administration').count(), 0)
  await navigation.getByRole('link', { name: 'Customer' }).click()
  await page.getByRole('grid').waitFor()
  await actingAs(page, 'Ana Test').waitFor()
  assert.deepEqual(await findViolations(page), [])
  // Lesser roles find no caught e-mails.
  await page.goto(`${service.url}${mailPath}`)
  await page.getByText('There is no such page.').waitFor()
  assert.deepEqual(await findViolations(page), [])
  // Also in a browser that keeps nothing, and after a second user.
  await post(page, '/console/-/session', { user_id: 4 })
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await actingAs(page, 'Gita Test').waitFor()
  await page.getByRole('button', { name: 'Back to Administrator' }).press('Enter')
  await user.waitFor()
  await page.getByText('Administration').waitFor()
  assert.equal(await actingAs(page, '').count(), 0)
})

/** Becomes Ana on the page of her role. */
const actAsAna = async (page: Page): Promise<void> => {
  const row = page.getByRole('row', { name: 'Ana Test' })
  await row.getByRole('button', { name: 'Act as this user' }).click()
  await actingAs(page, 'Ana Test').waitFor()
}

const actingAs = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Acting as another user' }).getByText(`You act as ${name}`)

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

const words = {
  choose: 'Als andere Person handeln',
  allWindows: 'Als andere Person zu handeln gilt für alle Fenster dieses Browsers.',
  acts: 'Sie handeln jetzt als Ana Test: in einem anderen Fenster gewechselt.',
  back: 'Zurück zu Administrator',
  signedIn: 'Sie sind jetzt als Administrator angemeldet: in einem anderen Fenster gewechselt.',
  close: 'Schließen',
} as const

test('what an administrator does as another user', async (context) => {
  const worker = await startTestWorker(service)
  const { page } = await openPage(service, '/console/-/admin/users?role=clerk')
  await actAsAna(page)
  const { id } = await post(page, '/order', { number: 'O-2', customer_id: 1 })
  await post(page, `/order/${id}/proceedToStep`, { action: 'submit' })
  await page.getByRole('button', { name: 'Back to Administrator' }).click()
  await page.getByText('Administration').waitFor()

  await context.test('is told as done by that user, and named with who really acted', async () => {
    await worker.settled()
    const [entry] = (await service.ask('GET', `/order/${id}/history`)).json().data
    assert.deepEqual([entry.user.id, entry.acting_user.id], [2, 1])
    const author = 'Ana Test (acting: Administrator)'
    await page.goto(`${service.url}/console/order/${id}?by=1`)
    const history = page.getByRole('complementary', { name: 'History' })
    await history.getByText(author).nth(1).waitFor()
    const person = history.getByRole('combobox', { name: 'Show changes by' })
    assert.equal(await person.locator('option:checked').textContent(), 'Administrator')
    await page.goto(`${service.url}/console/-/approvals`)
    await page.getByText(author).first().waitFor()
    await page.goto(`${service.url}/console/-/admin/deliveries`)
    await page
      .getByRole('row', { name: /O-2 waits/ })
      .first()
      .getByText(author)
      .waitFor()
    const theirs = await openPage(service, '/console/-/inbox', { as: mailOf('Ana') })
    await theirs.page.getByRole('button', { name: /O-2 waits Ana Test asks\./ }).waitFor()
  })

  await context.test('begins in all windows, of which the others say who did it', async () => {
    const path = `/console/order/${id}`
    const german = await openPage(service, path, { locale: 'de-DE' })
    const { page: chosen, reports } = german
    const history = chosen.getByRole('complementary', { name: 'Verlauf' })
    await history.getByText('Ana Test (handelnd: Administrator)').nth(1).waitFor()
    const other = await chosen.context().newPage()
    await other.goto(`${service.url}/console/order`)
    await other.getByRole('heading', { level: 1 }).waitFor()
    await chosen.getByRole('button', { name: 'Administrator', exact: true }).click()
    await chosen.getByRole('menuitem', { name: words.choose }).click()
    const dialog = chosen.getByRole('dialog', { name: words.choose })
    await dialog.getByText(words.allWindows).waitFor()
    await dialog.getByText('npm run docket -- login', { exact: true }).waitFor()
    assert.deepEqual(await findViolations(chosen), [])
    await dialog.getByRole('button', { name: /^Ana Test/ }).click()
    const note = other.getByRole('alert')
    await note.getByText(words.acts, { exact: true }).waitFor()
    assert.deepEqual(await findViolations(other), [])
    await other.getByRole('button', { name: words.back }).click()
    await chosen.getByRole('alert').getByText(words.signedIn, { exact: true }).waitFor()
    // Who changed it knows it.
    await other.getByRole('button', { name: 'Administrator', exact: true }).waitFor()
    assert.equal(await note.count(), 0)
    await chosen.getByRole('button', { name: words.close }).click()
    assert.equal(await chosen.getByRole('alert').count(), 0)
    assert.equal(await chosen.evaluate('document.activeElement?.tagName'), 'MAIN')
    await chosen.reload()
    await chosen.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await chosen.getByRole('alert').count(), 0)
    assert.deepEqual(reports, [])
  })
})

test('caught e-mails are listed and read; what is in them runs nothing, and others do not exist', async () => {
  const { page } = await openPage(service, '/console')
  await page.getByText('Administration').click()
  await page.getByRole('link', { name: 'Caught e-mails' }).click()
  await page.getByRole('link', { name: 'O-1 waits' }).press('Enter')
  await page.getByRole('heading', { name: 'O-1 waits', level: 1 }).waitFor()
  const frame = page.frameLocator('iframe')
  await frame.getByRole('heading', { name: 'O-1 waits' }).waitFor()
  assert.equal(await frame.getByText('It ran').count(), 0)
  await page.getByRole('radio', { name: 'Headers' }).check({ force: true })
  await page.getByText('Subject: O-1 waits').waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.deepEqual(await findViolations(page), [])
  await page.goto(`${service.url}${mailPath}/none.eml`)
  await page.getByText('There is no such page.').waitFor()
})
