/** The history of a record, what was sent because of it, and the way back: on its page, and among the user's own changes. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { cleanup } from 'vitest-browser-react'
import { readDraftNames } from '../../console/api/own/drafts.ts'
import type { HistoryEntry } from '../../console/api/types.ts'
import {
  type Answer,
  type Answers,
  type Asked,
  type Given,
  pageOf,
  problem,
} from './support/answers.ts'
import { deliveryOf, type EntryPart, entryOf, finds } from './support/given.ts'
import { keepRecords } from './support/keep-records.ts'
import { keepTasks, taskOf } from './support/keep-tasks.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { adria, emptyOrder, ordersProject } from './support/orders.ts'
import { button, cell, dialogOf, item } from './support/parts.ts'
import { focus, gone, input, save, see, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'
import { notifies } from './support/waiting.ts'

const at = '2026-05-04T08:30:00.000Z'
const changed = (id: number, name: string, before: unknown, after: unknown) =>
  entryOf(id, { changes: { [name]: { before, after } } })
const submitted = (id: number) =>
  entryOf(id, {
    operation: 'proceedToStep',
    changes: { _step: { before: 'draft', after: 'review' } },
    action: { key: 'submit', kind: 'proceedToStep', from: 'draft', to: 'review' },
  })

const order = { ...emptyOrder, number: 'M-1', total: '12.50', notes: 'First' }
const history = page.getByRole('complementary', { name: 'History' })
const undoIn = (part: typeof page | typeof history) => part.getByRole('button', { name: /^Undo/ })

type Options = Opening & { readonly values?: object }

/** A record with its history, the newest first: what is written becomes an entry, as the service does it. */
const keepHistory = (given: readonly HistoryEntry[], values: object = {}) => {
  const kept = keepRecords('order', [{ ...order, ...values }])
  const entries = [...given]
  const add = (more: EntryPart) =>
    entries.unshift(entryOf(Math.max(0, ...entries.map(({ id }) => id)) + 1, more))
  const write = (body: object) => {
    const row = kept.rowOf(1)
    const changes = Object.entries(body).map(([name, after]) => [
      name,
      { before: row[name], after },
    ])
    kept.write(1, body)
    return Object.fromEntries(changes)
  }
  const answers: Record<string, Answer> = {
    ...kept.answers,
    // Removed ones are found by those who ask for them.
    'POST /order/search': (asked) => {
      const { _is_deleted: wanted = false } =
        (asked.body as { $where?: { _is_deleted?: object | boolean } }).$where ?? {}
      const isFound = typeof wanted === 'object' || wanted === kept.rowOf(1)._is_deleted
      return isFound ? kept.search(asked) : pageOf([])
    },
    'PATCH /order/1': (asked, usual) => {
      const { _version: version } = kept.rowOf(1)
      if (asked.headers.get('If-Match') !== `"${version}"`)
        return (kept.answers['PATCH /order/1'] as Exclude<Answer, Given>)(asked, usual)
      add({ changes: write(asked.body as object) })
      return { headers: { ETag: `"${version + 1}"` }, body: { ...kept.rowOf(1) } }
    },
    'GET /order/1/history': ({ query }) => {
      const found = entries.filter(
        ({ user, changes, task_id }) =>
          `${user?.id}` === (query.get('user') ?? `${user?.id}`) &&
          (query.get('field') ?? '') in { '': 0, ...changes } &&
          (query.get('about') === null || task_id !== null),
      )
      return pageOf(found.slice(0, Number(query.get('limit') ?? 100)))
    },
    'GET /api/changes': () => ({
      body: {
        data: entries.map((entry) => ({ ...entry, entity: 'order', entity_id: 1 })),
        next: null,
      },
    }),
  }
  return { kept, entries, add, write, answers }
}

