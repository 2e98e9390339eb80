/** The console on a phone: lists as cards, the bar at the bottom, and what stays in view. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import { keepTasks } from './support/keep-tasks.ts'
import { addressed, openConsole } from './support/open-console.tsx'
import { emptyOrder } from './support/orders.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'
import { approvalOf, notifies, waitingAnswers } from './support/waiting.ts'

const orders = [1, 2, 3].map((id) => ({
  ...{ ...emptyOrder, id, number: `P-${id}`, total: '1204.50', status: 'open' },
  ...{ notes: 'Ring twice', _step: id === 1 ? 'review' : 'draft' },
}))
const found = { entity: 'order', id: 3, display: 'P-3', field: 'number', match: 'contained' }

const open = (path: string, options: Partial<Parameters<typeof openConsole>[1]> = {}) =>
  openConsole(path, {
    project: orderProject,
    viewport: { width: 320, height: 640 },
    records: {
      order: orders,
      customer: [{ id: 1, name: 'Adria Metal d.o.o. za proizvodnju i trgovinu čelika' }],
    },
    answers: {
      ...waitingAnswers(() => [approvalOf('order', 1, 'P-1')]),
      ...keepTasks([]).answers,
      'GET /api/notifications': { body: [] },
      'GET /api/search': { body: { data: [found], incomplete: [] } },
      'POST /api/notifications/recipients': notifies(),
    },
    ...options,
  })

const button = (name: string) => page.getByRole('button', { name })
const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
const row = page.getByRole('row').filter({ hasText: 'P-2' })
const isWithin = () => expect(document.documentElement.scrollWidth).toBe(320)

test('a list is cards of the name and three more columns, which are sorted, selected together and grouped', async () => {
  const service = await open('/order')
  await see(page.getByRole('link', { name: 'P-2' }))
  // The box that selects it, the name, and three more.
  expect(row.getByRole('gridcell').elements()).toHaveLength(5)
  await see(row.getByText('1,204.50'))
  isWithin()
  expect(await findViolations()).toEqual([])
  await page.getByRole('button', { name: 'Sort' }).click()
  const number = page.getByRole('menuitemcheckbox', { name: /^Number/ })
  await number.click()
  await see(button('Sort: Number ↑'))
  await number.click()
  await userEvent.keyboard('{Escape}')
  await see(button('Sort: Number ↓'))
  expect(addressed('s')).toEqual(['-number'])
  await expect
    .poll(() => service.asked.some(({ text }) => text.includes('"$orderBy":["-number"]')))
    .toBe(true)
  await page.getByRole('checkbox', { name: 'Select P-2' }).click()
  const bar = page.getByRole('region', { name: 'Selection' })
  await see(bar.getByText('1 selected'))
  await page.getByRole('checkbox', { name: 'Select all that match' }).click()
  await see(bar.getByText('All 3 selected'))
  isWithin()
  expect(await findViolations()).toEqual([])
  await bar.getByRole('button', { name: 'Actions' }).click()
  await see(page.getByRole('menuitem', { name: /^Change/ }))
  await userEvent.keyboard('{Escape}')
  await page.getByRole('button', { name: 'Group', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Status' }).click()
  await button('Show only: open').click()
  await see(button('Remove the filter Status is open'))
})

test('a chip of a group of conditions shows all of its words', async () => {
  const $or = [{ total: { $gte: '300.00' } }, { status: 'open' }, { number: 'P-1' }]
  await open(`/order?w=${encodeURIComponent(JSON.stringify({ $or }))}`)
  const chip = button('Change the filter')
  await see(chip.getByText('Status is open').first())
  const { clientWidth, scrollWidth } = chip.element().querySelector('span') as HTMLElement
  expect(clientWidth).toBe(scrollWidth)
  isWithin()
})

test('a bar at the bottom leads to the day, the inbox, the approvals and the search', async () => {
  await open('/order')
  const bar = page.getByRole('navigation', { name: 'Quick navigation' })
  await bar.getByRole('link', { name: 'Approvals 1' }).click()
  await see(heading('Approvals'))
  for (const name of ['My day', 'Inbox']) {
    await bar.getByRole('link', { name }).click()
    await see(heading(name))
  }
  await bar.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('combobox', { name: 'Find anything' }).fill('P-3')
  await see(page.getByRole('option', { name: 'P-3' }))
  await userEvent.keyboard('{Enter}')
  await see(heading('P-3'))
})

test('the bar of a role that decides nothing leads to its tasks', async () => {
  const reader = {
    key: 'reader',
    name: 'Reader',
    permissions: { order: { read: true }, customer: { read: true } },
  }
  const project = { ...orderProject, 'roles/reader.json': reader }
  await open('/order', { role: 'reader', project })
  const bar = page.getByRole('navigation', { name: 'Quick navigation' })
  await see(bar.getByRole('link', { name: 'My tasks' }))
  expect(bar.getByRole('link').elements()).toHaveLength(3)
})

test('the actions of a record stay in view while its fields are scrolled', async () => {
  await open('/order/1')
  const approve = page.getByRole('button', { name: 'Approve' })
  await see(approve)
  for (const field of ['number', 'notes', 'number']) {
    document.querySelector(`[data-column=${field}]`)?.scrollIntoView({ block: 'nearest' })
    const { top, bottom } = approve.element().getBoundingClientRect()
    expect([top > 400, bottom <= 640], field).toEqual([true, true])
  }
  expect(document.querySelectorAll('[data-column=number], [data-column=notes]')).toHaveLength(2)
  await approve.click()
  await see(page.getByRole('dialog'))
  expect(await findViolations()).toEqual([])
})

test('German words fit into the bar; beside a list the search stands at the top, with its key', async () => {
  await open('/', { locale: 'de-DE' })
  const bar = page.getByRole('navigation', { name: 'Schnellnavigation' })
  await see(bar.getByRole('link', { name: 'Genehmigungen 1' }))
  for (const word of ['Mein Tag', 'Eingang', 'Genehmigungen', 'Suche']) {
    const { scrollWidth, clientWidth } = bar.getByText(word).element()
    expect(scrollWidth, word).toBeLessThanOrEqual(clientWidth + 1)
  }
  await page.viewport(1280, 800)
  await gone(bar)
  const main = page.getByRole('navigation', { name: 'Hauptnavigation' })
  await main.getByRole('button', { name: /^Suche Strg K/ }).click()
  await see(page.getByRole('dialog').getByRole('combobox'))
})
