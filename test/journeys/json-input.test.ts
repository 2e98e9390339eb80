/** Fields with JSON in a real browser: how they are read, and what is said while one is typed. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { orderProject } from '../support/console/an-order-project.ts'

const project = {
  ...orderProject,
  'roles/reader.json': {
    ...{ key: 'reader', name: 'Reader' },
    permissions: { order: { read: true }, customer: { read: true } },
  },
}
const terms = {
  delivery: 'DAP',
  penalty: { percent: 0.5, cap: 5 },
  prices: Array.from({ length: 12 }, (_, at) => ({ from: at * 10, discount: `${at} %` })),
}

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(project))
  browser = await startBrowser()
  await createUser(service, 'reader')
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  for (const number of ['J-1', 'J-2']) {
    const body = { number, customer_id: 1, terms }
    assert.equal((await service.ask('POST', '/order', { body })).status, 201)
  }
})

test('what is wrong is said with its line while somebody types, by keys alone, and nothing is lost', async () => {
  const { page, reports } = await openPage(browser, service, '/console/order/1')
  const input = page.getByLabel('Terms', { exact: true })
  await input.focus()
  assert.match(await input.inputValue(), /^\{\n {2}"delivery": "DAP",\n/)
  const typed = '{\n  "delivery": "DAP",\n  "days": 30\n  "rate": 98765432109876543210\n}'
  await input.fill(typed)
  const said = page.getByText('Line 3, at “"days": 30”: A comma or a closing bracket is missing.')
  await said.waitFor()
  assert.equal(await said.count(), 1)
  assert.deepEqual(await findViolations(page), [])
  // The field lets go of the focus, and keeps the text.
  await page.keyboard.press('Tab')
  assert.equal(await input.and(page.locator(':focus')).count(), 0)
  assert.equal(await input.inputValue(), typed)
  await said.waitFor()
  await page.getByLabel('Quantity').fill('7')
  await page.keyboard.press('Control+s')
  await page.getByRole('alert').getByText('Line 3').waitFor()
  assert.equal(await said.count(), 1)
  await input.and(page.locator(':focus')).waitFor()
  await input.fill(typed.replace('30\n', '30,\n'))
  await said.waitFor({ state: 'detached' })
  await input.fill('{"delivery": "EXW", "days": 30}')
  await page.keyboard.press('Control+s')
  await page.getByText('2 changes are not saved').waitFor({ state: 'detached' })
  const record = (await service.ask('GET', '/order/1')).json()
  assert.deepEqual([record.terms, record.quantity], [{ delivery: 'EXW', days: 30 }, 7])
  assert.deepEqual(reports, [])
})

test('who may only read it sees names and values, and unfolds what is long', async () => {
  for (const [width, colorScheme] of [
    [320, 'dark'],
    [1440, 'light'],
  ] as const) {
    const options = { as: 'reader@example.com', colorScheme, viewport: { width, height: 800 } }
    const { page, reports } = await openPage(browser, service, '/console/order/2', options)
    const shown = page.getByLabel('Terms', { exact: true })
    await shown.getByText('0.5', { exact: true }).waitFor()
    assert.equal(await shown.getByText('3 %', { exact: true }).isVisible(), false)
    await shown.getByText('12 entries').press('Enter')
    await shown.getByText('3 %', { exact: true }).waitFor()
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(reports, [])
    await page.context().close()
  }
})