const open = async (path: string, entries: readonly HistoryEntry[], options: Options = {}) => {
  const { values, answers, ...rest } = options
  const known = keepHistory(entries, values)
  const openAgain = (again = path) =>
    openConsole(again, {
      project: ordersProject,
      records: {
        order: [{ ...order, ...values }],
        customer: adria,
        ...(rest.role === undefined && {
          user: ['administrator', 'Ana Test', 'Boris Test'].map((full_name, index) => ({
            id: index + 1,
            full_name,
          })),
        }),
      },
      answers: {
        ...known.answers,
        'GET /api/deliveries': pageOf([]),
        'GET /order/1/notified': { body: { data: [] } },
        'POST /api/notifications/recipients': notifies(),
        'GET /api/search': finds(),
        ...answers,
      } satisfies Answers,
      ...rest,
    })
  return { ...known, service: await openAgain(), openAgain }
}

describe('the history of a record', () => {
  const entries = [
    entryOf(3, {
      operation: 'createTask',
      task_id: 7,
      part: { entity: 'task', id: 7, text: null },
      changes: { description: { after: 'Call Boreas' } },
    }),
    entryOf(2, {
      changes: {
        notes: { before: null, after: 'By the administrator' },
        status: { before: null, after: 'open' },
        approver_id: { before: 2, after: 3 },
      },
    }),
    submitted(1),
    entryOf(0, { operation: 'create' }),
  ]

  test('is filtered by field and by person, by keys alone, and the address says how', async () => {
    const { service, openAgain } = await open('/order/1', entries)
    await see(history.getByText('Draft → In review'))
    await see(history.getByText('Status: Open', { exact: true }))
    // A moment is one line, however narrow the history is.
    const moments = history.element().querySelectorAll('header time')
    expect([...moments].map((one) => one.getClientRects().length)).toEqual([1, 1, 1, 1])
    await see(history.getByText('Approver: Ana Test Boris Test', { exact: true }))
    const fields = history.getByRole('combobox', { name: 'Show changes of' })
    await focus(fields)
    await userEvent.keyboard('Notes')
    await gone(history.getByText('Draft → In review'))
    await see(history.getByText('Notes: By the administrator'))
    expect(location.search).toMatch(/field=notes/)
    await cleanup()
    await openAgain(`/order/1${location.search}`)
    await see(history.getByText('Notes: By the administrator'))
    await gone(history.getByText('Draft → In review'))
    await fields.selectOptions('Tasks')
    await see(history.getByText('created a task'), history.getByText('Description: Call Boreas'))
    await cleanup()
    const filtered = await openAgain('/order/1?by=2&field=serial')
    await see(history.getByText('Nothing found.'))
    const asked = filtered.asked.findLast(({ path }) => path === '/order/1/history')
    expect(Object.fromEntries(asked?.query ?? [])).toMatchObject({ user: '2', field: 'serial' })
    expect(service.faults).toEqual([])
  })

  test('says administrators who was sent what', async () => {
    const delivery = deliveryOf(9, {
      operation: 'proceedToStep',
      history_id: 1,
      subject: 'O-1 waits',
    })
    const answers = { 'GET /api/deliveries': pageOf([delivery]) }
    await open('/order/1', entries, { answers })
    const list = history.getByRole('list', { name: 'What was sent about this record' })
    await see(list.getByText('Ana Test'), list.getByText('E-mail · Queued'))
    await expect
      .element(list.getByRole('link', { name: 'O-1 waits' }))
      .toHaveAttribute('href', '/console/-/admin/deliveries/9')
    expect(await findViolations()).toEqual([])
  })

  test('tells a user who reads the record who was notified, by which channel and when, and asks for nothing else', async () => {
    const channels = [
      { channel: 'email', at: null },
      { channel: 'inbox', at },
    ]
    const notified = {
      history_id: 1,
      operation: 'proceedToStep',
      at,
      count: 1,
      hasMore: false,
      people: [{ id: 2, full_name: 'Ana Test', channels }],
      isPartial: false,
    }
    const { service } = await open('/order/1', entries, {
      role: 'reader',
      answers: { 'GET /order/1/notified': { body: { data: [notified] } } },
    })
    const list = history.getByRole('list', { name: 'Notified of this' })
    await see(list.getByText('Ana Test'))
    expect(list.element().textContent).toMatch(/E-mail.* · Console .*2026/)
    await press(button(/^(More a|A)ctions$/), '{Enter}')
    await press(item('Who was notified?'), '{Enter}')
    const dialog = dialogOf('Who was notified?')
    await see(dialog.getByText('Draft → In review'), dialog.getByText('Ana Test'))
    expect(await findViolations()).toEqual([])
    await userEvent.keyboard('{Escape}')
    await gone(dialog)
    expect(service.asked.map(({ path }) => path)).not.toContain('/api/deliveries')
  })

  test('is scrolled by keys where it is longer than the page, and goes on after a hundred entries', async () => {
    const many = Array.from({ length: 150 }, (_, index) =>
      changed(200 - index, 'notes', `${index}`, `${index + 1}`),
    )
    await open('/order/1', [...many, entryOf(1, { operation: 'create' })], {
      viewport: { width: 1440, height: 600 },
    })
    await expect.poll(() => document.querySelectorAll('.timeline > li')).toHaveLength(100)
    await gone(history.getByText('created the record'))
    await press(history, '{End}')
    await expect.poll(() => document.activeElement?.scrollTop).toBeGreaterThan(0)
    await press(history.getByRole('button', { name: 'More' }), '{Enter}')
    await see(history.getByText('created the record'))
    await gone(history.getByRole('button', { name: 'More' }))
  })
})

