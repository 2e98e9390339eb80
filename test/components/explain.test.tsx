/** Who is told of what and why, as administrators ask it. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type {
  ExplainedRecipient,
  ExplainQuestion,
  Explanation,
} from '../../console/api/admin/explain.ts'
import { adminProject } from '../support/console/an-admin-project.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { type Asked, type Given, pageOf, problem } from './support/answers.ts'
import { deliveryOf, entryOf, finds, foundOf } from './support/given.ts'
import {
  addressed,
  closeConsole,
  type Opening,
  openConsole,
  press,
} from './support/open-console.tsx'
import { adria } from './support/orders.ts'
import { button, link } from './support/parts.ts'
import { gone, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const path = '/-/admin/explain'
const submitted = `${path}?entity=order&record=1&operation=proceedToStep&action=submit`
const users = ['Administrator', 'Ana Test', 'Boris Test', 'Gita Test'].map((name, at) => ({
  id: at + 1,
  full_name: name,
}))

const told: ExplainedRecipient = {
  user: { id: 2, full_name: 'Ana Test' },
  told: true,
  reason: null,
  fields: ['approver'],
  groups: ['buyers'],
  email: { told: true, reason: null },
  content: { icon: '', title: 'O-1 waits', message: 'Administrator asks.', url: null },
}
const notTold = (id: number, name: string, reason: string): ExplainedRecipient => ({
  user: { id, full_name: name },
  told: false,
  reason,
  fields: [],
  groups: ['buyers'],
})
const recipients = [
  told,
  notTold(3, 'Boris Test', 'blocked'),
  notTold(4, 'Gita Test', 'may not read the record'),
]

const ruleAt = (index: number) => ({ index, operation: 'proceedToStep', action: null })

/** Explains the submission of the order: to everybody, or to the person who is asked for. */
const explain = ({ body }: Asked): Given => {
  const { userId, entityId } = body as ExplainQuestion
  if (entityId !== 1) return problem(404, 'record.unknown', 'There is no such record.')
  const named = recipients.filter(({ user }) => userId === undefined || user.id === userId)
  const explanation: Explanation = {
    isActive: true,
    entries: [
      { ...ruleAt(0), matches: true, count: 3, missingGroups: [], recipients: named },
      { ...ruleAt(1), matches: false, reason: 'its condition is not met' },
      { ...ruleAt(2), matches: false, reason: 'another operation or action' },
    ],
  }
  return { body: explanation }
}

const search = ({ query }: Asked): Given => {
  const words = (query.get('q') ?? '').toLowerCase()
  const people = users.map(({ id, full_name: name }) => ['user', id, name, 'full_name'] as const)
  const found = [...people, ['order', 1, 'O-1', 'number'] as const]
    .filter(([entity, , name]) => {
      const isWanted = !query.has('entity') || query.get('entity') === entity
      return isWanted && name.toLowerCase().includes(words)
    })
    .map(([entity, id, display, field]) => foundOf(entity, id, display, field))
  return finds(...found)
}

const entry = entryOf(1, {
  operation: 'proceedToStep',
  action: { key: 'submit', kind: 'proceedToStep', from: 'draft', to: 'review' },
})

const open = (address: string, { answers, ...options }: Opening = {}) =>
  openConsole(address, {
    project: adminProject,
    records: {
      order: [{ id: 1, number: 'O-1', customer_id: 1, _step: 'review' }],
      customer: adria,
      ...(options.role === undefined && { user: users }),
    },
    answers: {
      'POST /api/notifications/explain': explain,
      'GET /api/deliveries': pageOf([]),
      'GET /api/search': search,
      'GET /order/1/history': pageOf([entry]),
      'GET /order/1/notified': pageOf([]),
      ...(options.role === undefined && {
        'POST /user_group/search': pageOf([{ id: 1, code: 'buyers', name: 'Buyers' }]),
        'POST /printable_document/search': pageOf([]),
      }),
      ...answers,
    },
    ...options,
  })

