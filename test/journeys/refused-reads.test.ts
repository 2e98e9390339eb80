/** What a page shows, in a real browser, when a part of it cannot be read, or not all of it at once. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { addDocuments, addPeople, approverEmail, shopProject } from './a-shop-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>

const ask = async (path: string, body: object) => {
  const reply = await service.ask('POST', path, { body })
  assert.ok(reply.status < 300, reply.text)
}

before(async () => {
  service = await startTestService(await writeProject(shopProject))
  browser = await startBrowser()
  await addPeople(service)
  await addDocuments(service)
  await ask('/customer', { name: 'Adria Metal' })
  for (const [number, total] of [
    ['R-1', '10.00'],
    ['R-2', '20.00'],
  ])
    await ask('/order', { number, total, customer_id: 1 })
  await ask('/line', { order_id: 1, article: 'Tube', price: '1.00' })
  await ask('/order/1/task', { description: 'Call' })
})

const json = { title: 'Broken.', detail: 'It is broken.', status: 500 }

/** Refuses requests until it is called. */
const refuse = async (page: Page, pattern: RegExp) => {
  await page.route(pattern, (route) => route.fulfill({ status: 500, json }))
  return () => page.unroute(pattern)
}

const stale = (page: Page) => page.getByRole('alert').getByText('What you see may be out of date.')

test('rows stay when they cannot be read anew, with a way to try again', async () => {
  const { page } = await openPage(browser, service, '/console/order/1#lines')
  await page.getByRole('link', { name: 'Tube' }).waitFor()
  const allowLines = await refuse(page, /\/line\/search/)
  const allowTasks = await refuse(page, /\/order\/1\/task$/)
  await page.getByRole('link', { name: 'New: Line' }).click()
  await page.getByLabel('Article').fill('Sheet')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await stale(page).waitFor()
  assert.ok(await page.getByRole('link', { name: 'Tube' }).isVisible())
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await findViolations(page), [])
  }
  await allowLines()
  await page.getByRole('button', { name: 'Try again' }).press('Enter')
  await page.getByRole('link', { name: 'Sheet' }).waitFor()
  await stale(page).waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: 'Tasks 1' }).click()
  await page.getByRole('checkbox', { name: 'Call' }).click()
  await stale(page).waitFor()
  assert.ok(await page.getByRole('checkbox', { name: 'Call' }).isVisible())
  await allowTasks()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Done 1').waitFor()
})

test('documents that cannot be listed are not left out', async () => {
  const { page } = await openPage(browser, service, '/console/-/inbox')
  const allow = await refuse(page, /\/order\/1\/documents$/)
  await page.goto(`${service.url}/console/order/1#documents`)
  await page.getByRole('alert').getByText('It is broken.').waitFor()
  await allow()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('tab', { name: 'Documents 2' }).waitFor()
})

test('what was sent about a record is not left out either', async () => {
  const { page } = await openPage(browser, service, '/console/-/inbox')
  const allow = await refuse(page, /\/api\/deliveries\?/)
  const question = 'entity=order&record=1&operation=proceedToStep&action=submit'
  await page.goto(`${service.url}/console/-/admin/explain?${question}`)
  await page.getByRole('alert').getByText('It is broken.').waitFor()
  await allow()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('Nothing was sent by e-mail or webhook.').waitFor()
})

test('a history of more than a hundred entries goes on', async () => {
  await service.database.pool.query(
    `INSERT INTO docket.history (entity_key, entity_id, operation, changes, user_id)
     SELECT 'customer', 1, 'change', jsonb_build_object('city', jsonb_build_object('before', n, 'after', n + 1)), 1
     FROM generate_series(1, 150) n`,
  )
  const { page } = await openPage(browser, service, '/console/customer/1')
  const history = page.getByRole('complementary', { name: 'History' })
  await history.getByRole('listitem').nth(99).waitFor()
  assert.equal(await history.getByText('created the record').count(), 0)
  await history.getByRole('button', { name: 'More' }).press('Enter')
  await history.getByText('created the record').waitFor()
  assert.equal(await history.getByRole('button', { name: 'More' }).count(), 0)
})

test('amounts of approvals stay while those of the others are read', async () => {
  for (const id of [1, 2]) await ask(`/order/${id}/proceedToStep`, { action: 'submit' })
  const { page } = await openPage(browser, service, '/console/-/approvals', { as: approverEmail })
  const queue = page.getByRole('list', { name: 'Waiting for a decision' })
  await queue.getByText('20.00').waitFor()
  // Its answer never comes.
  await page.route(/\/order\/search/, () => undefined)
  await ask('/order/1/proceedToStep', { action: 'approve', values: { approver_id: 1 } })
  await queue.getByText('R-1').waitFor({ state: 'detached' })
  assert.ok(await queue.getByText('20.00').isVisible())
})

test('an address that leads nowhere leads on', async () => {
  for (const path of ['/console/nothing', '/console/order/4711']) {
    const { page } = await openPage(browser, service, path, { as: approverEmail })
    await page.getByText('There is no such page.').waitFor()
    await page.getByRole('button', { name: 'Find anything' }).press('Enter')
    await page.getByRole('dialog', { name: 'Find anything' }).press('Escape')
    await page.getByRole('main').getByRole('link', { name: 'My day' }).press('Enter')
    await page.getByRole('heading', { name: 'My day', level: 1 }).waitFor()
  }
})

// What every page needs is read before the first one is rendered.
for (const read of ['config.json', 'me', 'entities'])
  test(`a page whose read of "${read}" is refused says so, with a way to try again`, async () => {
    const { page } = await openPage(browser, service, '/console/-/tasks')
    const allow = await refuse(page, new RegExp(`/${read}$`))
    await page.goto(`${service.url}/console/order`)
    await page.getByRole('main').getByRole('heading', { name: 'It is broken.', level: 1 }).waitFor()
    assert.deepEqual(await findViolations(page), [])
    await allow()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('gridcell', { name: 'R-2', exact: true }).waitFor()
  })

test('settings that are refused keep nobody from working: those of the last time hold', async () => {
  const { page } = await openPage(browser, service, '/console/-/inbox')
  await page.addInitScript(`localStorage.setItem('docket.language', 'de')`)
  const allow = await refuse(page, /\/settings\.json$/)
  await page.goto(`${service.url}/console/order`)
  await page.getByRole('gridcell', { name: 'R-2', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Mein Tag' }).first().waitFor()
  await page.getByRole('gridcell', { name: 'R-2', exact: true }).getByRole('link').click()
  await page.getByRole('heading', { name: 'R-2', level: 1 }).waitFor()
  await allow()
})