describe('undo on the page of a record', () => {
  test('a save is taken back by a key, also after a reload, and that again', async () => {
    const { kept, openAgain } = await open('/order/1', [entryOf(1, { operation: 'create' })])
    await see(history.getByText('created the record'))
    await input('Total').fill('99.95')
    await save()
    await see(history.getByText('Total: 12.50 99.95'))
    await cleanup()
    const service = await openAgain()
    await see(undoIn(history))
    expect(await findViolations()).toEqual([])
    await userEvent.keyboard('z')
    await see(history.getByText('Total: 99.95 12.50'))
    expect(kept.rowOf(1).total).toBe('12.50')
    await undoIn(history).click()
    await expect.poll(() => history.getByText('Total: 12.50 99.95').elements()).toHaveLength(2)
    await wrote(service, 'PATCH /order/1', { total: '12.50' }, { total: '99.95' })
    const versions = service.asked.filter(
      ({ method, path }) => method === 'PATCH' && path === '/order/1',
    )
    expect(versions.map(({ headers }) => headers.get('If-Match'))).toEqual(['"2"', '"3"'])
  })

  test('what was changed again since, or by an action, is not offered, nor anything while the user types', async () => {
    const entries = [
      submitted(3),
      changed(2, 'notes', 'First', 'Second'),
      changed(1, 'notes', null, 'First'),
    ]
    const values = { _step: 'review', notes: 'Second' }
    const { kept } = await open('/order/1', entries, { values })
    await see(undoIn(history))
    expect(undoIn(history).elements()).toHaveLength(1)
    await undoIn(history).click()
    await see(history.getByText('Notes: Second First'))
    expect(kept.rowOf(1)).toMatchObject({ notes: 'First', _step: 'review' })
    await input('Notes').fill('Typing')
    await gone(undoIn(history))
  })

  test('who may not change the record is not offered it', async () => {
    await open('/order/1', [changed(1, 'notes', null, 'First')], { role: 'reader' })
    await see(history.getByText('Notes: First'))
    await gone(undoIn(history))
  })
})

