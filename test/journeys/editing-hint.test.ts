/** The hint that cells of a list can be edited, in a real browser: once for each person, and never in the way. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { addPeople, approverEmail, sellerEmail, shopProject } from './a-shop-project.ts'

const clerk = {
  ...{ key: 'clerk', name: 'Clerk' },
  permissions: { order: { read: true, update: true }, customer: { read: true } },
}

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(
    await writeProject({ ...shopProject, 'roles/clerk.json': clerk }),
  )
  await addPeople(service)
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  const body = { number: 'H-1', customer_id: 1, quantity: 3 }
  assert.equal((await service.ask('POST', '/order', { body })).status, 201)
})

const columns = encodeURIComponent('["number","quantity"]')

/** Opens the list and begins to use it. */
const openUsed = async (options: Parameters<typeof openPage>[3] = {}) => {
  const opened = await openPage(browser, service, `/console/order?c=${columns}`, options)
  const { page } = opened
  await page.getByRole('grid').getByText('H-1', { exact: true }).waitFor()
  const before = await page.getByRole('grid').boundingBox()
  await page.mouse.move(300, 300)
  await page.mouse.move(310, 300)
  return { ...opened, before }
}

const hintOf = (page: Page) => page.getByText('A double click, or F2, edits a cell.')

const isKnown = async (as?: string) =>
  (await service.ask('GET', '/console/-/settings.json', as ? { as } : {})).json()['known.cells']

/** What is loaded when a page is used has come, and the hint is not among it. */
const hasNoHint = async (page: Page) => {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForLoadState('networkidle')
  assert.equal(await page.locator('.editing-hint').count(), 0)
}

test('whoever begins to use a list is told how a cell is edited, and closes that for ever by keys', async () => {
  const { page, before, reports } = await openUsed()
  await hintOf(page).waitFor()
  assert.deepEqual(await page.getByRole('grid').boundingBox(), before, 'no row moves')
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('button', { name: 'Do not show again' }).press('Enter')
  await hintOf(page).waitFor({ state: 'detached' })
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
  await until('it is kept', async () => (await isKnown()) === true)
  const later = await openUsed()
  await hasNoHint(later.page)
  assert.deepEqual([...reports, ...later.reports], [])
})

test('it goes for ever with the first cell that is edited', async () => {
  const as = 'clerk@example.com'
  await createUser(service, 'clerk')
  const { page, reports } = await openUsed({ as })
  await hintOf(page).waitFor()
  await page.getByRole('gridcell', { name: '3', exact: true }).dblclick()
  await page.getByLabel('Quantity of H-1').fill('4')
  await page.keyboard.press('Enter')
  await hintOf(page).waitFor({ state: 'detached' })
  await until('it is kept', async () => (await isKnown(as)) === true)
  assert.deepEqual(reports, [])
})

test('nobody is told who changes nothing, or has a phone', async () => {
  const { page } = await openUsed({ as: approverEmail })
  await hasNoHint(page)
  const phone = await openPage(browser, service, '/console/order', {
    ...{ as: sellerEmail, viewport: { width: 390, height: 800 } },
  })
  await phone.page.getByRole('grid').getByText('H-1', { exact: true }).waitFor()
  await phone.page.mouse.move(100, 300)
  await hasNoHint(phone.page)
})

for (const [locale, text] of [
  ['de-DE', 'Mit Doppelklick oder F2 bearbeiten Sie eine Zelle.'],
  ['hr-HR', 'Ćelija se uređuje dvoklikom ili tipkom F2.'],
] as const)
  test(`it is in the language of the user: ${locale}`, async () => {
    const { page, reports } = await openUsed({ as: sellerEmail, locale })
    await page.getByText(text).waitFor()
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(reports, [])
  })
