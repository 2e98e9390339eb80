/** Calculated fields in a real browser: shown everywhere, entered nowhere, and up to date by themselves. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { calculatedProject } from '../support/records/a-calculated-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(calculatedProject))
  browser = await startBrowser()
  await service.ask('POST', '/order', { body: { number: 'C-1', rate: '2' } })
  const body = { order_id: 1, code: 'C-1-1', quantity: 2, price: '5' }
  await service.ask('POST', '/line', { body })
})

test('a record shows them without an input, and what follows from a change, in every page that is open', async () => {
  const order = await openPage(browser, service, '/console/order/1')
  const outputOf = (page: typeof order.page, name: string) =>
    page.locator(`[data-column="${name}"] output`)
  await outputOf(order.page, 'total_eur').getByText('20.00').waitFor()
  const { page, reports } = await openPage(browser, service, '/console/line/1')
  await outputOf(page, 'amount').getByText('10.00').waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.getByLabel('quantity').fill('3')
  await page.keyboard.press('Control+s')
  await outputOf(page, 'amount').getByText('15.00').waitFor()
  await outputOf(order.page, 'total_eur').getByText('30.00').waitFor()
  assert.deepEqual([...reports, ...order.reports], [])
})

test('a change is taken back without them', async () => {
  const { page, reports } = await openPage(browser, service, '/console/line/1')
  await page.getByRole('button', { name: /^Undo/ }).first().click()
  await page.locator('[data-column="amount"] output').getByText('10.00').waitFor()
  assert.equal((await service.ask('GET', '/line/1')).json().quantity, 2)
  assert.deepEqual(reports, [])
})

test('a new record does not ask for them, whatever its address says', async () => {
  const values = encodeURIComponent(JSON.stringify({ order_id: 1, amount: '99.00' }))
  const { page, reports } = await openPage(browser, service, `/console/line/new?values=${values}`)
  await page.getByLabel('price').fill('1.5')
  assert.equal(await page.locator('[data-column="amount"]').count(), 0)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL(/\/console\/order\/1#lines$/)
  // In the order of the definition: what comes out after what goes in.
  const heads = page.getByRole('tabpanel').getByRole('columnheader')
  await heads.first().waitFor()
  assert.deepEqual(await heads.allTextContents(), [
    ...['ID', 'Code', 'Quantity', 'Price', 'Amount', 'Ordered on', 'Created by'],
  ])
  await page.getByRole('tab', { name: 'Fields' }).click()
  await page.locator('[data-column="total"] output').getByText('11.50').waitFor()
  assert.deepEqual(reports, [])
})

test('no cell of a list edits them, nor a change of several records', async () => {
  const columns = encodeURIComponent('["quantity","amount"]')
  const { page, reports } = await openPage(browser, service, `/console/line?c=${columns}`)
  await page.getByRole('gridcell', { name: '10.00', exact: true }).dblclick()
  assert.equal(await page.getByRole('grid').getByRole('textbox').count(), 0)
  await page.getByRole('gridcell', { name: '2', exact: true }).dblclick()
  await page.getByRole('grid').getByRole('textbox').waitFor()
  assert.deepEqual(reports, [])
})

const words = {
  'en-GB': 'Calculated when saved',
  'de-DE': 'Wird beim Speichern berechnet',
  'hr-HR': 'Izračunava se pri spremanju',
}
for (const [locale, text] of Object.entries(words))
  test(`what follows from input that is not saved says so in ${locale}, and nothing else does`, async () => {
    const { page, reports } = await openPage(browser, service, '/console/line/1', { locale })
    const outputOf = (name: string) => page.locator(`[data-column="${name}"] output`)
    await outputOf('amount').getByText('10', { exact: false }).waitFor()
    assert.equal(await page.getByText(text).count(), 0)
    await page.getByLabel('quantity').fill('4')
    for (const name of ['amount', 'share']) await outputOf(name).getByText(text).waitFor()
    assert.equal(await page.getByText(text).count(), 2)
    assert.deepEqual(await findViolations(page), [])
    // The value that is stored is no change.
    await page.getByLabel('quantity').fill('2')
    await outputOf('amount').getByText(text).waitFor({ state: 'detached' })
    assert.deepEqual(reports, [])
  })

test('what follows through another calculated field says so too, until it is saved', async () => {
  const { page, reports } = await openPage(browser, service, '/console/order/1')
  const outputOf = (name: string) => page.locator(`[data-column="${name}"] output`)
  const text = words['en-GB']
  await page.getByLabel('rate').fill('3')
  for (const name of ['total_eur', 'vat_eur']) await outputOf(name).getByText(text).waitFor()
  assert.equal(await outputOf('total').getByText(text).count(), 0)
  await page.keyboard.press('Control+s')
  await outputOf('total_eur').getByText('34.50', { exact: true }).waitFor()
  assert.equal(await page.getByText(text).count(), 0)
  assert.deepEqual(reports, [])
})

test('a cell of a list says so while another one of its row is not saved', async () => {
  const columns = encodeURIComponent('["quantity","days","amount"]')
  const { page } = await openPage(browser, service, `/console/line?c=${columns}&w={"id":1}`)
  const [amount, mark] = [
    page.getByRole('gridcell', { name: '10.00' }),
    page.getByRole('img', { name: words['en-GB'] }),
  ]
  await amount.waitFor()
  assert.equal(await mark.count(), 0)
  await page.getByRole('gridcell', { name: '2', exact: true }).dblclick()
  await page.getByRole('grid').getByRole('textbox').fill('2147483648')
  await page.keyboard.press('Enter')
  await amount.getByRole('img', { name: words['en-GB'] }).waitFor()
  assert.equal(await mark.count(), 1)
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('button', { name: 'Discard' }).click()
  await mark.waitFor({ state: 'detached' })
})
