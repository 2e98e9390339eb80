/** Numbers with their units in a real browser: in the list, in the head of a record and beside its inputs. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { offerProject } from './an-offer-project.ts'

/** By currency; more digits than a number of JavaScript has. */
const offers = [
  [1, '167921.60'],
  [2, '167921.60'],
  [1, '123456789012345678.90'],
] as const

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(offerProject))
  browser = await startBrowser()
  for (const code of ['EUR', 'DKK']) await service.ask('POST', '/currency', { body: { code } })
  for (const [at, [currency, price]] of offers.entries()) {
    const body = { number: `O-${at + 1}`, currency_id: currency, price, weight: 12, kind: 'goods' }
    await service.ask('POST', '/offer', { body })
  }
  await createUser(service, 'clerk')
})

test('amounts name their currency, whichever columns the list shows, and inputs their unit', async () => {
  const { page, reports } = await openPage(browser, service, '/console/offer')
  await page.getByRole('gridcell', { name: 'EUR 167,921.60' }).waitFor()
  await page.getByRole('gridcell', { name: 'DKK 167,921.60' }).waitFor()
  assert.equal(await page.getByRole('gridcell', { name: '12 kg' }).count(), 3)
  await page.getByRole('link', { name: 'O-2' }).click()
  await page.getByRole('listitem').getByText('DKK 167,921.60').waitFor()
  const price = page.getByLabel('Price')
  await price.and(page.getByRole('textbox', { description: 'DKK' })).waitFor()
  await page.getByRole('textbox', { name: 'Weight', description: 'kg' }).waitFor()
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(reports, [])
})

test('a role that may not see the unit sees the number alone', async () => {
  const { page, reports } = await openPage(browser, service, '/console/offer', {
    as: 'clerk@example.com',
  })
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  await page
    .getByRole('gridcell', { name: /^167,921.60$/ })
    .nth(1)
    .waitFor()
  assert.equal(await page.getByRole('gridcell', { name: '12 kg' }).count(), 3)
  await page.getByRole('checkbox', { name: /O-1/ }).check()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByText('1 selected').waitFor()
  await bar.getByRole('button', { name: 'Totals' }).click()
  const offered = page.getByRole('region', { name: 'Totals' }).getByLabel('Column')
  assert.doesNotMatch((await offered.textContent()) ?? '', /Price/)
  await page.getByRole('link', { name: 'O-2' }).click()
  await page.getByRole('listitem').getByText('167,921.60', { exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Weight', description: 'kg' }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Price', description: /./ }).count(), 0)
  assert.deepEqual([...refused, ...reports], [])
})

const bothSums = /^DKK\s167,921.60 EUR\s167,921.60$/

/** With the spaces that do not break as usual ones. */
const textsOf = async (cells: Locator) =>
  (await cells.allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' '))

const selectAll = async (page: Page) => {
  await page.getByRole('gridcell', { name: 'DKK 167,921.60' }).waitFor()
  for (const name of ['O-1', 'O-2', 'O-3']) await page.getByRole('checkbox', { name }).check()
}

test('sums are given for each unit, digit by digit, of the selection, of all and of groups', async () => {
  const { page, reports } = await openPage(browser, service, '/console/offer')
  await selectAll(page)
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByText('EUR 123,456,789,012,513,600.50').waitFor()
  await bar.getByText('DKK 167,921.60').waitFor()
  await bar.getByRole('button', { name: 'Totals' }).click()
  const totals = page.getByRole('region', { name: 'Totals' })
  const rows = totals.getByRole('row', { name: 'All that match' })
  // The sum of weights is one number, so it is shown first.
  await rows.getByText('36 kg').waitFor()
  await totals.getByLabel('Column').selectOption('Price')
  await rows.getByText('EUR 123,456,789,012,513,600.50').waitFor()
  assert.deepEqual(
    (await textsOf(rows)).map((text) => text.split('\t').slice(1)),
    [
      [...Array.from({ length: 4 }, () => 'DKK 167,921.60'), '1'],
      [
        ...['EUR 123,456,789,012,513,600.50', 'EUR 61,728,394,506,256,800.25', 'EUR 167,921.60'],
        ...['EUR 123,456,789,012,345,678.90', '2'],
      ],
    ],
  )
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('button', { name: 'Menu of the column Kind' }).click()
  await page.getByRole('menuitem', { name: 'Group by this column …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Grouped by Kind' })
  await dialog.getByLabel('Column').selectOption('Sum of Price')
  const group = dialog.getByRole('row', { name: 'goods' })
  await group.getByText('EUR 123,456,789,012,513,600.50').waitFor()
  assert.deepEqual((await textsOf(group.getByRole('cell'))).slice(0, 2), [
    '3',
    'DKK 167,921.60\nEUR 123,456,789,012,513,600.50',
  ])
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(reports, [])
})

