/** The page of a new record: what its address gives it, where it leads, and several records one after another. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { entityFile, namedRole } from '../support/definitions/files.ts'
import { problem } from './support/answers.ts'
import { finds, foundOf } from './support/given.ts'
import { type Opening, openConsole } from './support/open-console.tsx'
import { button, heading, link } from './support/parts.ts'
import { gone, input, keysOf, see, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const project = {
  'docket.json': { name: 'Shop', locale: 'en-GB' },
  ...entityFile('order', { name: 'Order', displayField: 'number' }, [
    { key: 'number', name: 'Number', type: 'string', series: { format: 'C-{0}' } },
    { key: 'buyer', name: 'Buyer', type: 'manyToOne', entity: 'user', default: { $caller: 'id' } },
    { key: 'title', name: 'Title', type: 'string', default: { $caller: 'job_title' } },
    { key: 'lines', name: 'Lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
  ]),
  ...entityFile('line', { name: 'Line', pluralName: 'Lines', displayField: 'code' }, [
    { key: 'order', name: 'Order', type: 'manyToOne', entity: 'order' },
    { key: 'code', name: 'Code', type: 'string' },
    { key: 'quantity', name: 'Quantity', type: 'integer', default: 1 },
  ]),
  ...namedRole('Reader', { order: { read: true }, line: { read: true } }),
}

const open = (values: object = {}, options: Opening = {}) =>
  openConsole(`/line/new?values=${encodeURIComponent(JSON.stringify(values))}`, {
    project,
    records: { order: [{ id: 1, number: 'C-1' }], line: [] },
    ...options,
  })

const place = () => `${location.pathname}${location.hash}`
const another = button('Create and add another')
const creates = 'POST /line'

test('several records of one are created one after another, and the way back leads to their list', async () => {
  const service = await open({ order_id: 1, unknown: 'x' })
  await input('Code').fill('L-1')
  await input('Quantity').fill('5')
  await another.click()
  await see(page.getByRole('status').getByText('L-1 was created.'))
  await expect.element(input('Code')).toHaveFocus()
  await expect.element(input('Code')).toHaveValue('')
  await expect.element(input('Quantity')).toHaveValue('1')
  expect(await findViolations()).toEqual([])
  await userEvent.keyboard('L-2')
  await another.click()
  await see(page.getByRole('status').getByText('L-2 was created.'))
  await wrote(
    service,
    creates,
    { order_id: 1, code: 'L-1', quantity: 5 },
    { order_id: 1, code: 'L-2', quantity: 1 },
  )
  expect(new Set(keysOf(service, creates)).size, 'each is another record').toBe(2)
  await link('Cancel').click()
  await see(heading('C-1'))
  expect(place()).toBe('/console/order/1#lines')
})

test('what the service refuses is said at its field, and what was typed stays', async () => {
  const errors = [{ path: 'code', message: 'This code is taken.' }]
  const refused = problem(422, 'record.invalid', 'It breaks the rules.', { errors })
  const service = await open({ order_id: 1 }, { answers: { [creates]: refused } })
  await input('Code').fill('L-1')
  await another.click()
  await see(page.getByText('This code is taken.').first())
  await expect.element(input('Code')).toHaveFocus()
  await expect.element(input('Code')).toHaveValue('L-1')
  await gone(page.getByText('was created'))
  await input('Code').fill('L-2')
  await another.click()
  await wrote(
    service,
    creates,
    ...['L-1', 'L-2'].map((code) => ({ order_id: 1, code, quantity: 1 })),
  )
  expect(new Set(keysOf(service, creates)).size, 'each is another request').toBe(2)
})

test('one of no other record leads to itself, or back to its list', async () => {
  const service = await open(
    { code: 'L-7', order: 1 },
    {
      records: { order: [], line: [{ id: 1, code: 'L-7' }] },
      answers: {
        [creates]: async (_asked, usual) => {
          const given = await usual()
          return { ...given, body: { ...(given.body as object), id: 1 } }
        },
      },
    },
  )
  await expect.element(input('Code')).toHaveValue('L-7')
  await gone(another)
  const cancel = link('Cancel').element() as HTMLAnchorElement
  expect(new URL(cancel.href).pathname).toBe('/console/line')
  await input('Quantity').fill('')
  await userEvent.keyboard('{Control>}s{/Control}')
  await see(heading('L-7'))
  expect(place()).toBe('/console/line/1')
  // What is empty gets its default from the service.
  await wrote(service, creates, { code: 'L-7' })
})

test('a default of the clock is filled in to the minute', async () => {
  const file = entityFile('handover', { name: 'Handover' }, [
    { key: 'handed_over', name: 'Handed over', type: 'timestamp', default: { $now: 0 } },
  ])
  await openConsole('/handover/new', { project: { ...project, ...file } })
  await expect
    .element(input('Handed over'))
    .toHaveValue(expect.stringMatching(/ \d{4}, \d\d:\d\d$/))
})

test('choices that fit equally well stand in the order of their names', async () => {
  const found = [12, 3, 11].map((id) => foundOf('order', id, `C-${id}`, 'number'))
  const exact = foundOf('order', 1, 'C-1', 'number', { match: 'exact' })
  await open({}, { answers: { 'GET /api/search': finds(exact, ...found) } })
  await page.getByRole('combobox', { name: 'Order' }).fill('C-1')
  await see(page.getByRole('option', { name: 'C-11' }))
  const names = page
    .getByRole('option')
    .elements()
    .map(({ textContent }) => textContent.trim())
  expect(names).toEqual(['C-1', 'C-3', 'C-11', 'C-12'])
})

test('is no page for a role that creates none', async () => {
  await open({}, { role: 'reader' })
  await see(page.getByText('There is no such page.'))
  await gone(button('Create'))
})

test('a number of a series is given when it is saved, and defaults of the user are there before', async () => {
  const service = await openConsole('/order/new', {
    project,
    records: {
      order: [{ id: 1, number: 'C-1' }],
      line: [],
      user: [{ id: 1, full_name: 'Anna Novak' }],
    },
    answers: {
      'POST /order': async (_asked, usual) => {
        const given = await usual()
        return { ...given, body: { ...(given.body as object), id: 1, number: 'C-1' } }
      },
    },
  })
  await see(page.getByText('Given when it is saved'))
  await expect.element(input('Buyer')).toHaveValue('Anna Novak')
  await gone(page.getByRole('textbox', { name: 'Number' }))
  await input('Title').fill('Desk')
  await button('Create').click()
  await see(heading('C-1'))
  await wrote(service, 'POST /order', { buyer_id: 1, title: 'Desk' })
})
