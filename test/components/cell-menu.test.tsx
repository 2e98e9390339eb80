/** The menu of a cell: filter by its value, copy it, edit it; and how steps look and lists are called. */
import { afterEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { finds } from './support/given.ts'
import { addressed, openConsole, press } from './support/open-console.tsx'
import { orderList, ordersProject } from './support/orders.ts'
import { heading, link, option } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const columns = ['number', 'customer.name', 'status', 'serial', 'notes']
const customers = [
  { id: 1, name: 'Adria Metal' },
  { id: 2, name: 'Bode & Söhne' },
]
const orders = [1, 2, 3].map((id) => ({
  id,
  number: `M-${id}`,
  customer_id: 1 + (id % 2),
  status: id === 3 ? 'paid' : 'open',
  serial: `922337203685477580${id}`,
}))

const openList = async (role = 'administrator') => {
  const service = await openConsole(orderList({ c: columns, s: ['number'] }), {
    project: ordersProject,
    role,
    records: { order: orders, customer: customers },
  })
  await see(page.getByRole('gridcell', { name: 'M-1', exact: true }))
  const listed = () =>
    service.asked.map(({ body }) => (body as { $where?: object } | undefined)?.$where)
  return { listed }
}

const cell = (row: number, column: string) =>
  page
    .getByRole('row')
    .nth(row)
    .getByRole('gridcell')
    .nth(columns.indexOf(column) + 1)
const item = (name: string) => page.getByRole('menuitem', { name, exact: true })
const grid = page.getByRole('grid')

const openMenu = async (row: number, column: string) => {
  const { width } = cell(row, column).element().getBoundingClientRect()
  await cell(row, column).click({ button: 'right', position: { x: width - 6, y: 12 } })
  await see(page.getByRole('menu', { name: 'Menu of the cell' }))
}

// The browser of the tests asks nobody whether a page may write to the clipboard.
const { clipboard } = navigator
afterEach(() => {
  Object.defineProperty(navigator, 'clipboard', { value: clipboard, configurable: true })
})

describe('the menu of a cell', () => {
  test('a right click offers its value as a filter, next to those that there are', async () => {
    const { listed } = await openList()
    await openMenu(1, 'status')
    expect(await findViolations()).toEqual([])
    await item('Filter: Status is Open').click()
    await expect.poll(() => addressed('w')).toEqual({ status: { $eq: 'open' } })
    await openMenu(1, 'customer.name')
    await item('Filter: Customer is not Bode & Söhne').click()
    const both = { status: { $eq: 'open' }, customer: { $ne: 2 } }
    await expect.poll(() => addressed('w')).toEqual(both)
    await expect.poll(listed).toContainEqual(both)
    await see(page.getByRole('button', { name: 'Remove the filter Status is Open' }))
  })

  test('an empty cell offers empty and filled ones', async () => {
    await openList()
    await openMenu(1, 'notes')
    await see(item('Filter: Notes is empty'))
    await item('Filter: Notes is not empty').click()
    await expect.poll(() => addressed('w')).toEqual({ notes: { $null: false } })
  })

  test('by keys alone: Shift+F10 opens it, arrows and Enter choose, Escape goes back to the list', async () => {
    await openList()
    await press(grid, '{ArrowRight}{ArrowRight}{Shift>}{F10}{/Shift}')
    await expect.element(item('Edit')).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(grid).toHaveFocus()
    await userEvent.keyboard('{Shift>}{F10}{/Shift}')
    await expect.element(item('Edit')).toHaveFocus()
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
    await expect.poll(() => addressed('w')).toEqual({ status: { $ne: 'open' } })
  })

  test('every digit of a value is copied, and Edit opens the cell', async () => {
    const copied: string[] = []
    const writeText = async (text: string) => void copied.push(text)
    Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })
    await openList()
    await openMenu(2, 'serial')
    await item('Copy the value').click()
    await expect.element(grid).toHaveFocus()
    await expect.poll(() => copied).toEqual(['9223372036854775802'])
    await openMenu(2, 'notes')
    await item('Edit').click()
    await expect.element(page.getByLabelText('Notes of M-2')).toHaveFocus()
  })

  test('a role that may not change records is not offered to edit', async () => {
    await openList('reader')
    await openMenu(1, 'status')
    await see(item('Filter: Status is not Open'))
    await gone(item('Edit'))
  })
})

describe('steps in a list, and how lists are called', () => {
  const action = (key: string, kind: string, to: string) => ({ key, kind, to })
  const step = (key: string, name: string, ...actions: readonly object[]) =>
    actions.length > 0 ? { key, name, actions } : { key, name, final: true }
  const steps = [
    step('draft', 'Draft', action('submit', 'proceedToStep', 'review')),
    step(
      'review',
      'In review',
      action('approve', 'approveWorkflow', 'approved'),
      action('reject', 'rejectWorkflow', 'rejected'),
    ),
    step('approved', 'Approved', action('finish', 'proceedToStep', 'done')),
    step('rejected', 'Rejected'),
    step('done', 'Done'),
  ]
  const project = {
    'docket.json': { name: 'Requests', locale: 'en' },
    'entities/request.json': {
      key: 'request',
      name: 'Request',
      pluralName: 'All requests',
      displayField: 'title',
      fields: [{ key: 'title', name: 'Title', type: 'string', required: true }],
      workflow: { initialStep: 'draft', steps },
    },
  }
  const request = steps.map(({ key }, at) => ({ id: at + 1, title: `R-${at + 1}`, _step: key }))

  test('what waits, was approved, rejected or closed looks different', async () => {
    await openConsole('/request', { project, records: { request } })
    await see(page.getByRole('gridcell', { name: 'Done', exact: true }))
    const looks = steps.map(({ name }) => {
      const badge = page.getByRole('gridcell', { name, exact: true }).getByText(name).element()
      const { color, backgroundColor } = getComputedStyle(badge)
      return `${color} on ${backgroundColor}`
    })
    expect(new Set(looks).size).toBe(5)
    expect(await findViolations()).toEqual([])
    await link('R-3').click()
    const current = () => document.querySelector('li[aria-current=step]')?.textContent
    await expect.poll(current).toMatch('Approved')
    expect(await findViolations()).toEqual([])
  })

  test('a list is called as several records are, and found by what one is', async () => {
    const answers = { 'GET /api/search': finds() }
    await openConsole('/request/1', { project, records: { request }, answers })
    const navigation = page.getByRole('navigation', { name: 'Main navigation' })
    await navigation.getByRole('link', { name: 'All requests' }).click()
    await see(heading('All requests'))
    await userEvent.keyboard('{Control>}k{/Control}')
    await page.getByRole('combobox').fill('request')
    await see(option('All requests'))
    await userEvent.keyboard('{Escape}')
    await link('Create').click()
    await see(page.getByRole('heading', { name: /^New.*request$/ }))
  })
})
