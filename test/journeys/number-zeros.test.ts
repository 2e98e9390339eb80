/** Zeros at the end of numbers in a real browser: people read what they write, and what is stored stays digit by digit. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

const decimal = (key: string, name: string, scale: number, unit?: string) => ({
  ...{ key, name, type: 'decimal', precision: 18, scale },
  ...(unit !== undefined && { unit }),
})

const project = {
  'docket.json': { name: 'Prices', locale: 'en' },
  'entities/price.json': {
    ...{ key: 'price', name: 'Price', pluralName: 'Prices', displayField: 'code' },
    fields: [
      { key: 'code', name: 'Code', type: 'string', required: true },
      decimal('rate', 'Rate', 8),
      decimal('weight', 'Weight', 3, 'kg'),
      decimal('discount', 'Discount', 2, '%'),
      decimal('piece', 'Price of a piece', 4, 'EUR'),
      decimal('total', 'Total', 2),
      { key: 'remark', name: 'Remark', type: 'string' },
    ],
    exportSettings: {
      columnDefs: ['code', 'rate', 'weight', 'discount', 'piece', 'total'].map((field) => ({
        field,
      })),
    },
  },
}

const stored = {
  ...{ rate: '1.00000000', weight: '10.500', discount: '5.00' },
  ...{ piece: '12.5000', total: '7.00' },
}

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(project))
  browser = await startBrowser()
  for (const code of ['P-1', 'P-2'])
    await service.ask('POST', '/price', { body: { code, ...stored } })
})

const read = async (id: number): Promise<Record<string, unknown>> =>
  (await service.ask('GET', `/price/${id}`)).json()

/** The values of the record alone. */
const numbersOf = async (id: number) => {
  const record = await read(id)
  return Object.fromEntries(Object.keys(stored).map((key) => [key, record[key]]))
}

test('lists, averages and inputs have the zeros of amounts alone', async () => {
  const { page, reports } = await openPage(browser, service, '/console/price', { locale: 'de-DE' })
  const row = page.getByRole('row', { name: /P-1/ })
  await row.waitFor()
  for (const text of ['1', '10,5 kg', '5 %', '12,50 EUR', '7,00'])
    await row.getByRole('gridcell', { name: text, exact: true }).waitFor()
  await page.goto(`${service.url}/console/price/1`)
  const shown = async (label: string) => page.getByLabel(label, { exact: true }).inputValue()
  await page.getByLabel('Rate').waitFor()
  assert.deepEqual(
    await Promise.all(['Rate', 'Weight', 'Discount', 'Price of a piece', 'Total'].map(shown)),
    ['1', '10,5', '5', '12,50', '7,00'],
  )
  await page.getByLabel('Rate').focus()
  assert.equal(await shown('Rate'), '1')
  assert.deepEqual(reports, [])
})

test('the same number typed with fewer zeros is no change, and saving changes no other number', async () => {
  const { page, reports } = await openPage(browser, service, '/console/price/1')
  const rate = page.getByLabel('Rate')
  await rate.fill('1.25')
  await page.getByText('1 change is not saved').waitFor()
  await rate.fill('1')
  await page.getByText('1 change is not saved').waitFor({ state: 'detached' })
  await page.getByLabel('Weight').fill('10.50')
  await page.getByLabel('Remark').fill('Checked')
  await page.getByText('1 change is not saved').waitFor()
  await page.keyboard.press('Control+s')
  await until('it is saved', async () => (await read(1)).remark === 'Checked')
  assert.deepEqual(await numbersOf(1), stored)
  assert.deepEqual(reports, [])
})

test('the history has the numbers as they are typed', async () => {
  const changed = { rate: '1.17240000', weight: '12.000' }
  assert.equal((await service.ask('PATCH', '/price/2', { body: changed })).status, 200)
  const { page } = await openPage(browser, service, '/console/price/2')
  await page.getByText('Rate: 1 1.1724', { exact: true }).waitFor()
  await page.getByText('Weight: 10.5 kg 12 kg', { exact: true }).waitFor()
})
