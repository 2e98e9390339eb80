/** The console on a phone: lists as cards, the bar at the bottom, what stays in view, and work without room next to it. */
import { describe, expect, test } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import type { Answers } from './support/answers.ts'
import { finds, foundOf } from './support/given.ts'
import { keepTasks } from './support/keep-tasks.ts'
import { addressed, type Opening, openConsole } from './support/open-console.tsx'
import { adria, emptyOrder, numberOf, ordersProject, ordersUpTo } from './support/orders.ts'
import { button, heading, item, link, option } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'
import { approvalOf, notificationOf, notifies, waitingAnswers } from './support/waiting.ts'

const orders = [1, 2, 3].map((id) => ({
  ...emptyOrder,
  id,
  number: `P-${id}`,
  total: '1204.50',
  status: 'open',
  notes: 'Ring twice',
  _step: id === 1 ? 'review' : 'draft',
}))

const open = (path: string, options: Opening = {}) =>
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
      'GET /api/search': finds(foundOf('order', 3, 'P-3', 'number')),
      'POST /api/notifications/recipients': notifies(),
    },
    ...options,
  })

const row = page.getByRole('row').filter({ hasText: 'P-2' })
const isWithin = () => expect(document.documentElement.scrollWidth).toBe(320)

test('a list is cards of the name and three more columns, which are sorted, selected together and grouped', async () => {
  const service = await open('/order')
  await see(link('P-2'))
  // The box that selects it, the name, and three more.
  expect(row.getByRole('gridcell').elements()).toHaveLength(5)
  await see(row.getByText('1,204.50'))
  isWithin()
  expect(await findViolations()).toEqual([])
  await button('Sort').click()
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
  await see(item(/^Change/))
  await userEvent.keyboard('{Escape}')
  await page.getByRole('button', { name: 'Group', exact: true }).click()
  await item('Status').click()
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
  await see(option('P-3'))
  await userEvent.keyboard('{Enter}')
  await see(heading('P-3'))
})

test('what can be done with a notification is on the screen', async () => {
  const one = notificationOf(1, 'P-1 moved on')
  await open('/-/inbox', {
    answers: {
      'GET /api/notifications': { body: [one] },
      'PUT /api/notifications/mark': { body: { count: 1 } },
    },
  })
  await button('P-1 moved on').click()
  await see(button('Snooze'))
  const names = [link('Open the record'), button('Mark as unread'), button('Snooze')]
  for (const name of names)
    expect(name.element().getBoundingClientRect().right).toBeLessThanOrEqual(304)
})

test('the bar of a role that decides nothing leads to its tasks', async () => {
  await open('/order', { role: 'reader', project: ordersProject })
  const bar = page.getByRole('navigation', { name: 'Quick navigation' })
  await see(bar.getByRole('link', { name: 'My tasks' }))
  expect(bar.getByRole('link').elements()).toHaveLength(3)
})

test('the actions of a record stay in view while its fields are scrolled', async () => {
  await open('/order/1')
  const approve = button('Approve')
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

test.for([
  ['de-DE', 'Schnellnavigation', 'Mein Tag', 'Eingang', 'Genehmigungen', 'Suche'],
  ['fr-FR', 'Navigation rapide', 'Ma journée', 'Réception', 'Approbations', 'Recherche'],
] as const)('the words of %s fit into the bar', async ([locale, name, ...words]) => {
  await open('/', { locale })
  const bar = page.getByRole('navigation', { name })
  await see(bar.getByRole('link', { name: `${words[2]} 1` }))
  for (const word of words) {
    const { scrollWidth, clientWidth } = bar.getByText(word).element()
    expect(scrollWidth, word).toBeLessThanOrEqual(clientWidth + 1)
  }
})

test('next to a list the search stands at the top, with its key', async () => {
  await open('/', { locale: 'de-DE' })
  const bar = page.getByRole('navigation', { name: 'Schnellnavigation' })
  await see(bar)
  await page.viewport(1280, 800)
  await gone(bar)
  const main = page.getByRole('navigation', { name: 'Hauptnavigation' })
  await main.getByRole('button', { name: /^Suche Strg K/ }).click()
  await see(page.getByRole('dialog').getByRole('combobox'))
})

describe('approvals and the inbox, which have no room for a list and what is open of it', () => {
  const queue = page.getByRole('list', { name: 'Waiting for a decision' })
  const record = page.getByRole('region', { name: 'Record to decide on' })
  const approve = page.getByRole('button', { name: 'Approve', exact: true })
  const titleOf = (name: string) => record.getByRole('heading', { name, exact: true })

  const openWork = (path: string, width: number, height: number, answers: Answers = {}) => {
    let waiting = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => approvalOf('order', id, numberOf(id)))
    return openConsole(path, {
      project: orderProject,
      viewport: { width, height },
      records: {
        order: ordersUpTo(8).map((row) => ({ ...row, customer_id: 1, _step: 'review' })),
        customer: adria,
      },
      answers: {
        ...waitingAnswers(() => waiting),
        'POST /api/notifications/recipients': notifies(),
        'POST /order/1/proceedToStep': async (_asked, usual) => {
          waiting = waiting.slice(1)
          return usual()
        },
        ...answers,
      },
    })
  }

  /** Nothing is printed over something else: what is not shown has no box. */
  const alone = async (shown: Locator, other: Locator) => {
    await see(shown)
    await gone(other)
  }

  test.for([320, 768])(
    'the queue leads to a record, its actions and back, at %i pixels',
    async (width) => {
      await openWork('/-/approvals', width, 640)
      await alone(queue, record)
      expect(queue.element().querySelector('[aria-current]'), 'Nothing is chosen.').toBe(null)
      await queue.getByRole('button', { name: numberOf(6) }).click()
      await alone(record, queue)
      await see(titleOf(numberOf(6)), approve)
      expect(await findViolations()).toEqual([])
      // Back by the browser, and by the page; the item that was opened has the focus again.
      history.back()
      await alone(queue, record)
      await expect.element(queue.getByRole('button', { name: numberOf(6) })).toHaveFocus()
      await userEvent.keyboard('{Enter}')
      await see(titleOf(numberOf(6)))
      await page.getByRole('button', { name: 'Approvals', exact: true }).click()
      await alone(queue, record)
    },
  )

  test('the actions stand at the bottom of a short record, and the next one follows', async () => {
    await openWork('/-/approvals', 390, 2400)
    await queue.getByRole('button', { name: numberOf(1) }).click()
    await see(approve)
    const bar = page.getByRole('navigation', { name: 'Quick navigation' })
    const { bottom } = approve.element().getBoundingClientRect()
    const gap = bar.element().getBoundingClientRect().top - bottom
    expect(gap).toBeGreaterThanOrEqual(0)
    expect(gap).toBeLessThan(20)
    await approve.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await see(titleOf(numberOf(2)))
  })

  test('a notification has the page for itself', async () => {
    const title = 'O-1 moved on'
    await openWork('/-/inbox', 320, 640, {
      'GET /api/notifications': { body: [notificationOf(1, title)] },
      'PUT /api/notifications/mark': { body: { count: 1 } },
    })
    await page.getByRole('button', { name: `Unread: ${title}` }).click()
    const message = page.getByRole('region', { name: 'Notification' })
    await see(message.getByRole('heading', { name: title }))
    await gone(button(title))
    await page.getByRole('button', { name: 'Inbox', exact: true }).click()
    await gone(message)
  })
})
