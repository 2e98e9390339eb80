/** A person on the page of their record: anonymising it by typing its name, and what is stored about a user. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { pageOf, problem } from './support/answers.ts'
import { actionsAnswer, ana } from './support/given.ts'
import { openConsole } from './support/open-console.tsx'
import { adria, emptyOrder, ordersProject } from './support/orders.ts'
import { button, dialogOf, heading, item } from './support/parts.ts'
import { gone, input, see, wrote } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const { fields, ...order } = ordersProject['entities/order.json']
const project = {
  ...ordersProject,
  'entities/order.json': {
    ...order,
    fields: fields.map((field) =>
      ['contact', 'notes'].includes(field.key) ? { ...field, personal: true } : field,
    ),
  },
}
const plan = {
  dryRun: true,
  fields: ['contact', 'notes'],
  rows: [
    { table: 'history', rows: 4 },
    { table: 'mailing', rows: 2 },
  ],
  elsewhere: [{ table: 'notification', rows: 3 }],
}
const records = { order: [emptyOrder], customer: adria, user: [ana] }
const answers = {
  'GET /order/1/actions': actionsAnswer({}),
  'POST /order/1/anonymise': { body: plan },
}

const openDialog = async () => {
  await button('More actions').click()
  await item('Anonymise …').click()
  await see(page.getByText('Entries that tell of the record: 6. Others that name the person: 3.'))
  await see(page.getByText('The name stays in fields of other records'))
}

test('a record is anonymised when its name is typed, and says before what tells of it', async () => {
  const service = await openConsole('/order/1', { project, records, answers })
  await openDialog()
  const dialog = dialogOf('Anonymise O-000001?')
  await see(dialog.getByText(/^Personal fields: .*Notes/))
  expect(await findViolations()).toEqual([])
  const confirm = dialog.getByRole('button', { name: 'Anonymise' })
  await input('Type “O-000001” to confirm').fill('O-000002')
  await expect.element(confirm).toHaveAttribute('aria-disabled', 'true')
  await userEvent.keyboard('{Enter}')
  await wrote(service, 'POST /order/1/anonymise', undefined)
  await input('Type “O-000001” to confirm').fill('O-000001')
  await confirm.click()
  await gone(dialog)
  await wrote(service, 'POST /order/1/anonymise', undefined, undefined)
})

test('what is refused is said', async () => {
  await openConsole('/order/1', {
    project,
    records,
    answers: {
      ...answers,
      'POST /order/1/anonymise': problem(403, 'caller.forbidden', 'You may not do this.'),
    },
  })
  await button('More actions').click()
  await item('Anonymise …').click()
  await see(dialogOf('Anonymise O-000001?').getByText(/You may not do this/))
})

test('roles without the permission have no such action', async () => {
  const { user: _users, ...read } = records
  await openConsole('/order/1', { project, records: read, answers, role: 'reader' })
  await see(heading('O-000001'))
  await button('More actions').click()
  await gone(item('Anonymise …'))
})

test('administrators see what is stored about a user, and take it as a file', async () => {
  const kept = [{ table: 'session', rows: 2, data: [] }]
  const links = [{ entity: 'order', field: '_created_by', rows: 5, ids: [1] }]
  await openConsole('/user/2', {
    project,
    records,
    answers: {
      'GET /user/2/actions': actionsAnswer({}),
      'POST /user_group_member/search': pageOf([]),
      'POST /user_role/search': pageOf([]),
      'GET /api/people/2/data': { body: { user: ana, links, kept } },
    },
  })
  // Users stand on a page of the administration, not in its list of entities.
  const administration = page.getByRole('navigation').getByRole('group')
  await expect.element(administration).toHaveAttribute('open')
  await button('More actions').click()
  await item('What is stored …').click()
  await see(page.getByText('Links: 5. Other entries: 2.'))
  const orders = dialogOf('Ana Test').getByRole('link', { name: 'Order' })
  await expect.poll(() => orders.element().getAttribute('href')).toContain('_created_by')
  await expect
    .element(dialogOf('Ana Test').getByRole('link', { name: 'Download' }))
    .toHaveAttribute('download', 'user-2.json')
})
