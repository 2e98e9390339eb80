/** The user's own tasks in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { insertUser } from '../../src/users/user-store.ts'
import { openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

const assignee = 'only.assigned@example.com'
const path = '/console/-/tasks'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
let assigneeId = 0
before(async () => {
  const role = { key: 'reader', permissions: { order: { read: true } } }
  const files = { ...orderProject, 'roles/reader.json': role }
  service = await startTestService(await writeProject(files))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  await service.ask('POST', '/order', { body: { number: 'T-1', customer_id: 1 } })
  const names = { first_name: 'Ana', last_name: 'Horvat', full_name: 'Ana Horvat' }
  const user = { identity_provider_user_id: 'ana', email: assignee, role_key: 'reader', ...names }
  assigneeId = (await insertUser(service.database.pool, user)) ? 2 : 0
  assert.ok(assigneeId)
})

const hour = 3_600_000

const createTask = async (description: string, dueInHours: number | null, of = '/order/1') => {
  const due_date = dueInHours && new Date(Date.now() + dueInHours * hour).toISOString()
  const body = { description, due_date, assigne_id: 1 }
  assert.equal((await service.ask('POST', `${of}/task`, { body })).status, 201)
}

const countsOf = async () =>
  (await service.ask('GET', '/api/tasks/count?timeZone=Europe/Zagreb')).json()

const tabOf = (page: Page, name: string) =>
  page.getByRole('group', { name: 'My tasks' }).getByText(name, { exact: true })

describe('my tasks', () => {
  test('are listed by when they are due, with the counts of the service and their records', async () => {
    await createTask('Compare the offers', -30)
    await createTask('Call the carrier', 24 * 9)
    await createTask('Without a date', null, '/customer/1')
    const { page, reports } = await openPage(browser, service, path)
    const counts = await countsOf()
    await tabOf(page, `Overdue ${counts.overdue}`).click()
    await page.getByRole('checkbox', { name: 'Compare the offers' }).waitFor()
    await page.getByRole('checkbox', { name: 'Call the carrier' }).waitFor({ state: 'detached' })
    await page.getByText('Overdue: ').waitFor()
    assert.match(page.url(), /status=overdue/)
    await tabOf(page, `Upcoming ${counts.upcoming}`).click()
    await page.getByRole('checkbox', { name: 'Call the carrier' }).waitFor()
    await tabOf(page, `All open ${counts.open}`).click()
    await page.getByRole('link', { name: 'Adria Metal' }).click()
    await page.getByRole('heading', { name: 'Adria Metal' }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('one is completed at once, and taken back by a key', async () => {
    await createTask('Check the address', 24 * 3)
    const { page, reports } = await openPage(browser, service, path)
    const before = await countsOf()
    const box = page.getByRole('checkbox', { name: 'Check the address' })
    await box.focus()
    await page.keyboard.press('Space')
    await page.getByText('Done: Check the address').waitFor()
    await tabOf(page, `All open ${before.open - 1}`).waitFor()
    assert.deepEqual(await countsOf(), {
      ...before,
      ...{ open: before.open - 1, upcoming: before.upcoming - 1, completed: before.completed + 1 },
    })
    await page.keyboard.press('z')
    await box.waitFor()
    await tabOf(page, `All open ${before.open}`).waitFor()
    assert.deepEqual(await countsOf(), before)
    assert.deepEqual(reports, [])
  })

  test('one is created by keys alone, for somebody else, on a record that is found', async () => {
    const { page, reports } = await openPage(browser, service, path)
    await page.getByRole('button', { name: 'Create a task' }).waitFor()
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Create a task' })
    await dialog.getByLabel('What to do').waitFor()
    await page.keyboard.type('Ask for a discount')
    await page.keyboard.press('Tab')
    await page.keyboard.type('T-1')
    await dialog.getByRole('option', { name: 'T-1 Order' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Hor')
    await dialog.getByRole('option', { name: 'Ana Horvat' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Due').fill('2031-05-04T10:30')
    await dialog.getByLabel('Due').press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const { data } = (await service.ask('GET', '/api/tasks', { as: assignee })).json()
    assert.equal(data.length, 1)
    const { description, due_date, key, entity_id } = data[0]
    assert.deepEqual(
      [description, new Date(due_date).toISOString(), key, entity_id],
      ['Ask for a discount', '2031-05-04T08:30:00.000Z', 'order', 1],
    )
    assert.deepEqual(reports, [])
  })

  test('an assignee without further rights completes theirs, and is offered no more', async () => {
    const { page, reports } = await openPage(browser, service, path, { as: assignee })
    await page.getByRole('checkbox', { name: 'Ask for a discount' }).click()
    await page.getByText('Done: Ask for a discount').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Create a task' }).count(), 0)
    await page.getByText('You have no open tasks.').waitFor()
    assert.deepEqual(reports, [])
  })

  test('what others assign appears by itself, in the page and in the navigation', async () => {
    const { page, reports } = await openPage(browser, service, path)
    await page.getByRole('checkbox').first().waitFor()
    await createTask('Renew the contract', -1)
    await page.getByRole('checkbox', { name: 'Renew the contract' }).waitFor()
    const { overdue } = await countsOf()
    const navigation = page.getByRole('navigation', { name: 'Main navigation' })
    await navigation.getByRole('link', { name: `My tasks ${overdue} overdue` }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('a task that was removed meanwhile says so, and leaves the list', async () => {
    await createTask('Short-lived', 24 * 2)
    const { page } = await openPage(browser, service, path)
    const box = page.getByRole('checkbox', { name: 'Short-lived' })
    await box.waitFor()
    // Just before the service hears of the click.
    await page.route('**/order/1/*', async (route) => {
      await service.database.pool.query(
        `UPDATE records.task SET _is_deleted = true WHERE description = 'Short-lived'`,
      )
      await route.continue()
    })
    await box.click()
    await page.getByRole('alert').waitFor()
    await box.waitFor({ state: 'detached' })
  })
})

test('the counts are those of the day in the zone of the user', async () => {
  for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu']) {
    await service.ask('PATCH', '/console/-/settings.json', { body: { timeZone } })
    const { page } = await openPage(browser, service, path)
    const counts = (
      await service.ask('GET', `/api/tasks/count?timeZone=${encodeURIComponent(timeZone)}`)
    ).json()
    await tabOf(page, `Today ${counts.today}`).waitFor()
    await until('the counts are shown', () =>
      tabOf(page, `Upcoming ${counts.upcoming}`).isVisible(),
    )
    await page.context().close()
  }
})
