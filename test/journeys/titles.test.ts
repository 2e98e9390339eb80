/** The titles of the browser's tabs: what each page shows, the service, and how much is new. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { startTestWorker } from '../support/worker.ts'

const { notifications: _, ...order } = orderProject['entities/order.json']
const onCreate = { operation: 'create', recipient: { userFields: ['_created_by'] } }

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
let worker: Awaited<ReturnType<typeof startTestWorker>>
before(async () => {
  service = await startTestService(
    await writeProject({
      ...orderProject,
      'docket.json': { ...orderProject['docket.json'], name: 'Fish & <b>Chips' },
      'entities/order.json': { ...order, pluralName: 'Orders', notifications: [onCreate] },
      'roles/reader.json': {
        ...{ key: 'reader', name: 'Reader' },
        permissions: { order: { read: true, hiddenFields: ['number'] } },
      },
    }),
  )
  browser = await startBrowser()
  worker = await startTestWorker(service)
  await createUser(service, 'reader')
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
})

const name = 'Fish & <b>Chips'

const createOrders = async (first: number, last: number) => {
  for (let n = first; n <= last; n++)
    await service.ask('POST', '/order', { body: { number: `O-${n}`, customer_id: 1 } })
  await worker.settled()
}

const seeAll = async () => {
  const before = new Date(Date.now() + 60_000).toISOString()
  const body = { ids: [], status: 'seen', before }
  const { status } = await service.ask('PUT', '/api/notifications/mark', { body })
  assert.equal(status, 200)
}

const shows = async (page: Page, title: string) => {
  const wanted = `${title} · ${name}`
  await until(`the title is ${wanted}`, async () => (await page.title()) === wanted)
}

const openOrder = async (page: Page, number: string) => {
  await page.getByRole('gridcell', { name: number, exact: true }).getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: number }).waitFor()
}

test('a tab has the name of the service before its scripts have run, as a text', async () => {
  const response = await fetch(`${service.url}/console/order`)
  assert.match(await response.text(), /<title>Fish &#38; &#60;b&#62;Chips<\/title>/)
})

test('each page has a title: what it shows, then the service', async () => {
  await createOrders(1, 1)
  await seeAll()
  const { page, reports } = await openPage(browser, service, '/console')
  await shows(page, 'My day')
  for (const [path, title] of [
    ...([
      ['-/inbox', 'Inbox'],
      ['-/approvals', 'Approvals'],
      ['-/tasks', 'My tasks'],
    ] as const),
    ...([
      ['-/changes', 'My changes'],
      ['-/search', 'Search'],
      ['-/settings', 'Settings'],
    ] as const),
    ...([
      ['order', 'Orders'],
      ['order/new', 'New: Order'],
      ['order/1', 'O-1'],
    ] as const),
    ...([
      ['order/99999', 'Order'],
      ['nothing', 'There is no such page'],
    ] as const),
    ...([
      ['-/admin/jobs', 'Jobs'],
      ['-/admin/deliveries', 'Deliveries'],
    ] as const),
    ...([
      ['-/admin/explain', 'Who is notified'],
      ['-/admin/roles', 'Rights of roles'],
    ] as const),
    ...([['-/admin/roles/reader', 'Reader · Rights of roles']] as const),
    ...([['-/admin/definitions/order', 'Order · Definitions']] as const),
  ]) {
    await page.goto(`${service.url}/console/${path}`)
    await shows(page, title)
  }
  assert.deepEqual(
    reports.filter((text) => !text.includes('404')),
    [],
  )
  const { page: signIn } = await openPage(browser, service, '/console/order', { as: null })
  await shows(signIn, 'Sign in')
})

test('a list with a view has the name of the view first, and its own one without it', async () => {
  const body = { entity_key: 'order', name: 'By number', criteria: { $orderBy: ['number'] } }
  const { id } = (await service.ask('POST', '/saved_view', { body })).json()
  const { page } = await openPage(browser, service, `/console/order?view=${id}`)
  await shows(page, 'By number · Orders')
  await page.locator('.list-head [aria-haspopup=menu]').click()
  await page.getByRole('menuitem', { name: 'All Orders' }).click()
  await shows(page, 'Orders')
})

test('a page that is kept or rendered ahead changes nothing', async () => {
  await createOrders(11, 12)
  await seeAll()
  const { page } = await openPage(browser, service, '/console/order')
  await shows(page, 'Orders')
  const read = page.waitForResponse(/\/order\/\d+\?include/)
  await page.getByRole('gridcell', { name: 'O-11', exact: true }).getByRole('link').hover()
  await read
  await page.waitForLoadState('networkidle')
  await page.mouse.move(0, 0)
  await shows(page, 'Orders')
  await openOrder(page, 'O-12')
  await shows(page, 'O-12')
  await createOrders(13, 13)
  await shows(page, '(1) O-12')
  await page.goBack()
  await shows(page, '(1) Orders')
})

test('a record that is renamed renames its tab', async () => {
  await createOrders(21, 21)
  await seeAll()
  const { page } = await openPage(browser, service, '/console/order')
  await openOrder(page, 'O-21')
  await page.getByRole('textbox', { name: 'Number', exact: true }).fill('O-21b')
  await page.keyboard.press('Control+s')
  await shows(page, 'O-21b')
})

test('how much is new stands in front, as it comes and goes, and 99+ of more', async () => {
  await seeAll()
  const { page } = await openPage(browser, service, '/console/order')
  await shows(page, 'Orders')
  await createOrders(31, 33)
  await shows(page, '(3) Orders')
  await createOrders(34, 129)
  await shows(page, '(99) Orders')
  await createOrders(130, 130)
  await shows(page, '(99+) Orders')
  await seeAll()
  await shows(page, 'Orders')
})

test('the title has changed once when the page gets the focus, and nothing else says it', async () => {
  await createOrders(201, 201)
  await seeAll()
  const { page } = await openPage(browser, service, '/console/order')
  await shows(page, 'Orders')
  await page.evaluate(`
    globalThis.said = []
    new MutationObserver(() => said.push('title ' + document.title))
      .observe(document.querySelector('title'), { childList: true, characterData: true, subtree: true })
    document.querySelector('main').addEventListener('focus', () => said.push('focus ' + document.title))`)
  await openOrder(page, 'O-201')
  await page.locator('main:focus').waitFor()
  const title = `O-201 · ${name}`
  const said = () => page.evaluate<string[]>('globalThis.said')
  // Changes are told after the task that made them, in which the page gets the focus.
  await until('both are told', async () => (await said()).length >= 2)
  assert.deepEqual((await said()).toSorted(), [`focus ${title}`, `title ${title}`])
  const live = page.locator('[role=status], [role=alert], [aria-live]').filter({ hasText: 'O-201' })
  assert.equal(await live.count(), 0)
})

test('a role reads nothing in titles that it may not see', async () => {
  const as = 'reader@example.com'
  const { page } = await openPage(browser, service, '/console/order/1', { as })
  await shows(page, '1')
  await page.goto(`${service.url}/console/customer/1`)
  await shows(page, 'There is no such page')
})