const person = page.getByRole('combobox', { name: 'Was this person notified?' })
const record = page.getByRole('combobox', { name: 'Record' })

const askFor = async (name: string) => {
  await person.fill(name)
  await page.getByRole('option', { name: `${name} Test` }).click()
}

describe('who is told', () => {
  test('is found within three clicks from a record, for what happened to it last', async () => {
    const service = await open('/order/1')
    await link('Who was notified?').click()
    await see(page.getByRole('heading', { name: 'Action: Submit' }).first())
    await askFor('Boris')
    await see(page.getByText('Boris Test is not notified: the user is blocked'))
    // Whom the same entry tells.
    await see(page.getByText('It notifies Ana Test (Approver, group Buyers)'))
    await see(page.getByRole('heading', { name: 'What was sent to Boris Test about' }))
    await see(page.getByText('Nothing was sent to Boris Test by e-mail or webhook.'))
    expect(await findViolations()).toEqual([])
    await askFor('Gita')
    await see(page.getByText('Gita Test is not notified: their role may not read this record'))
    await askFor('Ana')
    await see(page.getByText('Ana Test is notified.'))
    await see(page.getByText('Approver, group Buyers', { exact: true }))
    await see(page.getByText('Also by e-mail'), page.getByText('Administrator asks.'))
    const question = {
      entityKey: 'order',
      entityId: 1,
      actorId: 1,
      operation: 'proceedToStep',
      action: 'submit',
    }
    const asked = sent(service, 'POST /api/notifications/explain')
    expect(asked).toContainEqual(question)
    for (const userId of [2, 3, 4]) expect(asked).toContainEqual({ ...question, userId })
  })

  test('is explained for every entry: its condition and its people', async () => {
    await open(submitted)
    await see(page.getByText('Does not apply: its condition is not met'))
    await see(page.getByText('Only if Total is at least 1,000.00'))
    await page.getByText('Notifications about something else').click()
    await see(page.getByText('Does not apply: about something else'))
    await see(page.getByText('Not notified: the user is blocked'))
    expect(await findViolations()).toEqual([])
    await see(page.getByRole('heading', { name: 'What was sent about this record' }))
  })

  test('is asked of what happened last, by the user who did it, until something else is chosen', async () => {
    const service = await open(`${path}?entity=order&record=1`, {
      answers: {
        'GET /order/1/history': pageOf([
          entryOf(3),
          entryOf(2, { operation: 'takeOwnership', user: { id: 2, full_name: 'Ana Test' } }),
          entry,
        ]),
      },
    })
    const about = { entityKey: 'order', entityId: 1, actorId: 2 }
    const asked = 'POST /api/notifications/explain'
    await wrote(service, asked, { ...about, operation: 'takeOwnership' })
    const events = page.getByRole('combobox', { name: 'What happens' })
    await expect.element(events).toHaveValue('takeOwnership')
    const names = [...(events.element() as HTMLSelectElement).options].map(({ text }) => text)
    expect(names.slice(1)).toEqual([
      'A record is created',
      'A record is taken over',
      ...['Submit (Draft)', 'Approve (In review)', 'Reject (In review)'],
    ])
    await events.selectOptions('Reject (In review)')
    await expect
      .poll(() => sent(service, asked).at(-1))
      .toEqual({ ...about, operation: 'proceedToStep', action: 'reject' })
    await events.selectOptions('A record is created')
    await expect.poll(() => sent(service, asked).at(-1)).toEqual({ ...about, operation: 'create' })
  })

  test('is asked of what happened last where the address has what cannot happen to the record', async () => {
    const submission = { entityKey: 'order', entityId: 1, operation: 'proceedToStep', actorId: 1 }
    for (const operation of ['nothing', 'remove', 'comment']) {
      const service = await open(`${path}?entity=order&record=1&operation=${operation}&action=x`)
      await wrote(service, 'POST /api/notifications/explain', { ...submission, action: 'submit' })
      expect(sent(service, 'POST /api/notifications/explain')).toHaveLength(1)
      await closeConsole()
    }
  })

  test('stands above what was really sent, the latest first and to one person alone', async () => {
    const sentTo = (id: number, user: number, more: object = {}) =>
      deliveryOf(id, {
        user: { id: user, full_name: null },
        status: 'sent',
        tries: 1,
        sent_at: entry.at,
        address: `${id}@example.com`,
        subject: `Message ${id}`,
        ...more,
      })
    const all = [
      sentTo(10, 2, { user: { id: 2, full_name: 'Ana Test' }, subject: null, status: 'dead' }),
      ...Array.from({ length: 8 }, (_, at) => sentTo(9 - at, 3)),
    ]
    const refused = problem(500, 'request.failed', 'The deliveries cannot be read.')
    const service = await open(submitted, { answers: { 'GET /api/deliveries': refused } })
    await see(page.getByText('The deliveries cannot be read.'))
    await gone(page.getByText('Nothing was sent by e-mail or webhook, or to a room.'))
    service.answer({
      'GET /api/deliveries': ({ query }) =>
        pageOf(all.filter(({ user }) => [null, `${user.id}`].includes(query.get('user')))),
    })
    await button('Try again').click()
    const rows = page.getByRole('listitem').filter({ has: page.getByRole('link') })
    await see(link('Message 3'), page.getByText('3@example.com', { exact: true }))
    await gone(link('Message 2'))
    await see(rows.filter({ hasText: 'Ana Test' }).getByText('Given up'))
    const addressOf = (name: string) => new URL((link(name).element() as HTMLAnchorElement).href)
    expect(addressOf('Message 3').pathname).toBe('/console/-/admin/deliveries/3')
    expect(addressOf('All deliveries about it').search).toBe('?entity=order&record=1')
    await askFor('Ana')
    await see(page.getByRole('heading', { name: 'What was sent to Ana Test about' }))
    await gone(link('Message 3'))
    expect(addressOf('No subject').pathname).toBe('/console/-/admin/deliveries/10')
    expect(addressOf('All deliveries about it').search).toBe('?entity=order&record=1&user=2')
  })

  test('is asked by keys alone', async () => {
    await open(path)
    await see(page.getByText('Choose a record to see'))
    await press(record, 'nothing')
    await userEvent.tab()
    await see(page.getByText('No record is called “nothing”.'))
    await press(record, 'O-1')
    // The entity follows from the record.
    await see(page.getByRole('option', { name: 'O-1 Order' }))
    await userEvent.keyboard('{Enter}')
    await see(page.getByRole('heading', { name: 'Action: Submit' }).first())
    for (let tabs = 0; tabs < 3; tabs += 1) await userEvent.tab()
    await userEvent.keyboard('Boris')
    await see(page.getByRole('option', { name: 'Boris Test' }))
    await userEvent.keyboard('{Enter}')
    await see(page.getByText('Boris Test is not notified'))
    await userEvent.keyboard('{Control>}a{/Control}Xenia')
    await userEvent.tab()
    await see(page.getByRole('status').getByText('No person is called “Xenia”.'))
    await see(page.getByText('Boris Test is not notified'))
  })

  test('is asked of one person, record after record', async () => {
    await open(`${path}?user=3`)
    await record.fill('O-1')
    await page.getByRole('option', { name: 'O-1' }).click()
    await see(page.getByText('Boris Test is not notified'))
    expect(addressed('user')).toBe(3)
  })

  test('is nobody who is not named', async () => {
    await open(`${submitted}&user=1`)
    await see(page.getByText('no notification that applies names this person.'))
    const why =
      'This person is in none of its groups: Buyers. None of its fields is this person: Approver.'
    await see(page.getByText(why))
  })

  test('has no answer for a record that does not exist', async () => {
    await open(submitted.replace('record=1', 'record=99'))
    await see(page.getByText('There is no such page.'))
  })

  test('is offered to administrators alone', async () => {
    await open('/order/1', { role: 'clerk' })
    await see(page.getByRole('heading', { name: 'O-1' }))
    await gone(link('Who was notified?'))
  })
})

