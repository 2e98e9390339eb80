/** The list that somebody comes back to, and the record that was rendered before it was opened. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage } from '../../support/browser.ts'
import { until } from '../../support/wait.ts'
import { startOrderList } from './an-order-list.ts'

let list: Awaited<ReturnType<typeof startOrderList>>
before(async () => {
  list = await startOrderList()
})

const path = '/console/order?s=["id"]'
const open = async () => {
  const opened = await openPage(list.browser, list.service, path)
  await cellOf(opened.page, 2).waitFor()
  return opened
}

const nameOf = (row: number) => `O-${String(row).padStart(6, '0')}`

const cellOf = (page: Page, row: number) =>
  page.getByRole('gridcell', { name: nameOf(row), exact: true })

const openRecord = async (page: Page, row: number) => {
  await cellOf(page, row).getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: nameOf(row) }).waitFor()
}

const scrolledTo = (page: Page) =>
  page.getByRole('grid').evaluate(({ scrollTop: top, scrollLeft: left }) => ({ top, left }))

/** Says of the element of the grid that it is this one. */
const markGrid = (page: Page) =>
  page.getByRole('grid').evaluate((grid) => grid.setAttribute('data-before', ''))

const isMarked = (page: Page) =>
  page.getByRole('grid').evaluate((grid) => grid.hasAttribute('data-before'))

test('whoever goes back to a list finds it where it was, with what is selected, and can go on', async () => {
  const { page, reports } = await open()
  await page.getByRole('grid').focus()
  for (const key of ['PageDown', 'PageDown', 'x']) await page.keyboard.press(key)
  await page.getByText('1 selected').waitFor()
  await page.getByRole('grid').evaluate((grid) => grid.scrollBy(30, 0))
  const place = await scrolledTo(page)
  assert.ok(place.top > 0 && place.left > 0)
  await markGrid(page)
  await openRecord(page, 40)
  assert.equal(await page.locator('[role=grid]').count(), 0)
  await page.goBack()
  await page.getByText('1 selected').waitFor()
  assert.equal(await isMarked(page), true)
  assert.deepEqual(await scrolledTo(page), place)
  await page.getByRole('grid').focus()
  await page.keyboard.press('Control+End')
  await cellOf(page, 30_000).waitFor()
  assert.deepEqual(reports, [])
})

test('a link to the same list begins it anew', async () => {
  const { page } = await open()
  await page.getByRole('grid').focus()
  await page.keyboard.press('PageDown')
  await page.keyboard.press('PageDown')
  await markGrid(page)
  await openRecord(page, 40)
  await page.locator('.record-title').getByRole('link').first().click()
  await page.getByRole('grid').waitFor()
  assert.equal(await isMarked(page), false)
  assert.deepEqual(await scrolledTo(page), { top: 0, left: 0 })
})

test('a list that is kept shows what was changed meanwhile', async () => {
  const { page } = await open()
  await openRecord(page, 1)
  await page.getByRole('textbox', { name: 'Number', exact: true }).fill('O-first')
  await page.keyboard.press('Control+s')
  await page.getByRole('heading', { level: 1, name: 'O-first' }).waitFor()
  await page.goBack()
  await page.getByRole('gridcell', { name: 'O-first', exact: true }).waitFor()
  await list.service.ask('PATCH', '/order/1', { body: { number: nameOf(1) } })
})

test('a record that is only pointed at is not in the page, and its page begins when it is opened', async () => {
  const { page } = await open()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const isAsked = (part: string) => asked.some((one) => one.includes(part))
  const link = page.getByRole('link', { name: nameOf(2), exact: true })
  await link.hover()
  // The look at it is shown later than the record is rendered.
  await page.locator('.record-preview-row').first().waitFor()
  assert.equal(isAsked('/order/2'), true)
  assert.equal(await page.locator('.field-row').count(), 0)
  assert.equal(isAsked('/order/2/task'), false, 'Its tasks are read for its page alone.')
  await link.click()
  await page.getByRole('heading', { level: 1, name: nameOf(2) }).waitFor()
  await until('its tasks are read', async () => isAsked('/order/2/task'))
  assert.equal(await page.locator('.record-preview').count(), 0)
  // Back in the list, the pointer would rest on the link.
  await page.mouse.move(0, 0)
  await page.goBack()
  await cellOf(page, 2).waitFor()
  assert.equal(await page.locator('.record-preview').count(), 0)
})

test('a record that was left begins anew', async () => {
  const { page } = await open()
  await openRecord(page, 4)
  const record = page.locator('.record')
  await record.evaluate((element) => element.setAttribute('data-before', ''))
  await page.goBack()
  await openRecord(page, 4)
  assert.equal(await record.evaluate((element) => element.hasAttribute('data-before')), false)
})
