/** The page of notifications: what is opened stays in its place as read, and all that are shown are marked at once, or not. */
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { orderProject } from '../support/console/an-order-project.ts'
import type { Asked, Given } from './support/answers.ts'
import { openConsole } from './support/open-console.tsx'
import { adria, ordersUpTo } from './support/orders.ts'
import { button, link } from './support/parts.ts'
import { gone, see, wrote } from './support/record-form.ts'
import { notificationOf } from './support/waiting.ts'

type Mark = {
  readonly ids: readonly string[]
  readonly status: string
  readonly before?: string
  readonly markedAt?: string
}

const markedAt = '2026-05-05T08:00:00.000Z'
const marks = 'PUT /api/notifications/mark'

/** Opens the inbox of a service that has three notifications, the first of which has been read. */
const openInbox = async () => {
  const all = [1, 2, 3].map((id) =>
    notificationOf(id, `Number ${id}`, { timestamp: `2026-05-0${id}T08:30:00.000Z` }),
  )
  const seen = new Set(all.slice(0, 1).map(({ _id }) => _id))
  const marked: string[] = []
  const listed = (status: string | null) =>
    all
      .map((one) => ({ ...one, seen: seen.has(one._id) }))
      .filter((one) => status === 'all' || (status === 'unseen' && !one.seen))
      .reverse()
  const mark = ({ body }: Asked): Given => {
    const { ids, status, before = '', markedAt: undone } = body as Mark
    const chosen = ids.length > 0 ? all.filter(({ _id }) => ids.includes(_id)) : []
    if (ids.length === 0)
      chosen.push(
        ...all.filter((one) => (undone ? marked.includes(one._id) : one.timestamp <= before)),
      )
    for (const { _id } of chosen)
      if (status === 'unseen') seen.delete(_id)
      else if (!seen.has(_id)) {
        seen.add(_id)
        marked.push(_id)
      }
    return { body: { count: chosen.length }, headers: { 'X-Marked-At': markedAt } }
  }
  const service = await openConsole('/-/inbox', {
    project: orderProject,
    records: { order: ordersUpTo(3).map((row) => ({ ...row, _step: 'review' })), customer: adria },
    answers: {
      'GET /api/notifications': ({ query }) => ({ body: listed(query.get('status')) }),
      'GET /api/notifications/count': () => ({ body: { count: listed('unseen').length } }),
      [marks]: mark,
    },
  })
  await see(button('Number 3'))
  return { service, all }
}

const show = (list: string | RegExp) => page.getByText(list).first().click()

/** The items of the list, from its top. */
const items = () =>
  page
    .getByRole('button', { name: /Number \d/ })
    .elements()
    .map(({ textContent }) => /^(Unread: )?Number \d/.exec(textContent)?.[0])

test('what is opened stays in its place as read, once, until another list is shown', async () => {
  const { service, all } = await openInbox()
  await button('Number 3').click()
  await expect.poll(items).toEqual(['Number 3', 'Unread: Number 2'])
  await button('Number 2').click()
  await expect.poll(items).toEqual(['Number 3', 'Number 2'])
  await button('Number 3').click()
  await see(page.getByRole('heading', { name: 'Number 3' }))
  await expect
    .element(link('Why did I get this?'))
    .toHaveAttribute('href', expect.stringMatching(/entity=order&record=3&user=1$/))
  await wrote(
    service,
    marks,
    ...[all[2], all[1]].map((one) => ({ ids: [one?._id], status: 'seen' })),
  )
  // One is marked as unread by itself.
  await gone(button('Undo: Mark all as read'))
  await expect.element(button('Mark all as read')).toBeDisabled()
  await show('All')
  await expect.poll(items).toEqual(['Number 3', 'Number 2', 'Number 1'])
  await button('Number 1').click()
  await expect.poll(items).toHaveLength(3)
  await show(/^Unread/)
  await see(page.getByText('Nothing new.'))
})

test('all are marked as read, and those that were unread before are so again', async () => {
  const { service, all } = await openInbox()
  await button('Mark all as read').click()
  await see(page.getByText('Nothing new.'))
  await button('Undo: Mark all as read').click()
  await expect.poll(items).toEqual(['Unread: Number 3', 'Unread: Number 2'])
  await wrote(
    service,
    marks,
    { ids: [], status: 'seen', before: all[2]?.timestamp },
    { ids: [], status: 'unseen', markedAt },
  )
})
