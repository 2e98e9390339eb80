/** Editing in the cells of a list, in a real browser: by mouse, by keys, against others, and by lesser roles. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { addPeople, approverEmail, sellerEmail, shopProject } from './a-shop-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(shopProject))
  browser = await startBrowser()
  await addPeople(service)
  for (const name of ['Adria Metal', 'Bode & Söhne', '北京钢铁'])
    await service.ask('POST', '/customer', { body: { name, city: `City of ${name}` } })
})

// Of each test, so that none sees what another one changed.
let batch = 0
let ids: readonly number[] = []

const createOrder = async (n: number, as?: string): Promise<number> => {
  const body = {
    ...{ number: `T${batch}-${n}`, customer_id: 1, total: `${n}.50`, status: 'open' },
    ...{ ordered_on: `2026-03-0${n}`, quantity: n, is_gift: false, notes: `Batch ${batch}` },
  }
  const created = await service.ask('POST', '/order', { body, ...(as && { as }) })
  assert.equal(created.status, 201, created.text)
  return created.json().id
}

beforeEach(async () => {
  batch += 1
  ids = [await createOrder(1), await createOrder(2), await createOrder(3)]
})

const columns = [
  ...['number', 'customer.name', 'customer.city', 'total'],
  ...['status', 'ordered_on', 'sent_at', 'quantity', 'notes'],
]

type ListOptions = Parameters<typeof openPage>[3] & { readonly where?: object }

const openList = async ({ where: given, ...options }: ListOptions = {}) => {
  const where = given ?? { number: { $startsWith: `T${batch}-` } }
  const search = new URLSearchParams({
    ...{ w: JSON.stringify(where), s: '["number"]', c: JSON.stringify(columns) },
  })
  const opened = await openPage(browser, service, `/console/order?${search}`, options)
  const refused: string[] = []
  opened.page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  await opened.page.getByRole('gridcell', { name: `T${batch}-1`, exact: true }).waitFor()
  return { ...opened, refused }
}

const cell = (page: Page, row: number, column: string) =>
  page
    .getByRole('row')
    .nth(row)
    .getByRole('gridcell')
    .nth(columns.indexOf(column) + 1)

/** Opens the editor of a cell as the mouse does. */
const edit = async (page: Page, row: number, column: string, label: string) => {
  // Beside the text, which leads to a record in some columns.
  const { width = 0 } = (await cell(page, row, column).boundingBox()) ?? {}
  await cell(page, row, column).dblclick({ position: { x: width - 6, y: 12 } })
  return page.getByLabel(`${label} of T${batch}-${row}`)
}

const read = async (n: number) => (await service.ask('GET', `/order/${ids[n - 1]}`)).json()

/** The change is on the screen at once; the service has it a moment later. */
const isSaved = (n: number, column: string, value: unknown) =>
  until(`${column} of order ${n} is saved`, async () => (await read(n))[column] === value)

const change = async (n: number, body: object) => {
  const changed = await service.ask('PATCH', `/order/${ids[n - 1]}`, { body })
  assert.equal(changed.status, 200, changed.text)
}

const showsText = (page: Page, row: number, column: string, text: string) =>
  cell(page, row, column).getByText(text, { exact: true }).first().waitFor()

