/** Conditions of actions and of permissions: what they leave to the user is offered, and the page says why the rest is not. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { entityFile, namedRole } from '../support/definitions/files.ts'
import type { Answer, Answers } from './support/answers.ts'
import { actionsAnswer, bulkWithout } from './support/given.ts'
import { openConsole } from './support/open-console.tsx'
import { dialogOf, link, tab } from './support/parts.ts'
import { withTotals } from './support/record-answers.ts'
import { gone, input, see, sent, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

/** Of what is selected. */
const sums = withTotals(() => ({ aggregate: { count: 1, sum: { total: '50.00' } } }))

const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = page.getByRole('dialog')

describe('an action with a condition', () => {
  const approve = {
    key: 'approve',
    kind: 'approveWorkflow',
    to: 'approved',
    condition: { total: { $lte: { $caller: 'approval_limit' } } },
  }
  const project = {
    'docket.json': { name: 'Shop', locale: 'en' },
    ...entityFile('user', { extends: 'native' }, [
      { key: 'approval_limit', type: 'decimal', default: '100', unit: 'EUR' },
    ]),
    'entities/order.json': {
      key: 'order',
      name: 'Order',
      displayField: 'number',
      fields: [
        { key: 'number', name: 'Number', type: 'string', required: true },
        { key: 'total', name: 'Total', type: 'decimal', precision: 14, scale: 2, unit: 'EUR' },
      ],
      workflow: {
        initialStep: 'review',
        steps: [
          { key: 'review', name: 'In review', actions: [approve] },
          { key: 'approved', name: 'Approved', final: true },
        ],
      },
    },
    ...namedRole('Approver', {
      order: { read: true, actions: ['approve'] },
      user: { read: true },
    }),
  }
  const order = ['50.00', '99.00', '500.00'].map((total, at) => ({
    id: at + 1,
    number: `O-${at + 1}`,
    total,
  }))
  const approval = { key: 'approve', name: 'Approve', kind: 'approveWorkflow' }
  const box = (number: string) =>
    page.getByRole('checkbox', { name: `Select ${number}`, exact: true })

  const open = (path: string, answers: Answers = {}) =>
    openConsole(path, {
      project,
      role: 'approver',
      records: { order },
      answers: { 'POST /order/search': sums, ...answers },
    })

  test.for([
    [null, 'It depends on “Total” and your “Approval limit” (EUR 100).'],
    ['Ask Maria above your limit.', 'Ask Maria above your limit.'],
  ] as const)(
    'is not offered above the limit; with the message %s the page says why',
    async (row) => {
      const [message, why] = row
      const step = { key: 'review', name: 'In review', final: false }
      const unmet = [
        { ...approval, fields: ['total'], callerFields: ['approval_limit'], notBy: [], message },
      ]
      await open('/order/3', { 'GET /order/3/actions': actionsAnswer({ step, unmet }) })
      await see(page.getByRole('listitem').getByText('In review'))
      await see(page.getByText(`Approve is not open to you here. ${why}`, { exact: true }))
      await gone(button('Approve'))
    },
  )

  test('is left to others, and the page says why', async () => {
    const none = { fields: [], callerFields: [], message: null }
    const unmet = [{ ...approval, ...none, notBy: ['_created_by', 'approve'] }]
    await open('/order/3', { 'GET /order/3/actions': actionsAnswer({ unmet }) })
    const why = 'you are entered as “Created by” and you took “Approve”'
    const text = `Approve is not open to you here. It is left to other users: ${why}.`
    await see(page.getByText(text, { exact: true }))
  })

  test('waits for nobody who is active, and the page says so', async () => {
    const given = actionsAnswer({})
    await open('/order/3', {
      'GET /order/3/actions': ({ query }) =>
        query.has('deciders') ? { body: { ...given.body, hasDeciders: false } } : given,
    })
    await see(page.getByRole('status').getByText('nobody but administrators can decide on this'))
    expect(await findViolations()).toEqual([])
  })

  /** Answers which records are below the limit, when it is released. */
  const openHeld = async () => {
    const held = Promise.withResolvers<void>()
    const below: Answer = async ({ body }) => {
      const ids = (body as { ids: readonly number[] }).ids.filter((id) => id < 3)
      await held.promise
      return { body: { data: ids.length > 0 ? [{ ...approval, ids }] : [] } }
    }
    const service = await open('/order', { 'POST /order/actions': below })
    const questions = () => service.asked.filter(({ path }) => path === '/order/actions')
    return { questions, release: () => held.resolve() }
  }

  test('says how many records it may fit, and how many it fits when the service has said so', async () => {
    const { release } = await openHeld()
    for (const number of ['O-2', 'O-3']) await box(number).click()
    await see(button('Approve (up to 2) …'))
    release()
    await see(button('Approve (1 of 2) …'))
    await box('O-3').click()
    await see(button('Approve …'))
    // It is offered for none of the records for which it does not hold.
    await box('O-2').click()
    await box('O-3').click()
    await see(page.getByText('1 selected'))
    await gone(page.getByRole('button', { name: /^Approve .*…/ }))
  })

  test('is asked about once for the records that are selected; an earlier question is cancelled', async () => {
    const { questions, release } = await openHeld()
    await box('O-3').click()
    await expect.poll(questions).toHaveLength(1)
    await box('O-2').click()
    await expect.poll(questions).toHaveLength(2)
    release()
    await see(button('Approve (1 of 2) …'))
    expect(
      questions().map(({ body, signal }) => [(body as { ids: unknown }).ids, signal.aborted]),
    ).toEqual([
      [[3], true],
      [[2, 3], false],
    ])
  })

  test('says of all that match how many it may fit', async () => {
    const { questions } = await openHeld()
    await page.getByRole('checkbox', { name: 'Select all' }).click()
    await see(button('Approve (up to 3) …'))
    expect(questions()).toEqual([])
  })

  test('leaves those above the limit out of several records, with the reason', async () => {
    const service = await open('/order', {
      'POST /order/actions': { body: { data: [{ ...approval, ids: [2] }] } },
      'POST /order/bulk': bulkWithout({ 3: 'workflow.condition-not-met' }),
    })
    for (const number of ['O-2', 'O-3']) await box(number).click()
    await button('Approve (1 of 2) …').click()
    const check = dialogOf('Approve: 2 records')
    await check.getByRole('button', { name: 'Check' }).click()
    await see(check.getByText('Possible for 1 record.'))
    const refused = check.getByRole('listitem').filter({ hasText: 'O-3' })
    await see(refused.getByText('a condition of the action is not met for you'))
    await check.getByRole('button', { name: 'Approve: 1 record' }).click()
    await see(check.getByText('Done: 1 record.'))
    await expect
      .poll(() => sent(service, 'POST /order/bulk'))
      .toMatchObject([
        { ids: [2, 3], do: { action: 'approve' }, dryRun: true },
        { ids: [2], versions: { 2: 1 }, do: { action: 'approve' } },
      ])
  })

  test('is read in words by administrators', async () => {
    await openConsole('/-/admin/definitions/order?part=workflow', { project, records: { order } })
    await see(page.getByText('only if Total is at most Approval limit of the user'))
  })
})

