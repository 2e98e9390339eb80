/** Who is told of what and why, as administrators ask it in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolationsEverywhere, openPage, startBrowser } from '../../support/browser.ts'
import type { TestService } from '../../support/service.ts'
import { startTestWorker } from '../../support/worker.ts'
import { mailOf, startAdminService } from './an-admin-service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
  const worker = await startTestWorker(service)
  await service.ask('POST', '/order/1/proceedToStep', { body: { action: 'submit' } })
  await worker.settled()
})

const path = '/console/-/admin/explain'
const submitted = `${path}?entity=order&record=1&operation=proceedToStep&action=submit`

const askFor = async (page: Page, name: string) => {
  await page.getByRole('combobox', { name: 'Was this person notified?' }).fill(name)
  await page.getByRole('option', { name: `${name} Test` }).click()
}

describe('who is told', () => {
  test('is found within three clicks from a record, for what happened to it last', async () => {
    const { page, reports } = await openPage(browser, service, '/console/order/1')
    await page.getByRole('link', { name: 'Who was notified?' }).click()
    await page.getByRole('heading', { name: 'Action: Submit' }).first().waitFor()
    await askFor(page, 'Boris')
    await page.getByText('Boris Test is not notified: the user is blocked').waitFor()
    // Whom the same entry tells.
    await page.getByText('It notifies Ana Test (Approver, group Buyers)').waitFor()
    await page.getByRole('heading', { name: 'What was sent to Boris Test about' }).waitFor()
    await page.getByText('Nothing was sent to Boris Test by e-mail or webhook.').waitFor()
    await askFor(page, 'Gita')
    await page.getByText('Gita Test is not notified: their role may not read this record').waitFor()
    await askFor(page, 'Ana')
    await page.getByText('Ana Test is notified.').waitFor()
    await page.getByText('Approver, group Buyers', { exact: true }).waitFor()
    await page.getByText('Also by e-mail').waitFor()
    await page.getByText('Administrator asks.').waitFor()
    assert.deepEqual(reports, [])
  })

  test('is explained for every entry: its condition, its people, and what was sent', async () => {
    const { page } = await openPage(browser, service, submitted)
    await page.getByText('Does not apply: its condition is not met').waitFor()
    await page.getByText('Only if Total is at least 1,000.00').waitFor()
    await page.getByText('Notifications about something else').click()
    await page.getByText('Does not apply: about something else').waitFor()
    await page.getByText('Not notified: the user is blocked').waitFor()
    await page.getByRole('heading', { name: 'What was sent about this record' }).waitFor()
    await page.getByRole('link', { name: 'O-1 waits' }).click()
    await page.getByRole('heading', { name: 'O-1 waits' }).waitFor()
    await page.getByRole('link', { name: 'Who is notified, and why' }).click()
    await page.getByText('Ana Test is notified.').waitFor()
  })

  test('is asked by keys alone', async () => {
    const { page } = await openPage(browser, service, path)
    await page.getByText('Choose a record to see').waitFor()
    await page.getByRole('combobox', { name: 'Record' }).focus()
    await page.keyboard.type('nothing')
    await page.keyboard.press('Tab')
    await page.getByText('No record is called “nothing”.').waitFor()
    await page.getByRole('combobox', { name: 'Record' }).focus()
    await page.keyboard.type('O-1')
    // The entity follows from the record.
    await page.getByRole('option', { name: 'O-1 Order' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Action: Submit' }).first().waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Boris')
    await page.getByRole('option', { name: 'Boris Test' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Boris Test is not notified').waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Xenia')
    await page.keyboard.press('Tab')
    await page.getByRole('status').getByText('No person is called “Xenia”.').waitFor()
    await page.getByText('Boris Test is not notified').waitFor()
  })

  test('is asked of one person, record after record', async () => {
    const { page } = await openPage(browser, service, `${path}?user=3`)
    await page.getByRole('combobox', { name: 'Record' }).fill('O-1')
    await page.getByRole('option', { name: 'O-1' }).click()
    await page.getByText('Boris Test is not notified').waitFor()
  })

  test('is asked from a notification, too', async () => {
    const { page } = await openPage(browser, service, '/console/-/inbox')
    await page.getByRole('button', { name: 'New: Order O-1' }).click()
    await page.getByRole('link', { name: 'Why did I get this?' }).click()
    await page.getByRole('heading', { name: 'Who is notified' }).waitFor()
  })

  test('is nobody who is not named, and no answer for a record that does not exist', async () => {
    const { page } = await openPage(browser, service, `${submitted}&user=1`)
    await page.getByText('no notification that applies names this person.').waitFor()
    const why =
      'This person is in none of its groups: Buyers. None of its fields is this person: Approver.'
    await page.getByText(why).waitFor()
    await page.goto(`${service.url}${submitted.replace('record=1', 'record=99')}`)
    await page.getByText('There is no such page.').waitFor()
  })

  test('is offered to administrators alone', async () => {
    const refused: string[] = []
    const as = mailOf('Ana')
    const { page } = await openPage(browser, service, '/console/order/1', { as })
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    await page.getByRole('heading', { name: 'O-1' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Who was notified?' }).count(), 0)
    await page.goto(`${service.url}${submitted}`)
    await page.getByText('There is no such page.').waitFor()
    assert.deepEqual(refused, [])
  })
})

describe('axe finds nothing', () => {
  for (const [search, text] of [
    ['', 'Not notified: the user is blocked'],
    ['&user=3', 'Boris Test is not notified'],
  ] as const)
    test(`who is told, “${text}”, light and dark, 320, 768 and 1440 pixels`, async () => {
      const { page } = await openPage(browser, service, `${submitted}${search}`)
      const shown = page.getByText(text)
      assert.deepEqual(await findViolationsEverywhere(page, () => shown.waitFor()), [])
    })
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
