/** Comments on the page of a record: reading and writing them, mentions, followers, and the way to one. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import type { Comment } from '../../console/api/records/comments.ts'
import { namedRole } from '../support/definitions/files.ts'
import { type Answers, type Given, problem } from './support/answers.ts'
import { actionsAnswer, entryOf } from './support/given.ts'
import { commentOf, keepComments } from './support/keep-comments.ts'
import { keepTasks } from './support/keep-tasks.ts'
import { type Opening, openConsole, press, say } from './support/open-console.tsx'
import { adria, emptyOrder, ordersProject } from './support/orders.ts'
import { button, dialogOf, item } from './support/parts.ts'
import { gone, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'
import { notificationOf, notifies, waitingAnswers } from './support/waiting.ts'

const project = {
  ...ordersProject,
  'entities/order.json': { ...ordersProject['entities/order.json'], comments: { internal: true } },
  ...namedRole('Reader', { order: { read: true }, customer: { read: true } }),
}

const write = page.getByRole('textbox', { name: 'Write a comment' })
const part = page.getByRole('complementary', { name: 'Comments and history' })
const byAna = part.getByRole('article', { name: /Ana Test/ })
const option = (name: string) => page.getByRole('option', { name })

const open = async (given: readonly Comment[] = [], options: Opening & { path?: string } = {}) => {
  const { answers, path = '/order/1', ...rest } = options
  const kept = keepComments(given, [
    entryOf(2, { changes: { notes: { before: null, after: 'Ring twice' } } }),
    entryOf(1, { operation: 'create' }),
  ])
  const may = { update: true, comments: true, internalComments: true }
  const openAgain = () =>
    openConsole(path, {
      project,
      records: { order: [emptyOrder], customer: adria },
      answers: {
        ...kept.answers,
        'GET /order/1/actions': actionsAnswer({ may }),
        'GET /api/deliveries': { body: { data: [], next: null, previous: null } },
        'GET /order/1/notified': { body: { data: [] } },
        'POST /api/notifications/recipients': notifies(),
        ...answers,
      } satisfies Answers,
      ...rest,
    })
  return { ...kept, service: await openAgain(), openAgain }
}

for (const [locale, name, last] of [
  ['en-GB', 'Comments and history', 'Notifications'],
  ['de-DE', 'Kommentare und Verlauf', 'Benachrichtigungen'],
] as const)
  test(`the filter of the history fits next to a record, ${locale}`, async () => {
    const entries = [4, 3, 2, 1].map((id) => entryOf(id))
    const answers = { 'GET /order/1/history': { body: { data: entries, next: null } } }
    await open([], { locale, answers })
    const pane = page.getByRole('complementary', { name })
    await see(pane.getByText(last))
    // Styles come with the parts that they are of.
    await expect
      .poll(() => pane.element().scrollWidth - pane.element().clientWidth, { timeout: 30_000 })
      .toBe(0)
    const edge = pane.element().getBoundingClientRect().right
    for (const one of [pane.getByText(last), ...pane.getByRole('combobox').all()])
      expect(one.element().getBoundingClientRect().right).toBeLessThanOrEqual(edge)
  })

describe('comments of a record', () => {
  const thread = [
    commentOf(1, 'Is @[3] asked? https://a.example/b, <b>please</b>', {
      edited_at: '2026-05-04T09:00:00.000Z',
    }),
    commentOf(2, 'For few', { is_internal: true, user: { id: 3, full_name: null } }),
    commentOf(3, '', { text: null, is_removed: true }),
    commentOf(4, 'He is.', { parent_id: 1, user: { id: 3, full_name: 'Boris Test' } }),
  ]

  test('stand in the history as they are now: names, links, replies, and what is internal or removed', async () => {
    await open(thread)
    const [first] = thread
    await see(byAna.first().getByText('@Boris Test'), part.getByText('<b>please</b>'))
    await expect.element(part.getByRole('link', { name: 'https://a.example/b' })).toBeVisible()
    await see(part.getByRole('list', { name: 'Replies' }).getByText('He is.'))
    const articles = part.getByRole('article')
    await see(articles.getByText('Internal'), articles.getByText('This comment was removed.'))
    // Where its newest reply was written.
    const [top] = articles.elements()
    expect(top?.textContent).toContain(first?.mentions[0]?.full_name)
    await see(part.getByText('Notes: Ring twice'))
    expect(await findViolations()).toEqual([])
    await part.getByRole('radio', { name: 'Changes' }).click({ force: true })
    await gone(part.getByText('He is.'))
    await part.getByRole('radio', { name: 'Comments' }).click({ force: true })
    await see(part.getByText('He is.'))
    await gone(part.getByText('Notes: Ring twice'))
  })

  test('with files are in one list with those of fields', async () => {
    const files = [
      { id: 7, filename: 'a.png', mimetype: 'image/png', bytes: 9, width: 1, height: 1 },
    ]
    await open([commentOf(1, 'Without'), commentOf(2, 'With', { files })])
    await see(part.getByText('Without'), part.getByText('Notes: Ring twice'))
    await part.getByRole('radio', { name: 'Files' }).click({ force: true })
    await see(part.getByText('With', { exact: true }), part.getByText('a.png'))
    await gone(part.getByText('Without'))
    await gone(part.getByText('Notes: Ring twice'))
    expect(new URLSearchParams(location.search).get('field')).toBe('~files')
  })

  test('one is written by keys alone, with a person whom it mentions, and once where the answer is lost', async () => {
    const { service } = await open()
    let isLost = true
    const keys: (string | null)[] = []
    const given = service.answer
    const { answers } = keepComments([])
    given({
      'POST /order/1/comment': (asked, usual) => {
        keys.push(asked.headers.get('Idempotency-Key'))
        if (isLost) throw new TypeError('The way to the service is broken.')
        return (
          answers['POST /order/1/comment'] as (one: typeof asked, two: typeof usual) => object
        )(asked, usual)
      },
    })
    await press(write, 'Please look, @an')
    await see(option('Ana Test'), page.getByText('1 person'))
    expect(await findViolations()).toEqual([])
    // The space behind the name is there already.
    await userEvent.keyboard('{Enter} today')
    await expect.element(write).toHaveValue('Please look, @Ana Test today')
    await see(page.getByText('Mentioned: Ana Test'))
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.poll(() => keys).toHaveLength(1)
    await expect.element(write).not.toHaveAttribute('readonly')
    isLost = false
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await see(page.getByText('Your comment is saved.'))
    await expect.element(write).toHaveValue('')
    await expect.element(write).toHaveFocus()
    const body = { text: 'Please look, @[2] today' }
    await wrote(service, 'POST /order/1/comment', body, body)
    expect(new Set(keys).size).toBe(1)
  })

  test('who may not read it is named, and what was typed is there again on the next visit', async () => {
    const { service, openAgain } = await open()
    service.answer({
      'POST /order/1/comment': problem(422, 'record.invalid', 'The text is refused.', {
        errors: [{ path: 'text', message: 'mentions @[3], who may not', rule: 'refused' }],
      }),
    })
    await press(write, 'For .{ArrowLeft}@Bor')
    await option('Boris Test').click()
    await expect.element(write).toHaveValue('For @Boris Test.')
    await page.getByRole('checkbox', { name: 'Internal' }).click()
    await button(/^Comment$/).click()
    await see(page.getByText(/Cannot be mentioned, .*: Boris Test\. Take the mention out/))
    await wrote(service, 'POST /order/1/comment', { text: 'For @[3].', is_internal: true })
    await cleanup()
    await openAgain()
    await see(page.getByText('Restored: what you typed before was not saved.'))
    await expect.element(write).toHaveValue('For @Boris Test.')
    await press(write, '{End} @nobody')
    await see(page.getByText('Nobody who may read this is called “nobody”.'))
  })

  test('own ones are changed and removed, threads answered, resolved and opened again', async () => {
    const own = { is_own: true, user: { id: 1, full_name: 'administrator' } }
    const { service, change } = await open([commentOf(1, 'Frist', own)])
    const menu = async (entry: string) => {
      await button('Menu of the comment by administrator (you)').click()
      await item(entry).click()
    }
    await menu('Change the comment')
    const text = page.getByRole('textbox', { name: 'Change the comment' })
    await expect.element(text).toHaveFocus()
    await text.fill('First')
    // Its thread is resolved meanwhile, which is another version of the same text.
    change(1, 'resolveComment', { resolved_at: '2026-05-04T09:00:00.000Z' })
    await press(text, '{Control>}{Enter}{/Control}')
    await see(part.getByText('First', { exact: true }), part.getByText(/^Resolved by/))
    expect(sent(service, 'PATCH /order/1/comment/1')).toEqual([
      { text: 'First' },
      { text: 'First' },
    ])
    await button('changed: Earlier texts').click()
    await see(dialogOf('Earlier texts').getByText('Frist'))
    await userEvent.keyboard('{Escape}')
    await button('Reopen').click()
    await gone(part.getByText(/^Resolved by/))
    await button(/^Reply$/).click()
    await userEvent.keyboard('Second{Control>}{Enter}{/Control}')
    await see(part.getByRole('list', { name: 'Replies' }).getByText('Second'))
    await wrote(service, 'POST /order/1/comment', { text: 'Second', parent_id: 1 })
    await button(/^Resolve$/).click()
    await see(part.getByText(/^Resolved by/))
    await button('Menu of the comment by administrator (you)').first().click()
    await item('Remove the comment').click()
    await dialogOf('Remove this comment?')
      .getByRole('button', { name: 'Remove the comment' })
      .click()
    await see(part.getByText('This comment was removed.'), part.getByText('Second'))
  })

  test('those who may only read them write none; what others write appears and is said', async () => {
    const { add } = await open([commentOf(1, 'First')], {
      role: 'reader',
      answers: { 'GET /order/1/actions': actionsAnswer({}) },
    })
    await see(part.getByText('First'))
    await gone(write)
    await gone(button(/^Reply$/))
    add(commentOf(2, 'Second', { user: { id: 3, full_name: 'Boris Test' } }))
    await say('order/1', 'part', { entity: 'order', id: 1, part: 'comment' })
    await see(part.getByText('Second'), page.getByText('New comment by Boris Test'))
  })

  describe('a notification leads to one, which has the focus,', () => {
    const openAt = (path: string, options: Opening = {}) => {
      const notification = notificationOf(1, 'Ana has commented')
      const about = { ...notification, entity_key: 'order', entity_id: 1 }
      const content = { ...notification.content, comment_id: 1 }
      return open([commentOf(1, 'Look here'), commentOf(2, 'Later')], {
        path,
        ...options,
        answers: {
          'GET /api/notifications': { body: [{ ...about, content }] },
          'GET /api/notifications/count': { body: { count: 1 } },
          'PUT /api/notifications/mark': { body: { count: 1 } },
          ...keepTasks([]).answers,
          ...waitingAnswers(() => []),
        },
      })
    }
    const isFocused = () =>
      expect.element(page.getByRole('article').filter({ hasText: 'Look here' })).toHaveFocus()

    test('from the inbox, also on a phone', async () => {
      await openAt('/-/inbox', { viewport: { width: 390, height: 700 } })
      await button('Ana has commented').click()
      await page.getByRole('link', { name: 'Open the comment' }).click()
      await see(page.getByRole('tab', { name: 'Comments and history', selected: true }))
      await isFocused()
      expect(await findViolations()).toEqual([])
    })

    test('and from "My day"', async () => {
      await openAt('/')
      await page.getByRole('link', { name: /^Ana has commented/ }).click()
      await isFocused()
    })
  })
})

test('a comment takes pictures that are pasted into its text, and shows them', async () => {
  const upload = `up_${'a'.repeat(32)}`
  const about = { sha256: '0'.repeat(64), bytes: 8, mimetype: 'image/png' }
  const { promise, resolve } = Promise.withResolvers<Given>()
  const { service } = await open([], { answers: { 'POST /api/uploads': () => promise } })
  const paste = (...texts: readonly string[]) => {
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File(['12345678'], 'a.png', { type: 'image/png' }))
    for (const text of texts) clipboardData.setData('text/plain', text)
    const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData })
    write.element().dispatchEvent(event)
  }
  await press(write, 'Look')
  // Programs copy a table as a text and as a picture of it.
  paste('From a table')
  paste()
  await see(page.getByText('Not all files are sent.', { exact: false }))
  await press(write, '{Control>}{Enter}{/Control}')
  resolve({ status: 201, body: { upload, filename: 'a.png', ...about } })
  await see(button('Remove: a.png'))
  expect(sent(service, 'POST /api/uploads')).toHaveLength(1)
  expect(sent(service, 'POST /order/1/comment')).toEqual([])
  expect(await findViolations()).toEqual([])
  await see(page.getByText('8 bytes · not saved yet'))
  await press(write, '{Control>}{Enter}{/Control}')
  await see(page.getByText('Your comment is saved.'))
  await wrote(service, 'POST /order/1/comment', { text: 'Look', files: [upload] })
  await gone(button('Remove: a.png'))
  const shown = part.getByRole('button', { name: `${upload}.png` })
  await see(shown)
  expect(sent(service, `DELETE /api/uploads/${upload}`)).toEqual([])
})

test('a record is followed and left, and says who follows it and why', async () => {
  const { service, followers } = await open()
  followers.push({ id: 2, full_name: 'Ana Test', reason: 'commented', at: null })
  await button(/^Follow$/).click()
  await see(button('Unfollow'))
  await button('2 followers').click()
  const dialog = dialogOf('Who follows this record')
  await see(dialog.getByText('has commented'), dialog.getByText('by their own choice'))
  expect(await findViolations()).toEqual([])
  await userEvent.keyboard('{Escape}')
  await button('Unfollow').click()
  await see(button(/^Follow$/))
  expect(sent(service, 'DELETE /order/1/follow')).toHaveLength(1)
})