describe('editing in a list', () => {
  test('a double click opens a cell, Enter saves it, and the list keeps the focus', async () => {
    const { page, reports } = await openList()
    const input = await edit(page, 1, 'ordered_on', 'Ordered on')
    await input.fill('2026-12-24')
    await input.press('Enter')
    await showsText(page, 1, 'ordered_on', '24 Dec 2026')
    await page.getByRole('grid').and(page.locator(':focus')).waitFor()
    await isSaved(1, 'ordered_on', '2026-12-24')
    assert.deepEqual(reports, [])
  })

  test('by keys alone: F2 opens, Tab saves and opens the next one, Shift+Tab the one before, over rows too', async () => {
    const { page } = await openList()
    await page.getByRole('grid').focus()
    for (const key of ['End', 'ArrowLeft', 'F2']) await page.keyboard.press(key)
    await page.getByLabel(`Quantity of T${batch}-1`).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('41')
    await page.keyboard.press('Tab')
    await page.getByLabel(`Notes of T${batch}-1`).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Tab')
    await page.getByLabel(`Number of T${batch}-2`).and(page.locator(':focus')).waitFor()
    // The city belongs to the customer, so it is left out.
    for (const key of ['Tab', 'Tab']) await page.keyboard.press(key)
    await page.getByLabel(`Total of T${batch}-2`).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('77.10')
    await page.keyboard.press('Shift+Tab')
    await page.getByLabel(`Customer of T${batch}-2`).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await showsText(page, 2, 'total', '77.10')
    await isSaved(1, 'quantity', 41)
    await isSaved(2, 'total', '77.10')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `T${batch}-2` }).waitFor()
  })

  test('Escape takes back what was typed, and an unchanged value is not sent', async () => {
    const { page } = await openList()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.url())
    })
    const input = await edit(page, 1, 'total', 'Total')
    await input.fill('9999')
    await input.press('Escape')
    await showsText(page, 1, 'total', '1.50')
    await (await edit(page, 1, 'total', 'Total')).press('Enter')
    await page.getByRole('grid').and(page.locator(':focus')).waitFor()
    assert.deepEqual(sent, [])
  })

  test('a link is chosen by words, and everything behind it follows', async () => {
    const { page } = await openList()
    const input = await edit(page, 2, 'customer.name', 'Customer')
    await input.fill('söhne')
    await page.getByRole('option', { name: 'Bode & Söhne' }).waitFor()
    await input.press('Enter')
    await input.press('Enter')
    await showsText(page, 2, 'customer.name', 'Bode & Söhne')
    await showsText(page, 2, 'customer.city', 'City of Bode & Söhne')
    await isSaved(2, 'customer_id', 2)
  })

  test('words that name no record are not lost: the cell stays open and says what to do', async () => {
    const { page } = await openList()
    const input = await edit(page, 1, 'customer.name', 'Customer')
    await input.fill('Nobody of this name')
    await input.press('Tab')
    await page.getByRole('alert').getByText('Choose a record from the list.').waitFor()
    assert.equal(await input.inputValue(), 'Nobody of this name')
    await input.press('Escape')
    assert.equal((await read(1)).customer_id, 1)
  })

  test('a click elsewhere saves too', async () => {
    const { page } = await openList()
    await (await edit(page, 1, 'status', 'Status')).selectOption('paid')
    await cell(page, 3, 'quantity').click()
    await showsText(page, 1, 'status', 'Paid')
    await isSaved(1, 'status', 'paid')
  })

  test('what the service refuses is taken back with its reason, and what was typed is kept', async () => {
    const { page } = await openList()
    const input = await edit(page, 1, 'total', 'Total')
    await input.fill('12.345')
    await input.press('Enter')
    await page.getByText('Enter at most 2 digits after the decimal mark.').last().waitFor()
    await showsText(page, 1, 'total', '1.50')
    await page.getByRole('status').getByText(`Total of T${batch}-1: Not saved.`).waitFor()
    await page.keyboard.press('F2')
    const again = page.getByLabel(`Total of T${batch}-1`)
    assert.equal(await again.inputValue(), '12.345')
    await again.fill('12.34')
    await again.press('Enter')
    await showsText(page, 1, 'total', '12.34')
    await page.getByText('Not saved.', { exact: true }).waitFor({ state: 'detached' })
    await isSaved(1, 'total', '12.34')
  })

  test('a change that the service could not take is sent again', async () => {
    const { page } = await openList()
    await page.route('**/order/*', (route) => route.abort())
    const input = await edit(page, 1, 'quantity', 'Quantity')
    await input.fill('8')
    await input.press('Enter')
    await page.getByText('Not saved.', { exact: true }).waitFor()
    await page.unroute('**/order/*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await showsText(page, 1, 'quantity', '8')
    await isSaved(1, 'quantity', 8)
  })
})

