/** A queue of records that wait for a decision, and the inbox: what they say, and how they go on. */
import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { cleanup, renderHook } from 'vitest-browser-react'
import { useLimit } from '../../console/features/work/more-work.tsx'
import { orderProject } from '../support/console/an-order-project.ts'
import { openConsole, say } from './support/open-console.tsx'
import { numberOf, ordersUpTo } from './support/orders.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'
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

describe('approvals are narrowed down', () => {
  const two = {
    ...orderProject,
    'entities/invoice.json': {
      ...{ key: 'invoice', name: 'Invoice', pluralName: 'Invoices', displayField: 'code' },
      fields: [{ key: 'code', name: 'Code', type: 'string' }],
      workflow: {
        initialStep: 'review',
        steps: [
          {
            ...{ key: 'review', name: 'In review' },
            actions: [{ key: 'release', name: 'Release', kind: 'approveWorkflow', to: 'done' }],
          },
          { key: 'done', name: 'Done', final: true },
        ],
      },
    },
  }
  const all = [approvalOf('order', 1, numberOf(1)), approvalOf('order', 2, numberOf(2))]
  const answers = {
    'GET /api/approvals': ({ query }: { query: URLSearchParams }) => ({
      body: { data: query.get('entity') === 'invoice' ? [] : all },
    }),
    'GET /api/approvals/count': ({ query }: { query: URLSearchParams }) => ({
      body: { count: query.get('entity') === 'invoice' ? 0 : 2, isCapped: false },
    }),
  }
  const kind = page.getByRole('combobox', { name: 'Kind of record' })
  const action = page.getByRole('combobox', { name: 'What can be done' })
  const askedLast = (service: Awaited<ReturnType<typeof open>>) =>
    service.asked.findLast(({ path }) => path === '/api/approvals')?.query.toString()

  test.for([
    [1440, 900],
    [390, 844],
  ] as const)(
    'by entity, with numbers, and by action, in the address, at %s',
    async ([width, height]) => {
      const service = await open('/-/approvals', {
        ...{ project: two, answers, viewport: { width, height } },
      })
      await expect.poll(() => kind.query()?.textContent).toContain('Invoices (0)')
      await action.selectOptions('Can be approved')
      await expect.poll(() => askedLast(service)).toBe('action=approveWorkflow&limit=100')
      await kind.selectOptions('invoice')
      await expect
        .poll(() => askedLast(service))
        .toBe('entity=invoice&action=approveWorkflow&limit=100')
      await see(page.getByText('Nothing that fits waits for your decision.'))
      expect(location.search).toBe('?entity=invoice&action=approveWorkflow')
      await action.selectOptions('Release')
      await expect.poll(() => askedLast(service)).toBe('entity=invoice&action=release&limit=100')
      await kind.selectOptions('')
      // An action of one entity says nothing of another one.
      await expect.poll(() => location.search).toBe('')
      await see(page.getByText(numberOf(1)).first())
      expect(await findViolations()).toEqual([])
    },
  )

  test('and keep it when a record is opened', async () => {
    const service = await open('/-/approvals?action=rejectWorkflow', { project: two, answers })
    await see(page.getByRole('list', { name: 'Waiting for a decision' }))
    expect(askedLast(service)).toBe('action=rejectWorkflow&limit=100')
    await expect.poll(() => location.hash).toBe('#order/1')
    expect(location.search).toBe('?action=rejectWorkflow')
  })
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
