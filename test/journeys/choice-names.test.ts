/** Choices in a real browser: people see the names of the definition, and the service and its files get the keys. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

const project = {
  'docket.json': { name: 'Shop', locale: 'en' },
  'entities/order.json': {
    key: 'order',
    name: 'Order',
    displayField: 'number',
    fields: [
      { key: 'number', name: 'Number', type: 'string', required: true },
      {
        key: 'status',
        name: 'Status',
        type: 'enum',
        values: [
          { value: 'open', name: 'Not paid yet' },
          { value: 'paid', name: 'Settled' },
          'lost',
        ],
      },
    ],
    exportSettings: {
      columnDefs: [
        { headerName: 'Number', field: 'number' },
        { headerName: 'Status', field: 'status', format: 'name' },
      ],
    },
  },
}

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(project))
  browser = await startBrowser()
  for (const [at, status] of ['open', 'paid', 'lost', null].entries())
    await service.ask('POST', '/order', { body: { number: `O-${at + 1}`, status } })
})

const filterBy = (where: object) => `/console/order?w=${encodeURIComponent(JSON.stringify(where))}`

test('lists, filters and groups show the names of choices', async () => {
  const { page, reports } = await openPage(browser, service, filterBy({ status: ['open', 'lost'] }))
  await page.getByRole('gridcell', { name: 'Not paid yet' }).waitFor()
  await page.getByRole('gridcell', { name: 'Lost' }).waitFor()
  const chip = page.getByRole('button', { name: /Change the filter Status .*Not paid yet.*Lost/ })
  await chip.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: 'Settled' }).check()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('gridcell', { name: 'Settled' }).waitFor()
  assert.deepEqual(JSON.parse(new URL(page.url()).searchParams.get('w') ?? ''), {
    status: { $in: ['open', 'lost', 'paid'] },
  })
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(reports, [])
})

test('a record is changed by name, and its history says the names', async () => {
  const { page, reports } = await openPage(browser, service, '/console/order/1')
  const status = page.getByLabel('Status')
  await status.waitFor()
  assert.deepEqual(await status.getByRole('option').allTextContents(), [
    ...['', 'Not paid yet', 'Settled', 'Lost'],
  ])
  await status.selectOption('Settled')
  await page.keyboard.press('Control+s')
  const history = page.getByRole('complementary', { name: 'History' })
  await history.getByText('Settled').waitFor()
  await history.getByText('Not paid yet').waitFor()
  assert.equal((await service.ask('GET', '/order/1')).json().status, 'paid')
  assert.deepEqual(reports, [])
})

test('the preview of an export shows what its file will hold', async () => {
  const { page } = await openPage(browser, service, '/console/order')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('dialog').getByLabel('CSV', { exact: true }).check()
  const preview = page.getByRole('dialog').getByLabel('The first rows, as in the file')
  await preview.and(page.getByText(/O-2,Settled/)).waitFor()
  await page.getByText(/O-3,lost/).waitFor()
})
