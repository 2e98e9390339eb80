/** What was sent and what failed, as administrators see it in a real browser. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { findViolationsEverywhere, openPage, startBrowser } from '../../support/browser.ts'
import { queueFor, removeMailings } from '../../support/deliveries/a-mailing.ts'
import type { TestService } from '../../support/service.ts'
import { mailOf, startAdminService } from './an-admin-service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
})

const statusOf = async (userId: number) =>
  (await service.ask('GET', `/api/deliveries?user=${userId}`)).json().data[0].status

beforeEach(async () => {
  await removeMailings(service)
  await queueFor(service, [1, 2, 4])
  await service.database.pool.query(
    `UPDATE docket.delivery SET status = 'dead', tries = 8, last_error = '550 no such user' WHERE user_id = 2;
     UPDATE docket.delivery SET status = 'failed', tries = 1, last_error = '450 later' WHERE user_id = 4`,
  )
})

const path = '/console/-/admin/deliveries'

describe('deliveries', () => {
  test('are shown by status with the numbers of the service, and tried again together', async () => {
    const { page, reports } = await openPage(browser, service, '/console')
    await page.getByText('Administration').click()
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('radio', { name: 'Given up 1' }).check({ force: true })
    await page.getByRole('row', { name: '550 no such user' }).waitFor()
    assert.match(page.url(), /status=dead/)
    await page.getByRole('button', { name: 'Try 1 again now' }).click()
    await page.getByText('1 will be tried again.').waitFor()
    await page.getByRole('radio', { name: 'Given up 0' }).waitFor()
    assert.equal(await statusOf(2), 'queued')
    assert.equal(await statusOf(4), 'failed')
    assert.deepEqual(reports, [])
  })

  test('of very many sent ones it is said that there are more than were counted', async () => {
    await service.database.pool.query(
      `INSERT INTO docket.delivery (mailing_id, user_id, notification_id, status)
       SELECT m.id, 1000 + n, gen_random_uuid(), 'sent' FROM docket.mailing m, generate_series(1, 10001) n
       WHERE m.id = (SELECT max(id) FROM docket.mailing)`,
    )
    const { page } = await openPage(browser, service, path)
    await page.getByRole('radio', { name: 'Sent more than 10,000' }).waitFor()
    await page.getByRole('radio', { name: 'Given up 1' }).waitFor()
  })

  test('are selected and tried again by keys alone', async () => {
    const { page } = await openPage(browser, service, path)
    const first = page.getByRole('checkbox').first()
    await first.waitFor()
    assert.equal(await page.getByRole('checkbox').count(), 2, 'A queued one cannot be selected.')
    await first.focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Try again now' }).press('Enter')
    await page.getByText('2 will be tried again.').waitFor()
    assert.deepEqual([await statusOf(2), await statusOf(4)], ['queued', 'queued'])
  })

  test('are found by words of their address', async () => {
    const { page } = await openPage(browser, service, path)
    await page.getByRole('searchbox', { name: 'Find by address or subject' }).fill('ana@exam')
    await page.getByText('450 later').waitFor({ state: 'detached' })
    await page.getByRole('radio', { name: 'Given up 1' }).waitFor()
    await page.waitForURL(/q=ana%40exam/)
    await page.reload()
    await page.getByText('550 no such user').waitFor()
    assert.equal(await page.getByText('450 later').count(), 0)
  })

  test('are narrowed down to a recipient, and to a record by its address', async () => {
    const { page } = await openPage(browser, service, path)
    await page.getByRole('combobox', { name: 'Recipient' }).fill('Ana')
    await page.getByRole('option', { name: 'Ana Test' }).click()
    await page.getByRole('radio', { name: 'Queued 0' }).waitFor()
    await page.getByText('450 later').waitFor({ state: 'detached' })
    await page.goto(`${service.url}${path}?entity=order&record=99`)
    await page.getByText('No delivery matches.').waitFor()
    await page.getByRole('button', { name: 'Remove the filter Record: Order 99' }).click()
    await page.getByText('450 later').waitFor()
  })

  test('one of them shows its message in a frame without scripts, its text and its headers', async () => {
    const { page, reports } = await openPage(browser, service, `${path}?status=queued`)
    await page.getByRole('row').getByRole('link', { name: 'No subject' }).click()
    await page.getByText('Not stored as sent').waitFor()
    const frame = page.locator('iframe')
    assert.equal(await frame.getAttribute('sandbox'), '')
    await page.frameLocator('iframe').locator('body').waitFor()
    await page.getByRole('radio', { name: 'Headers' }).check({ force: true })
    await page.getByText('List-Unsubscribe').waitFor()
    await page.getByRole('link', { name: 'Order 1' }).click()
    await page.getByRole('heading', { name: 'O-1' }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('a failed one shows why, and is sent again', async () => {
    const { page } = await openPage(browser, service, `${path}?status=dead`)
    await page.getByRole('row').getByRole('link', { name: 'No subject' }).click()
    await page.getByText('550 no such user').waitFor()
    await page.getByRole('button', { name: 'Try again now' }).click()
    await page.getByText('Queued').waitFor()
    assert.equal(await statusOf(2), 'queued')
  })

  test('one whose message cannot be composed says why, beside everything else', async () => {
    await removeMailings(service)
    // Boris is blocked.
    await queueFor(service, [3])
    const { page } = await openPage(browser, service, path)
    await page.getByRole('row').getByRole('link', { name: 'No subject' }).click()
    await page.getByText('The recipient may not use the service any more.').waitFor()
    await page.getByText(mailOf('Boris')).waitFor()
    await page.getByRole('link', { name: 'Boris Test' }).waitFor()
  })

  test('that nobody has, and a service that is away, are said so', async () => {
    const { page } = await openPage(browser, service, `${path}/999999`)
    await page.getByText('There is no such page.').waitFor()
    await removeMailings(service)
    await page.goto(`${service.url}${path}`)
    await page.getByText('Nothing has been sent yet.').waitFor()
    await page.route('**/api/deliveries?*', (route) => route.abort())
    await page.goto(`${service.url}${path}?status=sent`)
    await page.getByText('The service does not answer.').waitFor({ timeout: 60_000 })
  })
})

test('a lesser role is not offered the administration, and is refused nothing', async () => {
  const refused: string[] = []
  const { page } = await openPage(browser, service, '/console/customer', { as: mailOf('Ana') })
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  await page.getByRole('link', { name: 'Inbox' }).waitFor()
  assert.equal(await page.getByText('Administration').count(), 0)
  await page.goto(`${service.url}${path}`)
  await page.getByText('There is no such page.').waitFor()
  assert.deepEqual(refused, [])
})

describe('axe finds nothing', () => {
  test('deliveries and one of them, light and dark, 320, 768 and 1440 pixels', async () => {
    const { page } = await openPage(browser, service, `${path}?status=dead`)
    const listed = page.getByText('550 no such user')
    assert.deepEqual(await findViolationsEverywhere(page, () => listed.waitFor()), [])
    await page.getByRole('link', { name: 'No subject' }).click()
    const shown = page.getByText('Not stored as sent')
    assert.deepEqual(await findViolationsEverywhere(page, () => shown.waitFor()), [])
  })
})
