/** A list of three orders whose cells are edited, in a real browser. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { addPeople, shopProject } from './a-shop-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
/** Starts the service, its people and three customers, and a browser. */
export const startOrderCells = async (): Promise<void> => {
  service = await startTestService(await writeProject(shopProject))
  browser = await startBrowser()
  await addPeople(service)
  for (const name of ['Adria Metal', 'Bode & Söhne', '北京钢铁'])
    await service.ask('POST', '/customer', { body: { name, city: `City of ${name}` } })
}

// Of each test, so that none sees what another one changed.
let batch = 0
let ids: readonly number[] = []

/** What the order in this row is called. */
export const numberOf = (n: number): string => `T${batch}-${n}`

export const createOrder = async (n: number, as?: string): Promise<number> => {
  const body = {
    ...{ number: numberOf(n), customer_id: 1, total: `${n}.50`, status: 'open' },
    ...{ ordered_on: `2026-03-0${n}`, quantity: n, is_gift: false, notes: `Batch ${batch}` },
  }
  const created = await service.ask('POST', '/order', { body, ...(as && { as }) })
  assert.equal(created.status, 201, created.text)
  return created.json().id
}

/** Creates the three orders of a test. */
export const createOrders = async (): Promise<void> => {
  batch += 1
  ids = [await createOrder(1), await createOrder(2), await createOrder(3)]
}

/** The condition on the numbers of this test's orders. */
export const ofThisTest = () => ({ $startsWith: `T${batch}-` })

const columns = [
  ...['number', 'customer.name', 'customer.city', 'total'],
  ...['status', 'ordered_on', 'sent_at', 'quantity', 'notes'],
]

type ListOptions = Parameters<typeof openPage>[3] & { readonly where?: object }

export const openList = async ({ where: given, ...options }: ListOptions = {}) => {
  const where = given ?? { number: ofThisTest() }
  const search = new URLSearchParams({
    ...{ w: JSON.stringify(where), s: '["number"]', c: JSON.stringify(columns) },
  })
  const opened = await openPage(browser, service, `/console/order?${search}`, options)
  const refused: string[] = []
  opened.page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  await opened.page.getByRole('gridcell', { name: numberOf(1), exact: true }).waitFor()
  return { ...opened, refused }
}

export const cell = (page: Page, row: number, column: string) =>
  page
    .getByRole('row')
    .nth(row)
    .getByRole('gridcell')
    .nth(columns.indexOf(column) + 1)

/** Opens the editor of a cell as the mouse does. */
export const edit = async (page: Page, row: number, column: string, label: string) => {
  // Beside the text, which leads to a record in some columns.
  const { width = 0 } = (await cell(page, row, column).boundingBox()) ?? {}
  await cell(page, row, column).dblclick({ position: { x: width - 6, y: 12 } })
  return page.getByLabel(`${label} of ${numberOf(row)}`)
}

export const read = async (n: number) => (await service.ask('GET', `/order/${ids[n - 1]}`)).json()

/** The change is on the screen at once; the service has it a moment later. */
export const isSaved = (n: number, column: string, value: unknown) =>
  until(`${column} of order ${n} is saved`, async () => (await read(n))[column] === value)

export const change = async (n: number, body: object) => {
  const changed = await service.ask('PATCH', `/order/${ids[n - 1]}`, { body })
  assert.equal(changed.status, 200, changed.text)
}

export const showsText = (page: Page, row: number, column: string, text: string) =>
  cell(page, row, column).getByText(text, { exact: true }).first().waitFor()