test('the records that link to one are added up, and named by what is', async () => {
  const { page, reports } = await openPage(browser, service, '/console/currency/1#offers')
  const offers = page.getByRole('region', { name: 'Offers' })
  await offers.getByText('Price EUR 123,456,789,012,513,600.50').waitFor()
  assert.deepEqual(reports, [])
})

test('more units than one request gives are said to be more', async () => {
  const { page } = await openPage(browser, service, '/console/offer')
  await page.route('**/offer/search?limit=1', async (route) => {
    const answer = await route.fetch()
    const json = await answer.json()
    await route.fulfill({ json: 'groups' in json ? { ...json, groupsAreComplete: false } : json })
  })
  await page.getByRole('button', { name: 'Totals' }).click()
  const totals = page.getByRole('region', { name: 'Totals' })
  await totals.getByLabel('Column').selectOption('Price')
  await totals.getByText('Only the first 2 units are shown.').waitFor()
})

test('before several records are approved, the page says what they amount to', async () => {
  for (const id of [1, 2]) {
    const sent = await service.ask('POST', `/offer/${id}/proceedToStep`, {
      body: { action: 'submit' },
    })
    assert.equal(sent.status, 200, sent.text)
  }
  const { page, reports } = await openPage(browser, service, '/console/-/approvals')
  await page.getByRole('button', { name: 'O-1' }).waitFor()
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('2 selected').waitFor()
  const sums = page.getByText(bothSums)
  await sums.waitFor()
  await page.getByRole('button', { name: 'Approve 2' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Approve: 2 records' })
  await dialog.getByText(bothSums).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('Escape')
  await page.goto(`${service.url}/console/offer`)
  await selectAll(page)
  await page.getByRole('button', { name: 'Approve (2 of 3) …' }).click()
  const check = page.getByRole('dialog', { name: 'Approve: 3 records' })
  await check.getByRole('button', { name: 'Check' }).click()
  await check.getByText('Possible for 2 records.').waitFor()
  await check.getByText(bothSums).waitFor()
  assert.deepEqual(reports, [])
})

test('a list in the order of numbers of several units says so, and is ordered by the unit first', async () => {
  const { page, reports } = await openPage(browser, service, '/console/offer?s=["-price"]')
  const said = page.getByText(
    /^Price is in the order of its numbers alone, .*: (DKK, EUR|EUR, DKK)\.$/,
  )
  await said.waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('button', { name: 'Order by Currency first' }).press('Enter')
  await said.waitFor({ state: 'detached' })
  const order = new URL(page.url()).searchParams.get('s')
  assert.deepEqual(JSON.parse(order ?? ''), ['currency.code', '-price'])
  const euros = encodeURIComponent('{"currency_id":1}')
  const one = page.waitForResponse(
    (response) => response.request().postData()?.includes('$group') ?? false,
  )
  await page.goto(`${service.url}/console/offer?s=["-price"]&w=${euros}`)
  await one
  await page.getByRole('gridcell', { name: 'EUR 167,921.60' }).waitFor()
  assert.equal(await said.count(), 0)
  assert.deepEqual(reports, [])
})

test('a condition on numbers of several units says so and offers one of them, by keys alone', async () => {
  const { page, reports } = await openPage(browser, service, '/console/offer')
  await page.getByRole('button', { name: 'Menu of the column Price' }).click()
  await page.getByRole('menuitem', { name: 'Filter by this column' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Condition').selectOption('is at least')
  await dialog.getByLabel('Value').fill('1000')
  const only = dialog.getByRole('combobox', {
    name: 'Only with this: Currency',
    description: /^Numbers are compared without their units/,
  })
  await only.fill('DKK')
  await dialog.getByRole('option', { name: 'DKK' }).waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Change the filter Currency is DKK' }).waitFor()
  await page.getByText('1 record', { exact: true }).waitFor()
  const chip = page.getByRole('button', { name: /^Change the filter Price is at least/ })
  await chip.click()
  await dialog.getByLabel('Value').waitFor()
  assert.equal(await only.count(), 0)
  assert.deepEqual(reports, [])
})

test('the list stands where it is when the conditions of its filter come in', async () => {
  const where = encodeURIComponent(JSON.stringify({ kind: 'goods' }))
  const { page } = await openPage(browser, service, '/console/offer')
  const grid = page.getByRole('grid')
  await grid.waitFor()
  const before = await grid.boundingBox()
  await page.goto(`${service.url}/console/offer?w=${where}`)
  await page.getByRole('button', { name: /^Change the filter Kind/ }).waitFor()
  assert.deepEqual(await grid.boundingBox(), before)
})
