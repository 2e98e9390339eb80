/** Choices on the page of an import that follow each other fast: the service reads one file at a time for them. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { look, openImport } from './support/import-answers.ts'
import { see, sent } from './support/record-form.ts'

const target = (head: string) => page.getByRole('combobox', { name: `${head} goes to` })

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
  await see(page.getByRole('button', { name: 'Choose a file' }))
  const file = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement
  await userEvent.upload(file, new File(['Nr;Kunde;Betrag'], 'alt.csv', { type: 'text/csv' }))
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