describe('groups and files that notifications name', () => {
  const project = {
    ...orderProject,
    'entities/order.json': {
      ...orderProject['entities/order.json'],
      notifications: [
        {
          operation: 'proceedToStep',
          action: 'approve',
          recipient: { userGroups: ['a-team', 'nobody'] },
          attachments: {
            printableDocuments: ['order-letter', 'no-letter'],
            documentFunctions: ['order-lines-csv', 'native/entity-export', 'native/record-json'],
          },
          content: { title: '{{ record.number }}' },
        },
      ],
    },
    'document-functions/order-lines-csv.ts': 'export const exec = async () => ({ documents: [] })',
  }
  const explained = `${path}?entity=order&record=1&operation=proceedToStep&action=approve`
  const recipient = { user: { id: 2, full_name: 'Ana' }, told: false, reason: 'blocked' }

  test.for([explained, '/-/admin/definitions/order?part=notifications'])(
    'have their names, and their codes where there is none: %s',
    async (address) => {
      const recipients = [{ ...recipient, fields: [], groups: ['a-team'] }]
      const entries = [{ ...ruleAt(0), matches: true, count: 1, missingGroups: [], recipients }]
      const service = await open(address, {
        project,
        answers: {
          'POST /api/notifications/explain': { body: { isActive: true, entries } },
          'POST /user_group/search': pageOf([{ id: 1, code: 'a-team', name: 'Approval <b>team' }]),
          'POST /printable_document/search': pageOf([
            { id: 1, code: 'order-letter', name: 'Letter of an order' },
          ]),
        },
      })
      await see(page.getByText('Notifies: group Approval <b>team, group nobody'))
      const files =
        'Letter of an order, no-letter, Order lines csv, The record as CSV, The record as JSON'
      await see(page.getByText(`Attached: ${files}`, { exact: true }))
      // What is said of one person alone, if they are asked for.
      await gone(page.getByText('It notifies nobody.'))
      expect(await findViolations()).toEqual([])
      await expect
        .poll(() => sent(service, 'POST /user_group/search'))
        .toContainEqual(
          expect.objectContaining({ $where: { code: { $in: ['a-team', 'nobody'] } } }),
        )
    },
  )

  const recipientOfRules = { userFields: ['approver'] }
  const told = {
    ...project,
    'entities/order.json': {
      ...project['entities/order.json'],
      notifications: [
        {
          operation: 'change',
          fields: ['total', 'notes'],
          before: { total: { $lt: '1000' } },
          condition: { total: { $gte: '1000' } },
          recipient: recipientOfRules,
        },
        {
          operation: 'date',
          field: 'ordered_on',
          offset: '-30 days',
          recipient: recipientOfRules,
        },
        { operation: 'date', field: 'sent_at', offset: '1 hour', recipient: recipientOfRules },
      ],
    },
  }

  test('rules of changes and dates are said in words', async () => {
    await open('/-/admin/definitions/order?part=notifications', { project: told })
    for (const name of [
      'A record is changed: Total, Notes',
      '30 days before: Ordered on, at 08:00',
      '1 hour after: Sent at',
    ])
      await see(page.getByRole('heading', { name, exact: true }))
    await see(page.getByText('Only if before the change: Total is less than 1,000'))
  })

  test('what a rule is about can be explained', async () => {
    await open(explained, { project: told })
    const events = page.getByRole('combobox', { name: 'What happens' })
    for (const name of ['A record is changed', 'A date of a record is due'])
      await expect.element(events.getByRole('option', { name, exact: true })).toBeInTheDocument()
    await gone(events.getByRole('option', { name: 'A record is removed', exact: true }))
  })

  test('an action says its step once, by its name', async () => {
    await open(explained, { project })
    const events = page.getByRole('combobox', { name: 'What happens' })
    const option = events.getByRole('option', { name: 'Approve (In review)', exact: true })
    await expect.element(option).toBeInTheDocument()
  })
})
