/** Approvals and the inbox where there is no room for a list and what is open of it beside each other. */
import { expect, test } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import type { Answers } from './support/answers.ts'
import { openConsole } from './support/open-console.tsx'
import { numberOf, ordersUpTo } from './support/orders.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'
import { approvalOf, notificationOf, notifies, waitingAnswers } from './support/waiting.ts'

const queue = page.getByRole('list', { name: 'Waiting for a decision' })
const record = page.getByRole('region', { name: 'Record to decide on' })
const approve = page.getByRole('button', { name: 'Approve', exact: true })
const heading = (name: string) => record.getByRole('heading', { name, exact: true })

const open = (path: string, width: number, height: number, answers: Answers = {}) => {
  let waiting = [1, 2, 3, 4, 5, 6, 7, 8].map((id) => approvalOf('order', id, numberOf(id)))
  return openConsole(path, {
    project: orderProject,
    viewport: { width, height },
    records: {
      order: ordersUpTo(8).map((row) => ({ ...row, customer_id: 1, _step: 'review' })),
      customer: [{ id: 1, name: 'Adria Metal' }],
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
    await open('/-/approvals', width, 640)
    await alone(queue, record)
    expect(queue.element().querySelector('[aria-current]'), 'Nothing is chosen.').toBe(null)
    await queue.getByRole('button', { name: numberOf(6) }).click()
    await alone(record, queue)
    await see(heading(numberOf(6)))
    await see(approve)
    expect(await findViolations()).toEqual([])
    // Back by the browser, and by the page; the item that was opened has the focus again.
    history.back()
    await alone(queue, record)
    await expect.element(queue.getByRole('button', { name: numberOf(6) })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await see(heading(numberOf(6)))
    await page.getByRole('button', { name: 'Approvals', exact: true }).click()
    await alone(queue, record)
  },
)

test('the actions stand at the bottom of a short record, and the next one follows', async () => {
  await open('/-/approvals', 390, 2400)
  await queue.getByRole('button', { name: numberOf(1) }).click()
  await see(approve)
  const bar = page.getByRole('navigation', { name: 'Quick navigation' })
  const { bottom } = approve.element().getBoundingClientRect()
  const gap = bar.element().getBoundingClientRect().top - bottom
  expect(gap).toBeGreaterThanOrEqual(0)
  expect(gap).toBeLessThan(20)
  await approve.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await see(heading(numberOf(2)))
})

test('a notification has the page for itself', async () => {
  const title = 'O-1 moved on'
  await open('/-/inbox', 320, 640, {
    'GET /api/notifications': { body: [notificationOf(1, title)] },
    'PUT /api/notifications/mark': { body: { count: 1 } },
  })
  await page.getByRole('button', { name: `Unread: ${title}` }).click()
  const message = page.getByRole('region', { name: 'Notification' })
  await see(message.getByRole('heading', { name: title }))
  await gone(page.getByRole('button', { name: title }))
  await page.getByRole('button', { name: 'Inbox', exact: true }).click()
  await gone(message)
})
