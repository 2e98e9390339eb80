/** A queue of records that wait for a decision, and the inbox: what they say, and how they go on. */
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { cleanup, renderHook } from 'vitest-browser-react'
import { useLimit } from '../../console/features/work/more-work.tsx'
import { orderProject } from '../support/console/an-order-project.ts'
import { openConsole, say } from './support/open-console.tsx'
import { numberOf, ordersUpTo } from './support/orders.ts'
import { gone, see } from './support/record-form.ts'
import { approvalOf, notificationOf, waitingAnswers } from './support/waiting.ts'

const open = (path: string, options: object) =>
  openConsole(path, {
    project: orderProject,
    records: {
      order: ordersUpTo(2).map((row) => ({ ...row, customer_id: 1, _step: 'review' })),
      customer: [{ id: 1, name: 'Adria Metal' }],
    },
    ...options,
  })

test('more are asked for by a hundred, up to as many as the service gives at once', async () => {
  const many = Array.from({ length: 150 }, (_, at) => approvalOf('order', at + 1, numberOf(at + 1)))
  const service = await open('/-/approvals', { answers: waitingAnswers(() => many) })
  const queue = page.getByRole('list', { name: 'Waiting for a decision' })
  const more = queue.getByRole('button', { name: 'More', exact: true })
  await see(more)
  expect(queue.getByRole('checkbox').elements()).toHaveLength(100)
  await more.click()
  await expect.poll(() => queue.getByRole('checkbox').elements()).toHaveLength(150)
  await gone(more)
  const limits = service.asked
    .filter(({ path }) => path === '/api/approvals')
    .map(({ query }) => query.get('limit'))
  expect(limits).toEqual(['100', '200'])

  const { result, act } = await renderHook(() => useLimit(100))
  for (let limit = 100; limit < 1000; limit += 100) {
    expect(result.current.limit).toBe(limit)
    expect([result.current.hasMore(limit - 1), result.current.hasMore(limit)]).toEqual([
      false,
      true,
    ])
    await act(() => result.current.raise())
  }
  expect([result.current.limit, result.current.hasMore(1000)]).toEqual([1000, false])
  await act(() => result.current.raise())
  expect(result.current.limit).toBe(1000)
})

test('amounts stay while those of the others are read', async () => {
  let waiting = [1, 2].map((id) => approvalOf('order', id, numberOf(id)))
  const service = await open('/-/approvals', { answers: waitingAnswers(() => waiting) })
  const queue = page.getByRole('list', { name: 'Waiting for a decision' })
  await see(queue.getByText('2.50'))
  // Its answer never comes.
  service.answer({ 'POST /order/search': () => new Promise(() => undefined) })
  waiting = waiting.slice(1)
  await say('order/1', 'approvals', {})
  await gone(queue.getByText(numberOf(1)))
  await see(queue.getByText('2.50'))
})

test('what is due says so in the inbox', async () => {
  const due = (more: object) => ({
    answers: {
      'GET /api/notifications': {
        body: [
          notificationOf(1, 'Call Adria', {
            content: {
              ...{ icon: 'task', title: 'Call Adria', message: '', url: null },
              ...more,
            },
          }),
        ],
      },
    },
  })
  await open('/-/inbox', due({ due_date: '6 years ago' }))
  const item = page.getByRole('button', { name: 'Call Adria' })
  await see(item.getByText('Due 6 years ago'))
  await cleanup()
  await open('/-/inbox', due({}))
  await see(item)
  await gone(item.getByText('years ago'))
})
