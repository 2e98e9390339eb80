/** Fields with JSON: how they are read, and what is said while one is typed. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import { openConsole, press } from './support/open-console.tsx'
import { gone, input, save, see, sent } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const project = {
  ...orderProject,
  'roles/reader.json': {
    ...{ key: 'reader', name: 'Reader' },
    permissions: { order: { read: true }, customer: { read: true } },
  },
}
const terms = {
  delivery: 'DAP',
  penalty: { percent: 0.5, cap: 5 },
  prices: Array.from({ length: 12 }, (_, at) => ({ from: at * 10, discount: `${at} %` })),
}

const open = (options: object = {}) =>
  openConsole('/order/1', {
    project,
    records: {
      order: [{ id: 1, number: 'J-1', customer_id: 1, terms }],
      customer: [{ id: 1, name: 'Adria Metal' }],
    },
    ...options,
  })

test('what is wrong is said with its line while somebody types, by keys alone, and nothing is lost', async () => {
  const service = await open()
  const json = input('Terms')
  await expect.element(json).toHaveValue(JSON.stringify(terms, null, 2))
  const typed = '{\n  "delivery": "DAP",\n  "days": 30\n  "rate": 98765432109876543210\n}'
  await json.fill(typed)
  const said = page.getByText('Line 3, at “"days": 30”: A comma or a closing bracket is missing.')
  await see(said)
  expect(await findViolations()).toEqual([])
  // The field lets go of the focus, and keeps the text.
  await press(json, '{Tab}')
  await expect.element(json).not.toHaveFocus()
  await expect.element(json).toHaveValue(typed)
  await see(said)
  await input('Quantity').fill('7')
  await userEvent.keyboard('{Control>}s{/Control}')
  await see(page.getByRole('alert').getByText('Line 3'))
  expect(said.elements().length).toBe(1)
  await expect.element(json).toHaveFocus()
  expect(sent(service, 'PATCH /order/1')).toEqual([])
  await json.fill(typed.replace('30\n', '30,\n'))
  await gone(said)
  await json.fill('{"delivery": "EXW", "days": 30}')
  await save(2)
  await expect
    .poll(() => sent(service, 'PATCH /order/1'))
    .toEqual([{ terms: { delivery: 'EXW', days: 30 }, quantity: 7 }])
})

test.each([320, 1440])(
  'who may only read it sees names and values, and unfolds what is long, at %i pixels',
  async (width) => {
    await open({ role: 'reader', viewport: { width, height: 800 } })
    const shown = input('Terms')
    await see(shown.getByText('0.5', { exact: true }))
    await expect.element(shown.getByText('3 %', { exact: true })).not.toBeVisible()
    await press(shown.getByText('12 entries'), '{Enter}')
    await see(shown.getByText('3 %', { exact: true }))
    expect(await findViolations()).toEqual([])
  },
)