describe('a permission with a condition', () => {
  const orderIsDraft = { 'order._step': 'draft' }
  const project = {
    'docket.json': { name: 'Shop', locale: 'en' },
    'entities/order.json': {
      key: 'order',
      name: 'Order',
      displayField: 'number',
      fields: [
        { key: 'number', name: 'Number', type: 'string', required: true },
        { key: 'total', name: 'Total', type: 'decimal', precision: 14, scale: 2, unit: 'EUR' },
        { key: 'lines', name: 'Lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
      ],
      workflow: {
        initialStep: 'draft',
        steps: [
          {
            key: 'draft',
            name: 'Draft',
            actions: [{ key: 'submit', name: 'Submit', kind: 'proceedToStep', to: 'review' }],
          },
          { key: 'review', name: 'In review', final: true },
        ],
      },
    },
    ...entityFile('line', { name: 'Line', displayField: 'article' }, [
      { key: 'article', name: 'Article', type: 'string' },
      { key: 'order', name: 'Order', type: 'manyToOne', entity: 'order' },
    ]),
    ...namedRole('Buyer', {
      order: {
        create: true,
        read: true,
        update: true,
        delete: true,
        actions: ['submit'],
        conditions: { update: { _step: 'draft' }, delete: { _step: 'draft' } },
      },
      line: {
        create: true,
        read: true,
        update: true,
        conditions: { create: orderIsDraft, update: orderIsDraft },
      },
    }),
  }
  const records = {
    order: [
      { id: 1, number: 'O-1', total: '50.00', _step: 'review' },
      { id: 2, number: 'O-2', total: '60.00' },
    ],
    line: [{ id: 1, article: 'Bolt', order_id: 1 }],
  }
  const unmetOf = (step: object, path: string, message: string | null = null): Answer =>
    actionsAnswer({
      step,
      unmetRights: ['update', 'delete'].map((right) => ({
        right,
        fields: [path],
        callerFields: [],
        message,
      })),
    })
  const review = { key: 'review', name: 'In review', final: true }
  const inReview = unmetOf(review, '_step')
  const open = (path: string, answers: Answers = {}, role: string | undefined = 'buyer') =>
    openConsole(path, {
      project,
      records,
      answers: { 'POST /order/search': sums, ...answers },
      ...(role !== 'administrator' && { role }),
    })
  const submit = dialog.getByRole('button', { name: 'Submit' })
  const kept = page.getByText(
    'You may neither change nor remove this record now. It depends on “Step”.',
  )

  test.for([
    ['/order/2', '_step', 'Only drafts are changed.', 'Only drafts are changed.'],
    ['/line/1', 'order._step', null, 'It depends on “Order › Step”.'],
  ] as const)('keeps %s as it is by %s, and the page says so: %s', async (row) => {
    const [path, field, message, why] = row
    await open(path, { [`GET ${path}/actions`]: unmetOf(review, field, message) })
    const said = `You may neither change nor remove this record now. ${why}`
    await see(page.getByText(said, { exact: true }))
  })

  test('makes a record read-only from the step in which the role may not change it, and the page says why', async () => {
    const service = await open('/order/2')
    service.answer({
      'POST /order/2/proceedToStep': (_asked, usual) => {
        service.answer({ 'GET /order/2/actions': inReview })
        return usual()
      },
    })
    await tab('Lines').click()
    await see(link('New line'))
    await button('Submit').click()
    await submit.click()
    await gone(link('New line'))
    await expect
      .poll(() => sent(service, 'POST /order/2/proceedToStep'))
      .toMatchObject([{ action: 'submit' }])
    await tab('Fields').click()
    await see(kept)
    expect(page.getByRole('textbox', { name: 'Total' }).elements()).toEqual([])
    expect(await findViolations()).toEqual([])
  })

  test('keeps cells of a list as they are, and leaves records out of several with the reason', async () => {
    const service = await open('/order', {
      'GET /order/1/actions': inReview,
      'POST /order/actions': { body: { data: [] } },
      'POST /order/bulk': bulkWithout({ 1: 'caller.condition-not-met' }),
    })
    await page.getByRole('gridcell', { name: '50.00' }).dblClick()
    await see(page.getByText('Total cannot be changed here.'))
    for (const number of ['O-1', 'O-2'])
      await page.getByRole('checkbox', { name: `Select ${number}` }).click()
    // The buttons move when it is known which actions there are.
    await see(button('Submit (1 of 2) …'))
    await button('Remove …').click()
    const check = dialogOf('Remove: 2 records')
    await see(check.getByText('a rule of your role does not allow it in its present state'))
    await check.getByRole('button', { name: 'Remove 1 record' }).click()
    await see(check.getByText('Done: 1 record.'))
    await expect
      .poll(() => sent(service, 'POST /order/bulk').at(-1))
      .toMatchObject({
        ids: [2],
        do: { remove: true },
      })
  })

  test('is read in words by administrators', async () => {
    await open('/-/admin/definitions/line?part=rights', {}, 'administrator')
    await see(page.getByText('only if Order › Step is Draft').first())
    expect(await findViolations()).toEqual([])
  })

  test('a filter on the step of a linked record has the names of its steps', async () => {
    await open(`/line?w=${encodeURIComponent('{"order._step":"draft"}')}`, {}, 'administrator')
    await page.getByRole('button', { name: 'Order › Step is Draft' }).first().click()
    await expect.element(dialog.getByText('In review')).toBeInTheDocument()
  })

  test('no action is taken while changes are not saved', async () => {
    const service = await open('/order/2')
    const first = page.getByText('Save your changes first')
    await input('Total').fill('70')
    await button('Submit').click()
    await see(page.getByRole('alert').filter({ hasText: 'Save your changes first' }))
    await gone(dialog)
    await button('Save').click()
    await gone(first)
    await input('Total').fill('75')
    await see(button('Discard'))
    await gone(first)
    await button('Discard').click()
    await button('Submit').click()
    await see(submit)
    await userEvent.keyboard('{Escape}')
    await expect.element(button('Submit')).toHaveFocus()
    await wrote(service, 'PATCH /order/2', { total: '70' })
    expect(sent(service, 'POST /order/2/proceedToStep')).toEqual([])
  })

  test.for([true, false])(
    'an action that is chosen while changes are being saved is offered if they are: %s',
    async (isSaved) => {
      const held = Promise.withResolvers<void>()
      await open('/order/2', {
        'PATCH /order/2': async (_asked, usual) => {
          await held.promise
          return isSaved ? usual() : Promise.reject(new TypeError('Failed to fetch'))
        },
      })
      const first = page.getByRole('alert').filter({ hasText: 'Save your changes first' })
      await input('Total').fill('80')
      await button('Save').click()
      await button('Submit').click()
      await gone(dialog)
      await gone(first)
      held.resolve()
      await see(isSaved ? submit : first)
      await gone(isSaved ? first : dialog)
    },
  )
})
