/** Units that are choices in a real browser: they read what the choice is called, in the language of the user. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

const workProject = {
  'docket.json': { name: 'Works', locale: 'en' },
  'entities/article.json': {
    ...{ key: 'article', name: 'Article', displayField: 'name' },
    fields: [
      { key: 'name', name: 'Name', type: 'string', required: true },
      {
        ...{ key: 'measure', name: 'Measure', type: 'enum' },
        values: [
          { value: 'hour', name: 'Hours' },
          ...['running_metre', 'm2', { value: 'EUR', name: 'Euros' }],
        ],
      },
      { key: 'stock', name: 'Stock', type: 'integer', unit: { field: 'measure' } },
      { key: 'works', name: 'Works', type: 'oneToMany', entity: 'work', mappedBy: 'article' },
    ],
    exportSettings: { columnDefs: ['name', 'measure', 'stock'].map((field) => ({ field })) },
  },
  'entities/work.json': {
    ...{ key: 'work', name: 'Work', pluralName: 'Works', displayField: 'number' },
    fields: [
      { key: 'number', name: 'Number', type: 'string', required: true },
      { key: 'article', name: 'Article', type: 'manyToOne', entity: 'article' },
      {
        ...{ key: 'quantity', name: 'Quantity', type: 'decimal', precision: 12, scale: 2 },
        unit: { field: 'article.measure' },
      },
      { key: 'kind', name: 'Kind', type: 'enum', values: ['usual', 'urgent'] },
    ],
    exportSettings: {
      columnDefs: ['number', 'quantity', 'kind', 'article.stock'].map((field) => ({ field })),
    },
    workflow: {
      initialStep: 'review',
      steps: [
        { key: 'review', actions: [{ key: 'approve', kind: 'approveWorkflow', to: 'approved' }] },
        { key: 'approved', final: true },
      ],
    },
  },
  'translations/de.json': {
    entities: {
      article: { fields: { measure: { values: { hour: 'Stunden', EUR: 'Euro' } } } },
      work: { pluralName: 'Arbeiten' },
    },
  },
}

/** By article: 1 in hours, 2 in running metres, 3 in a currency. */
const works = [
  [1, '15.50'],
  [2, '3.00'],
  [3, '7.00'],
  [1, '4.00'],
] as const

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(workProject))
  browser = await startBrowser()
  const articles = [
    { name: 'Montage', measure: 'hour', stock: 8 },
    { name: 'Cable', measure: 'running_metre', stock: 250 },
    { name: 'Fee', measure: 'EUR', stock: 1 },
  ]
  for (const body of articles) await service.ask('POST', '/article', { body })
  for (const [at, [article_id, quantity]] of works.entries()) {
    const body = { number: `W-${at + 1}`, article_id, quantity, kind: 'usual' }
    assert.equal((await service.ask('POST', '/work', { body })).status, 201)
  }
})

const open = (path: string, locale = 'en-GB') => openPage(browser, service, path, { locale })

const cell = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true }).first()

test('a list has the names of choices behind numbers, and the words of those without a name', async () => {
  const { page, reports } = await open('/console/work')
  for (const text of ['15.5 Hours', '3 running metre', 'EUR 7.00', '4 Hours', '8 Hours'])
    await cell(page, text).waitFor()
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(reports, [])
})

test('it has them in the language of the user', async () => {
  const { page, reports } = await open('/console/work', 'de-DE')
  for (const text of ['15,5 Stunden', '3 running metre', '7,00 EUR'])
    await cell(page, text).waitFor()
  assert.deepEqual(reports, [])
})

test('sums are given by unit, of all and of groups, each with the name of its unit', async () => {
  const { page, reports } = await open('/console/work')
  await page.getByRole('button', { name: 'Totals' }).click()
  const totals = page.getByRole('region', { name: 'Totals' })
  await totals.getByLabel('Column').selectOption('Quantity')
  for (const sum of ['19.5 Hours', '3 running metre', 'EUR 7.00'])
    await totals.getByText(sum, { exact: true }).first().waitFor()
  await totals.getByText('9.75 Hours').waitFor()
  await page.getByRole('button', { name: 'Menu of the column Kind' }).click()
  await page.getByRole('menuitem', { name: 'Group by this column …' }).click()
  const group = page.getByRole('dialog').getByRole('row', { name: 'Usual' })
  await page.getByRole('dialog').getByLabel('Column').selectOption('Sum of Quantity')
  await group.getByText('19.5 Hours').waitFor()
  await group.getByText('3 running metre').waitFor()
  assert.deepEqual(reports, [])
})

test('a list in the order of numbers of several units names these', async () => {
  const { page, reports } = await open('/console/work?s=["-quantity"]', 'de-DE')
  const said = page.getByRole('status').filter({ hasText: 'Stunden' })
  await said.waitFor()
  assert.match((await said.textContent()) ?? '', /running metre/)
  assert.doesNotMatch((await said.textContent()) ?? '', /hour|running_metre/)
  assert.deepEqual(reports, [])
})

test('an input has the name of its unit at its end, which follows another choice', async () => {
  const { page, reports } = await open('/console/article/1')
  await page.getByRole('textbox', { name: 'Stock', description: 'Hours' }).waitFor()
  await page.getByLabel('Measure').selectOption('Running metre')
  await page.getByRole('textbox', { name: 'Stock', description: 'running metre' }).waitFor()
  await page.goto(`${service.url}/console/work/1`)
  await page.getByRole('textbox', { name: 'Quantity', description: 'Hours' }).waitFor()
  await page.getByRole('listitem').getByText('15.5 Hours').waitFor()
  assert.deepEqual(reports, [])
})

test('related records, their sum and approvals name it too', async () => {
  const { page, reports } = await open('/console/article/1#works')
  const related = page.getByRole('region', { name: 'Works' })
  await related.getByRole('cell', { name: '15.5 Hours' }).waitFor()
  await related.getByText('Quantity 19.5 Hours').waitFor()
  await page.goto(`${service.url}/console/-/approvals`)
  await page.getByRole('button', { name: 'W-1' }).getByText('15.5 Hours').waitFor()
  assert.deepEqual(reports, [])
})
