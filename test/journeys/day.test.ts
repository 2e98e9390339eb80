/** "My day" in a real browser: what waits for the user, from the first page on. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { insertUser } from '../../src/users/user-store.ts'
import { openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { startTestWorker } from '../support/worker.ts'
import { pressInTurn } from './keyboard/a-keyboard.ts'

const clerk = 'clerk@example.com'
const blind = 'blind@example.com'
const settings = '/console/-/settings.json'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
let worker: Awaited<ReturnType<typeof startTestWorker>>
before(async () => {
  const roles = {
    'roles/clerk.json': { key: 'clerk', permissions: { customer: { read: true } } },
    'roles/blind.json': {
      key: 'blind',
      permissions: { customer: { read: true }, saved_view: { read: false } },
    },
  }
  service = await startTestService(await writeProject({ ...orderProject, ...roles }))
  browser = await startBrowser()
  worker = await startTestWorker(service)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  for (const [email, key] of [
    [clerk, 'clerk'],
    [blind, 'blind'],
  ] as const) {
    const names = { first_name: 'Cle', last_name: key, full_name: `Cle ${key}` }
    const user = { identity_provider_user_id: key, email, role_key: key, ...names }
    assert.ok(await insertUser(service.database.pool, user))
  }
})

const waiting = async (count: number): Promise<void> => {
  for (const number of Array.from({ length: count }, (_, at) => `D-${at + 1}`)) {
    const created = await service.ask('POST', '/order', { body: { number, customer_id: 1 } })
    const path = `/order/${created.json().id}/proceedToStep`
    assert.ok((await service.ask('POST', path, { body: { action: 'submit' } })).status < 300)
  }
}

const createTask = (description: string, hours: number) => {
  const due_date = new Date(Date.now() + hours * 3_600_000).toISOString()
  return service.ask('POST', '/customer/1/task', { body: { description, due_date, assigne_id: 1 } })
}

const sectionOf = (page: Page, name: string | RegExp) => page.getByRole('region', { name })

const headingOf = (page: Page) => page.getByRole('heading', { name: 'My day', level: 1 })

describe('my day', () => {
  test('says that nothing waits, and leads to the lists', async () => {
    const { page, reports } = await openPage(browser, service, '/console')
    await page.getByText('Nothing is waiting for you.').waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Customer' }).click()
    await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('shows the first of each kind with the numbers of the service, asked for at once', async () => {
    await waiting(7)
    await createTask('Compare the offers', -30)
    await worker.settled()
    const { page, reports } = await openPage(browser, service, '/console')
    const approvals = sectionOf(page, 'Approvals 7')
    await approvals.getByRole('link', { name: 'D-1 Adria Metal Order' }).waitFor()
    assert.equal(await approvals.getByRole('listitem').count(), 5)
    await sectionOf(page, 'My tasks 1 overdue').getByRole('checkbox').waitFor()
    const { count } = (await service.ask('GET', '/api/notifications/count?status=unseen')).json()
    const unread = sectionOf(page, `Unread ${count}`)
    await unread.getByRole('listitem').first().waitFor()
    assert.equal(await unread.getByRole('listitem').count(), 5)
    await approvals.getByRole('link', { name: 'Decide' }).click()
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('a task is completed there, and a notification is read by following it', async () => {
    const { page, reports } = await openPage(browser, service, '/console')
    await page.getByRole('checkbox', { name: 'Compare the offers' }).click()
    await page.getByText('Done: Compare the offers').waitFor()
    const counted = '/api/notifications/count?status=unseen'
    const before = (await service.ask('GET', counted)).json().count
    await sectionOf(page, /^Unread/)
      .getByRole('link', { name: /moved on/ })
      .first()
      .click()
    await page.getByRole('heading', { name: /^D-/ }).waitFor()
    await until('one is read', async () => {
      return (await service.ask('GET', counted)).json().count === before - 1
    })
    assert.deepEqual(reports, [])
  })

  test('offers records that were opened, as long as they are there, and stores no name', async () => {
    const opened = await openPage(browser, service, '/console/order/2')
    await opened.page.getByRole('heading', { name: 'D-2' }).waitFor()
    await until('it is remembered', async () => {
      const { visited } = (await service.ask('GET', settings)).json()
      return visited?.[0] === 'order/2'
    })
    assert.ok(!(await service.ask('GET', settings)).text.includes('D-2'))
    await pressInTurn(opened.page, 'g', 'd')
    await headingOf(opened.page).waitFor()
    await sectionOf(opened.page, 'Recently opened').getByRole('link', { name: 'D-2' }).waitFor()
    await service.ask('DELETE', '/order/2')
    const { page } = await openPage(browser, service, '/console')
    await sectionOf(page, /^Approvals/).waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(
      await sectionOf(page, 'Recently opened').getByRole('link', { name: 'D-2' }).count(),
      0,
    )
    assert.deepEqual(opened.reports, [])
  })

  test('views are pinned, and lead to their lists', async () => {
    for (const name of ['Large', 'Late']) {
      const body = { name, entity_key: 'order', is_shared_with: 'me', criteria: {}, columns: null }
      assert.equal((await service.ask('POST', '/saved_view', { body })).status, 201)
    }
    const { page, reports } = await openPage(browser, service, '/console')
    await page.getByRole('button', { name: 'Pin the view Late' }).click()
    await page.getByRole('button', { name: 'Pin the view Large' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'All 2' }).click()
    await page.getByRole('button', { name: 'Pin the view Large' }).waitFor()
    await sectionOf(page, 'Views').getByRole('link', { name: 'Late' }).click()
    await page.getByRole('heading', { name: 'Order', level: 1 }).waitFor()
    assert.match(page.url(), /\/console\/order\?view=2/)
    assert.deepEqual(reports, [])
  })

  for (const as of [clerk, blind])
    test(`${as} sees nothing that the role does not have, and nothing is refused`, async () => {
      const { page, reports } = await openPage(browser, service, '/console', { as })
      await page.getByText('Nothing is waiting for you.').waitFor()
      await page.waitForLoadState('networkidle')
      assert.equal(await page.getByRole('link', { name: 'Approvals' }).count(), 0)
      assert.equal(await page.getByText('Order').count(), 0)
      assert.deepEqual(reports, [])
    })

  test('one that cannot be read does not hide the others', async () => {
    const { page } = await openPage(browser, service, '/console/customer')
    await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
    await page.route('**/api/approvals?*', (route) => route.fulfill({ status: 500, body: '{}' }))
    await pressInTurn(page, 'g', 'd')
    await sectionOf(page, /^Unread/).waitFor()
    await page.getByRole('main').getByRole('alert').waitFor()
  })
})
