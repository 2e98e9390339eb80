/** A queue of records that wait for a decision, and the inbox: what they say, and how they go on. */
import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { MoreWork, useLimit } from '../../console/features/session/list-and-detail.tsx'
import { languages, TextsContext } from '../../console/texts/texts.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { openConsole, say } from './support/open-console.tsx'
import { adria, numberOf, ordersUpTo } from './support/orders.ts'
import { button } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'
import { approvalOf, notificationOf, waitingAnswers } from './support/waiting.ts'

const open = (path: string, options: object) =>
  openConsole(path, {
    project: orderProject,
    records: {
      order: ordersUpTo(2).map((row) => ({ ...row, customer_id: 1, _step: 'review' })),
      customer: adria,
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
})

describe('approvals are narrowed down', () => {
  const two = {
    ...orderProject,
    'entities/invoice.json': {
      key: 'invoice',
      name: 'Invoice',
      pluralName: 'Invoices',
      displayField: 'code',
      fields: [{ key: 'code', name: 'Code', type: 'string' }],
      workflow: {
        initialStep: 'review',
        steps: [
          {
            key: 'review',
            name: 'In review',
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

  test('by entity, with numbers, and by action, in the address', async () => {
    const service = await open('/-/approvals', { project: two, answers })
    await expect.poll(() => kind.query()?.textContent).toContain('Invoices (0)')
    await action.selectOptions('Can be approved')
    await expect.poll(() => askedLast(service)).toBe('action=approveWorkflow&limit=100')
    await kind.selectOptions('invoice')
    const both = 'entity=invoice&action=approveWorkflow'
    await expect.poll(() => askedLast(service)).toBe(`${both}&limit=100`)
    await see(page.getByText('Nothing that fits waits for your decision.'))
    expect(location.search).toBe(`?${both}`)
    await action.selectOptions('Release')
    await expect.poll(() => askedLast(service)).toBe('entity=invoice&action=release&limit=100')
    await kind.selectOptions('')
    // An action of one entity says nothing of another one.
    await expect.poll(() => location.search).toBe('')
    await see(page.getByText(numberOf(1)).first())
    expect(await findViolations()).toEqual([])
  })

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

test('what is due says so in the inbox, and nothing else does', async () => {
  const notified = (id: number, title: string, more: object = {}) =>
    notificationOf(id, title, { content: { icon: 'task', title, message: '', url: null, ...more } })
  const body = [notified(1, 'Call Adria', { due_date: '6 years ago' }), notified(2, 'Wait')]
  await open('/-/inbox', { answers: { 'GET /api/notifications': { body } } })
  await see(button('Call Adria').getByText('Due 6 years ago'))
  await gone(button('Wait').getByText('Due'))
})

const Work = ({ all }: { readonly all: number }) => {
  const limit = useLimit(400)
  const shown = Math.min(limit.limit, all)
  return (
    <>
      <p>{shown} rows</p>
      {limit.hasMore(shown) && <MoreWork limit={limit} />}
    </>
  )
}

test('lists of work show more rows until they have as many as the service gives at once', async () => {
  const texts = await languages.en.load()
  const shownOf = async (all: number) => {
    const { unmount } = await render(
      <TextsContext value={texts}>
        <Work all={all} />
      </TextsContext>,
    )
    const shown: (string | null)[] = []
    const more = button('More')
    const rows = page.getByText(/rows$/)
    await see(rows)
    for (;;) {
      shown.push(rows.element().textContent)
      if (more.elements().length === 0) break
      await more.click()
    }
    await unmount()
    return shown
  }
  expect(await shownOf(399)).toEqual(['399 rows'])
  expect(await shownOf(1001)).toEqual(['400 rows', '800 rows', '1000 rows'])
})