describe('my changes', () => {
  const path = '/-/changes'
  const entry = (text: string) => page.getByRole('listitem').filter({ hasText: text }).first()

  test('are found by keys, and taken back by them, also after a reload', async () => {
    const values = { total: '20.00', notes: 'Second' }
    const { kept, openAgain } = await open(
      '/order',
      [
        changed(3, 'notes', 'First', 'Second'),
        changed(2, 'total', '12.50', '20.00'),
        entryOf(1, { operation: 'create' }),
      ],
      { values },
    )
    await see(cell('M-1'))
    await userEvent.keyboard('{Control>}k{/Control}')
    await page.getByRole('combobox', { name: 'Find anything' }).fill('My changes')
    await see(page.getByRole('option', { name: 'My changes', selected: true }))
    await userEvent.keyboard('{Enter}')
    await see(page.getByRole('heading', { name: 'My changes' }))
    await see(undoIn(entry('Notes: First Second')))
    expect(await findViolations()).toEqual([])
    await cleanup()
    await openAgain(path)
    await see(undoIn(entry('Notes: First Second')))
    await userEvent.keyboard('z')
    await see(page.getByText('Taken back: M-1'), undoIn(entry('Notes: Second First')))
    await see(entry('Notes: First Second').getByText('Changed again since.'))
    expect(kept.rowOf(1)).toMatchObject({ notes: 'First', total: '20.00' })
    await undoIn(entry('Total: 12.50 20.00')).click()
    await see(entry('Total: 20.00 12.50'))
    expect(kept.rowOf(1).total).toBe('12.50')
  })

  test('what another user changed meanwhile is not overwritten', async () => {
    const { kept } = await open(path, [changed(1, 'notes', 'First', 'Mine')], {
      values: { notes: 'Mine' },
    })
    const undo = undoIn(entry('Notes: First Mine'))
    await see(undo)
    kept.write(1, { total: '13.00' })
    await undo.click()
    await see(page.getByRole('status').getByText('Changed again since.'))
    expect(kept.rowOf(1).notes).toBe('Mine')
    await undo.click()
    await expect.poll(() => kept.rowOf(1).notes).toBe('First')
    expect(kept.rowOf(1).total).toBe('13.00')
  })

  test('a record that was removed is restored once no step locks it, and a task is opened again', async () => {
    let isLocked = true
    const tasks = keepTasks([taskOf(7, 'Call Boreas', { is_completed: true })])
    const completed = entryOf(2, {
      operation: 'completeTask',
      task_id: 7,
      part: { entity: 'task', id: 7, text: null },
      changes: { is_completed: { before: false, after: true } },
    })
    const { kept, add } = await open(path, [entryOf(3, { operation: 'remove' }), completed], {
      values: { _is_deleted: true },
      answers: {
        ...tasks.answers,
        'POST /order/1/restore': () => {
          if (isLocked) return problem(409, 'record.locked', 'The step of a record locks it.')
          kept.write(1, { _is_deleted: false })
          add({ operation: 'restore' })
          return { body: { ...kept.rowOf(1) } }
        },
        'PUT /order/1/7': (asked: Asked) => {
          add({
            operation: 'reopenTask',
            task_id: 7,
            part: { entity: 'task', id: 7, text: null },
            changes: { is_completed: { before: true, after: false } },
          })
          return tasks.write(7, asked.body as object)
        },
      },
    })
    await undoIn(entry('removed the record')).click()
    await see(page.getByRole('status').getByText(/^Locked by the step of the record, or of one/))
    isLocked = false
    await undoIn(entry('removed the record')).click()
    await see(entry('restored the record'))
    expect(kept.rowOf(1)._is_deleted).toBe(false)
    await undoIn(entry('completed a task')).click()
    await see(entry('reopened a task'))
    expect(tasks.tasks[0]?.is_completed).toBe(false)
  })

  test('an action is taken back by the one that leads back, and by none if the role has none', async () => {
    const values = { _step: 'review' }
    await open(path, [submitted(1)], { values, role: 'clerk' })
    await see(entry('Draft → In review').getByText('no action leads back'))
    await cleanup()
    const { service } = await open('/-/inbox', [submitted(1)], {
      values,
      answers: { 'GET /api/notifications': { body: [] } },
    })
    await button('administrator').click()
    await item('My changes').click()
    await press(entry('Draft → In review').getByRole('button', { name: 'Reject' }), '{Enter}')
    await page.getByRole('dialog').getByLabelText('Comment').fill('Too early')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await wrote(service, 'POST /order/1/proceedToStep', { action: 'reject', comment: 'Too early' })
  })

  test('what was typed and not saved is listed, and discarded; a user who has changed nothing is told so', async () => {
    const { openAgain } = await open('/order/1', [])
    await input('Notes').fill('Typing')
    await see(page.getByText('1 change is not saved'))
    await expect.poll(() => readDraftNames(1)).toHaveLength(1)
    await cleanup()
    await openAgain(path)
    const left = page.getByRole('region', { name: 'Not saved' })
    await see(left.getByRole('link', { name: 'M-1' }))
    await left.getByRole('button', { name: 'Discard what was typed: M-1' }).click()
    await gone(left)
    await see(page.getByText('You have not changed anything yet.'))
  })
})