describe('editing what others edit too', () => {
  test('a change of another field by somebody else is kept, and nobody is asked', async () => {
    const { page } = await openList()
    const input = await edit(page, 1, 'quantity', 'Quantity')
    await change(1, { total: '500.00' })
    await input.fill('5')
    await input.press('Enter')
    await showsText(page, 1, 'total', '500.00')
    await isSaved(1, 'quantity', 5)
    assert.equal((await read(1)).total, '500.00')
  })

  for (const { choice, expected } of [
    { choice: 'Save mine', expected: '7.00' },
    { choice: 'Keep theirs', expected: '500.00' },
  ])
    test(`the same field: both values are shown, and the user decides: ${choice}`, async () => {
      const { page } = await openList()
      const input = await edit(page, 1, 'total', 'Total')
      await change(1, { total: '500.00' })
      await input.fill('7')
      await input.press('Enter')
      await page.getByText('Somebody else has saved another value.').first().waitFor()
      await showsText(page, 1, 'total', '500.00')
      assert.equal((await read(1)).total, '500.00')
      // The keys decide too: the cell opens the choice.
      await page.keyboard.press('F2')
      await page.getByRole('button', { name: 'Keep theirs' }).and(page.locator(':focus')).waitFor()
      await page.getByRole('button', { name: choice }).press('Enter')
      await showsText(page, 1, 'total', expected)
      await isSaved(1, 'total', expected)
      await page.getByRole('button', { name: choice }).waitFor({ state: 'detached' })
    })

  test('a row that no longer matches the filter stays in its place and says so', async () => {
    const where = { number: { $startsWith: `T${batch}-` }, status: 'open' }
    const { page } = await openList({ where })
    await page.getByText('3 records').waitFor()
    const input = await edit(page, 2, 'status', 'Status')
    await input.selectOption('paid')
    await input.press('Enter')
    await page.getByRole('row').nth(2).getByText('no longer matches').waitFor()
    await page.getByText('2 records').waitFor()
    await showsText(page, 3, 'number', `T${batch}-3`)
    await page.reload()
    await showsText(page, 2, 'number', `T${batch}-3`)
  })
})

describe('who may edit in a list', () => {
  test('a role that may not change records gets no editor, and is refused nothing', async () => {
    const { page, refused, reports } = await openList({ as: approverEmail })
    assert.equal(await cell(page, 1, 'total').getAttribute('aria-readonly'), 'true')
    await cell(page, 1, 'total').dblclick()
    await page.getByRole('status').getByText('Total cannot be changed here.').waitFor()
    assert.equal(await page.getByLabel('Total of').count(), 0)
    assert.deepEqual([refused, reports], [[], []])
  })

  test('a role that may change its own records gets an editor for those alone', async () => {
    await createOrder(4, sellerEmail)
    const { page, refused, reports } = await openList({ as: sellerEmail })
    await cell(page, 1, 'total').dblclick()
    await page.getByRole('status').getByText('Total cannot be changed here.').waitFor()
    const input = await edit(page, 4, 'total', 'Total')
    await input.fill('44.00')
    await input.press('Enter')
    await showsText(page, 4, 'total', '44.00')
    assert.deepEqual([refused, reports], [[], []])
  })

  test('what the service keeps, and what belongs to other records, is read only', async () => {
    const { page } = await openList()
    assert.equal(await cell(page, 1, 'customer.city').getAttribute('aria-readonly'), 'true')
    assert.equal(await cell(page, 1, 'customer.name').getAttribute('aria-readonly'), 'false')
    await cell(page, 1, 'customer.city').dblclick()
    await page.getByRole('status').getByText('Customer › City cannot be changed here.').waitFor()
  })
})

describe('axe finds nothing in an open cell', () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [320, 768, 1440])
      test(`${colorScheme}, ${width} pixels`, async () => {
        const { page } = await openList({ colorScheme, viewport: { width, height: 800 } })
        const input = await edit(page, 1, 'total', 'Total')
        assert.deepEqual(await findViolations(page), [])
        await change(1, { total: '3.00' })
        await input.fill('4')
        await input.press('Enter')
        await page.getByRole('button', { name: 'Save mine' }).waitFor()
        assert.deepEqual(await findViolations(page), [])
      })
})
