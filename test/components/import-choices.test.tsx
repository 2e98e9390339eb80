/** What the page of an import asks for, and what it does not: of files in their turn, of columns, of runs that have written something. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { roleFile } from '../support/definitions/files.ts'
import { problem } from './support/answers.ts'
import {
  importProject,
  look,
  openImport,
  run,
  runAnswer,
  withFaults,
} from './support/import-answers.ts'
import { button, link } from './support/parts.ts'
import { gone, see, sent } from './support/record-form.ts'

const target = (head: string) => page.getByRole('combobox', { name: `${head} goes to` })

const mode = page.getByRole('combobox', { name: 'What the rows do' })

/** A saved import for files that have other heads. */
const unlike = {
  key: 'unlike',
  name: 'Others',
  mode: 'insert',
  match: [],
  emptyCells: 'keep',
  heads: 3,
  found: 1,
}

const upload = async () => {
  await see(button('Choose a file'))
  const file = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement
  await userEvent.upload(file, new File(['Nr;Kunde;Betrag'], 'alt.csv', { type: 'text/csv' }))
}

test('a saved import that fits little is not chosen, records that exist need no column, and a file waits while others are read', async () => {
  let tries = 0
  await openImport('/order/import', {
    answers: {
      'POST /order/import/look': (asked) => ({
        body: { ...Object(look(asked).body), imports: [unlike] },
      }),
      'POST /order/import': () => {
        tries += 1
        return tries === 1
          ? problem(503, 'request.saturated', 'Other files are read.')
          : { status: 202, body: run }
      },
    },
  })
  await upload()
  await see(page.getByText('No column goes to a required field: Customer.'))
  const saved = page.getByRole('combobox', { name: 'Saved import', exact: true })
  await expect.element(saved).toHaveDisplayValue('None')
  await mode.selectOptions('Change existing records only')
  await gone(page.getByText('No column goes to a required field'))
  await target('Kunde').selectOptions('Customer › Name')
  await see(page.getByRole('cell', { name: 'Čavao' }))
  await button('Check all rows').click()
  await see(page.getByText('No row has a fault.'))
})

test('what a role may not do is not offered for the rows of a file', async () => {
  const order = { create: true, read: true, import: true }
  const project = { ...importProject, ...roleFile('creator', { order }) }
  await openImport('/order/import', { project, role: 'creator' })
  await upload()
  await expect.element(mode).toHaveDisplayValue('Create new records only')
  expect((mode.element() as HTMLSelectElement).options).toHaveLength(1)
})

test('a correction of one row is none of those that are like it', async () => {
  await openImport('/order/import?run=7', {
    answers: { 'GET /api/imports/7': runAnswer(withFaults) },
  })
  const cellOf = (row: number) =>
    page.getByRole('textbox', { name: `Kunde, row ${row}`, exact: true })
  await cellOf(4).fill('Adria')
  await see(button('Check again with 1 correction'))
  await expect.element(cellOf(10)).toHaveValue('Adriia')
})

test('a run that has written something is left, not removed, and leads to what it has changed', async () => {
  const begun = { ...run, mode: 'update', done_rows: 10 }
  const service = await openImport('/order/import?run=7', {
    answers: {
      'GET /api/imports/7': runAnswer(begun),
      'GET /api/imports': { body: { data: [begun, { ...begun, id: 8, user_id: 2 }] } },
    },
  })
  await expect
    .element(link('Show these records'))
    .toHaveAttribute('href', expect.stringContaining('_updated_by'))
  await see(button('Import 4,990 rows'))
  await button('Import another file').click()
  await see(button('Choose a file'))
  // Administrators are told of the runs of others, too.
  expect(page.getByRole('link', { name: /alt\.csv/ }).elements()).toHaveLength(1)
  expect(sent(service, 'DELETE /api/imports/7')).toEqual([])
})

test('quick choices are sent one at a time: the one that is read, then the last, and none is lost', async () => {
  const held = Promise.withResolvers<void>()
  let isHeld = false
  const service = await openImport('/order/import', {
    answers: {
      'POST /order/import/look': async (asked) => {
        if (isHeld) await held.promise
        return look(asked)
      },
    },
  })
  await upload()
  await see(target('Kunde'))
  const looks = () => sent(service, 'POST /order/import/look').length
  const before = looks()
  isHeld = true
  for (const [head, field] of [
    ['Kunde', 'Notes'],
    ['Kunde', 'Total'],
    ['Betrag', 'Notes'],
    ['Nr', 'Leave out'],
    ['Kunde', 'Customer › Name'],
  ] as const) {
    await target(head).selectOptions(field)
    await expect.element(target(head)).toHaveDisplayValue(field)
  }
  expect(looks()).toBe(before + 1)
  held.resolve()
  await see(page.getByRole('cell', { name: 'Čavao' }))
  expect(looks()).toBe(before + 2)
  const last = service.asked.findLast(({ path }) => path === '/order/import/look')
  expect(last?.query.get('columns')).toBe(
    JSON.stringify({ Kunde: { field: 'customer.name' }, Betrag: { field: 'notes' }, Nr: null }),
  )
})
