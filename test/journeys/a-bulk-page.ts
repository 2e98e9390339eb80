/** A list of orders in a browser, of which users select some, with roles that may do more or less with them. */
import type { Page } from 'playwright-core'
import { openPage, type startBrowser } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { orderProject } from '../support/console/an-order-project.ts'

const project = {
  ...orderProject,
  'roles/reader.json': {
    ...{ key: 'reader', name: 'Reader' },
    permissions: { order: { read: true }, customer: { read: true } },
  },
  'roles/clerk.json': {
    ...{ key: 'clerk', name: 'Clerk' },
    permissions: {
      order: { read: true, update: 'own', takeOwnership: true, actions: ['submit'] },
      customer: { read: true },
    },
  },
}

/** A service with so many orders; every second one is open, the others are paid. */
export const startOrders = async (count: number): Promise<TestService> => {
  const service = await startTestService(await writeProject(project))
  const { pool } = service.database
  await pool.query(
    `INSERT INTO records.customer (name, _created_by, _updated_by)
     SELECT 'Customer ' || n, 1, 1 FROM generate_series(1, 20) n`,
  )
  await pool.query(
    `INSERT INTO records."order" (number, customer_id, total, status, quantity, _created_by, _updated_by)
     SELECT 'O-' || lpad(n::text, 6, '0'), 1 + n % 20, n + 0.5, CASE WHEN n % 2 = 0 THEN 'open' ELSE 'paid' END,
       n % 7, 1, 1
     FROM generate_series(1, $1::int) n`,
    [count],
  )
  for (const role of ['reader', 'clerk']) await createUser(service, role)
  return service
}

type Opening = {
  readonly as?: string
  readonly where?: object
  readonly order?: readonly string[]
  readonly viewport?: Size
  readonly locale?: string
}
type Size = { readonly width: number; readonly height: number }

/** Opens the list of orders. */
export const openOrders = async (
  browser: Awaited<ReturnType<typeof startBrowser>>,
  service: TestService,
  { where, order, ...options }: Opening = {},
) => {
  const search = new URLSearchParams()
  if (where) search.set('w', JSON.stringify(where))
  if (order) search.set('s', JSON.stringify(order))
  const opened = await openPage(browser, service, `/console/order?${search}`, options)
  const forbidden: string[] = []
  opened.page.on('response', (response) => {
    if (response.status() === 403) forbidden.push(response.url())
  })
  // Columns get their widths with the first rows.
  await opened.page.locator('[role=row]:not([aria-busy]) [role=gridcell]').nth(1).waitFor()
  // Until they are counted, the list has the first hundred.
  await opened.page.locator('.list-count:not(:empty)').waitFor()
  return { ...opened, forbidden, bar: opened.page.getByRole('region', { name: 'Selection' }) }
}

/** The box of an order in the list. */
export const boxOf = (page: Page, number: string) =>
  page.getByRole('checkbox', { name: `Select ${number}`, exact: true })

export const selectedRows = (page: Page) =>
  page.getByRole('row', { selected: true }).getByRole('checkbox')

export const nameOf = (id: number) => `O-${String(id).padStart(6, '0')}`

/** Opens the list with these orders, and selects them. */
export const openSelectedOrders = async (
  browser: Awaited<ReturnType<typeof startBrowser>>,
  service: TestService,
  ids: readonly number[],
  opening: Opening = {},
) => {
  const where = ids.length > 0 ? { where: { id: { $in: ids } } } : {}
  const opened = await openOrders(browser, service, { ...where, ...opening })
  for (const id of ids) await boxOf(opened.page, nameOf(id)).check()
  return opened
}

export const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name })

/** Checks what a change of the status of the selected orders would do. */
export const changeStatus = async (page: Page, value: string) => {
  await page.getByRole('button', { name: 'Change a field …' }).click()
  const dialog = dialogOf(page, 'Change a field')
  await dialog.getByLabel('Field').selectOption('Status')
  await dialog.getByLabel('Status', { exact: true }).selectOption(value)
  await dialog.getByRole('button', { name: 'Check' }).click()
  return dialog
}

export const readOrder = async (service: TestService, id: number) =>
  (await service.ask('GET', `/order/${id}`)).json()
