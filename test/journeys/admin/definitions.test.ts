/** Definitions and roles as administrators see them in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  findViolations,
  findViolationsEverywhere,
  openPage,
  startBrowser,
} from '../../support/browser.ts'
import type { TestService } from '../../support/service.ts'
import { mailOf, startAdminService } from './an-admin-service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
  await service.ask('POST', '/order', { body: { number: 'O-2', customer_id: 1 } })
  await service.ask('POST', '/order/2/proceedToStep', { body: { action: 'submit' } })
})

const definitions = '/console/-/admin/definitions'

describe('a definition', () => {
  test('shows fields with types and rules, and leads to what they link to', async () => {
    const { page, reports } = await openPage(browser, service, '/console')
    await page.getByText('Administration').click()
    await page.getByRole('link', { name: 'Definitions' }).click()
    await page.getByRole('table').getByRole('link', { name: 'Order', exact: true }).click()
    const row = page.getByRole('row', { name: 'Number number' })
    await row.getByText('required, unique').waitFor()
    await page.getByText('Decimal (14, 2)').waitFor()
    await page.getByText('open · paid').waitFor()
    await page.getByText('What the carrier must know.').waitFor()
    await page.getByRole('table').getByRole('link', { name: 'Customer' }).click()
    await page.getByRole('heading', { name: 'Customer', level: 1 }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('shows its workflow with the records of each step, which lead to their list', async () => {
    const { page, reports } = await openPage(browser, service, `${definitions}/order`)
    await page.getByRole('tab', { name: 'Fields' }).focus()
    await page.keyboard.press('ArrowRight')
    const row = page.getByRole('row', { name: /^In review/ })
    await row.getByRole('link', { name: '1 record' }).waitFor()
    await row.getByText('Approve → Approved (form approve)').waitFor()
    await page.locator('svg').getByText('In review').waitFor()
    await page.getByRole('row', { name: 'Approved approved' }).getByText('0 records').waitFor()
    await row.getByRole('link', { name: '1 record' }).press('Enter')
    await page.getByRole('gridcell', { name: 'O-2', exact: true }).waitFor()
    assert.equal(await page.getByRole('gridcell', { name: 'O-1', exact: true }).count(), 0)
    assert.deepEqual(reports, [])
  })

  test('shows its notifications in words, its hooks and the columns of its export', async () => {
    const { page } = await openPage(browser, service, `${definitions}/order?part=notifications`)
    await page.getByText('Only if Total is at least 1,000.00').waitFor()
    await page.getByText('Notifies: Approver, group Buyers').waitFor()
    await page.getByRole('tab', { name: 'Hooks and files' }).click()
    await page.getByText('_sendNotificationHandler').waitFor()
  })

  test('shows who may do what', async () => {
    const { page } = await openPage(browser, service, `${definitions}/order?part=rights`)
    const row = page.getByRole('row', { name: 'Clerk' })
    await row.getByText('own', { exact: true }).waitFor()
    await row.getByText('Submit').waitFor()
    await row.getByText('Terms').waitFor()
    assert.equal(await page.getByRole('row', { name: 'Guest' }).count(), 0)
    await row.getByRole('link', { name: 'Clerk' }).click()
    await page.getByRole('heading', { name: 'Clerk', level: 1 }).waitFor()
  })
})

describe('a role', () => {
  test('shows what it may do and who has it; users are blocked and let in again', async () => {
    const { page, reports } = await openPage(browser, service, '/console/-/admin/roles')
    await page.getByRole('row', { name: 'Clerk' }).getByText('2', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Clerk' }).click()
    await page.getByRole('row', { name: 'Customer' }).first().waitFor()
    const isBlocked = async () => (await service.ask('GET', '/user/2')).json().is_blocked
    const row = page.getByRole('row', { name: 'Ana Test' })
    await row.getByRole('button', { name: 'Block' }).click()
    await row.getByText('Blocked').waitFor()
    assert.equal(await isBlocked(), true)
    await row.getByRole('button', { name: 'Unblock' }).press('Enter')
    await row.getByText('Active').waitFor()
    assert.equal(await isBlocked(), false)
    assert.deepEqual(reports, [])
  })

  test('is seen as one of its users during development, which every page says with the way back', async () => {
    const { page } = await openPage(browser, service, '/console/-/admin/roles/clerk', {
      viewport: { width: 1024, height: 480 },
    })
    // However long the navigation is.
    const user = page.getByRole('button', { name: 'Administrator' })
    const { y = 480, height = 0 } = (await user.boundingBox()) ?? {}
    assert.ok(y + height <= 480)
    await page
      .getByRole('row', { name: 'Ana Test' })
      .getByRole('button', { name: 'Act as this user' })
      .click()
    await page.getByRole('navigation').getByText('Ana Test').waitFor()
    assert.equal(await page.getByText('Administration').count(), 0)
    const said = page.getByRole('region', { name: 'Acting as somebody else' })
    await said.getByText('You act as Ana Test').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Customer' }).click()
    await page.getByRole('grid').waitFor()
    await said.waitFor()
    assert.deepEqual(await findViolations(page), [])
    await said.getByRole('button', { name: 'Back to Administrator' }).press('Enter')
    await user.waitFor()
    await page.getByText('Administration').waitFor()
    assert.equal(await said.count(), 0)
  })

  test('is not seen as somebody who was blocked meanwhile, and the page says so', async () => {
    const { page } = await openPage(browser, service, '/console/-/admin/roles/guest')
    const row = page.getByRole('row', { name: 'Gita Test' })
    const seeAs = row.getByRole('button', { name: 'Act as this user' })
    await seeAs.waitFor()
    await service.ask('PATCH', '/user/4', { body: { is_blocked: true } })
    await seeAs.click()
    await row.getByRole('alert').waitFor()
    await service.ask('PATCH', '/user/4', { body: { is_blocked: false } })
  })

  test('is not changed when somebody else changed the user meanwhile', async () => {
    const { page } = await openPage(browser, service, '/console/-/admin/roles/guest')
    const row = page.getByRole('row', { name: 'Gita Test' })
    await row.waitFor()
    await service.ask('PATCH', '/user/4', { body: { phone: '1' } })
    await row.getByRole('button', { name: 'Block' }).click()
    await row.getByRole('alert').waitFor()
    assert.equal((await service.ask('GET', '/user/4')).json().is_blocked, false)
  })

  test('without users or permissions says so', async () => {
    const { page } = await openPage(browser, service, '/console/-/admin/roles/nothing')
    await page.getByText('No user has this role.').waitFor()
    await page.getByText('There is no file of this role').waitFor()
  })
})

test('lesser roles have none of these pages, and nothing of them in the answers', async () => {
  const as = mailOf('Ana')
  const { page } = await openPage(browser, service, `${definitions}/order`, { as })
  await page.getByText('There is no such page.').waitFor()
  await page.goto(`${service.url}/console/-/admin/roles/clerk`)
  await page.getByText('There is no such page.').waitFor()
  const { hooks, roles } = (await service.ask('GET', '/api/entities/order', { as })).json()
  assert.deepEqual([hooks, roles], [undefined, undefined])
  const [hook] = (await service.ask('GET', '/api/entities/order')).json().hooks
  assert.equal(hook.functionName, '_sendNotificationHandler')
})

describe('axe finds nothing', () => {
  const pages = [
    { path: definitions, text: 'A person who may call the service' },
    { path: `${definitions}/order`, text: 'Decimal (14, 2)' },
    { path: `${definitions}/order?part=workflow`, text: '(form approve)' },
    { path: `${definitions}/order?part=rights`, text: 'Guest' },
    { path: `${definitions}/order?part=files`, text: '_sendNotificationHandler' },
    { path: '/console/-/admin/roles/clerk', text: 'ana@example.com' },
  ]
  for (const { path, text } of pages)
    test(`${path}, light and dark, 320, 768 and 1440 pixels`, async () => {
      const { page } = await openPage(browser, service, path)
      const shown =
        text === 'Guest' ? page.getByRole('link', { name: 'Clerk' }) : page.getByText(text).first()
      assert.deepEqual(await findViolationsEverywhere(page, () => shown.waitFor()), [])
    })
})
