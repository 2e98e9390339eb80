/** What the page of an import asks for, and what it does not: of files in their turn, of columns, of runs that have written something. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { problem } from './support/answers.ts'
import { look, openImport, run, runAnswer } from './support/import-answers.ts'
import { button, link } from './support/parts.ts'
import { gone, see, sent } from './support/record-form.ts'

const target = (head: string) => page.getByRole('combobox', { name: `${head} goes to` })

const upload = async () => {
  await see(button('Choose a file'))
  const file = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement
  await userEvent.upload(file, new File(['Nr;Kunde;Betrag'], 'alt.csv', { type: 'text/csv' }))
}

test('a file waits while the service reads others, and records that exist need no required column', async () => {
  const busy = problem(503, 'request.saturated', 'Other files are read.')
  let asked = 0
  await openImport('/order/import', {
    answers: {
      'POST /order/import/look': (one) => {
        asked += 1
        return asked === 1 ? busy : look(one)
      },
    },
  })
  await upload()
  await see(page.getByText('No column goes to a required field: Customer.'))
  const mode = page.getByRole('combobox', { name: 'What the rows do' })
  await mode.selectOptions('Change existing records only')
  await gone(page.getByText('No column goes to a required field'))
})

test('a run that has written something is left, not removed, and leads to what it has changed', async () => {
  const begun = { ...run, mode: 'update', done_rows: 10 }
  const service = await openImport('/order/import?run=7', {
    answers: { 'GET /api/imports/7': runAnswer(begun) },
  })
  await expect
    .element(link('Show these records'))
    .toHaveAttribute('href', expect.stringContaining('_updated_by'))
  await see(button('Import 4,990 rows'))
  await button('Import another file').click()
  await see(button('Choose a file'))
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
