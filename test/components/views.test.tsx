/** Saved views: what is saved, for whom, and the name. */
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { pageOf, problem } from './support/answers.ts'
import { addressed, openConsole, press } from './support/open-console.tsx'
import { emptyOrder, orderList, ordersProject } from './support/orders.ts'
import { button, dialogOf, item } from './support/parts.ts'
import { gone, see, sent } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

test('a view is renamed by the keyboard, and gets its name back; all records are next to it', async () => {
  const view = {
    id: 1,
    name: 'By size',
    entity_key: 'order',
    is_shared_with: 'all',
    columns: null,
    criteria: { $orderBy: ['-total'] },
  }
  const service = await openConsole('/order?view=1', {
    project: ordersProject,
    records: { order: [emptyOrder], saved_view: [view] },
  })
  await see(button('By size'))
  // Administrators may read all views.
  expect(sent(service, 'POST /saved_view/search')[0]).toMatchObject({
    $where: {
      $or: [
        { _created_by: 1 },
        { is_shared_with: 'all' },
        { is_shared_with: 'role', 'security_role.key': { $in: ['administrator'] } },
      ],
    },
  })
  await press(button('By size'), '{Enter}')
  await see(page.getByRole('menuitem', { name: 'All order', exact: true }))
  await press(item('Rename the view By size …'), '{Enter}')
  const dialog = dialogOf('Rename the view By size')
  await see(dialog.getByText('Everybody who uses it sees the new name.'))
  await dialog.getByLabelText('Name').fill('Largest')
  await press(dialog.getByLabelText('Name'), '{Enter}')
  await see(button('Largest'), page.getByText('The view was called By size before.'))
  expect(await findViolations()).toEqual([])
  await press(button('Undo'), '{Enter}')
  await see(button('By size'))
  expect(sent(service, 'PATCH /saved_view/1')).toEqual([{ name: 'Largest' }, { name: 'By size' }])
})

const dialog = dialogOf('Save this list as a view')
const name = dialog.getByLabelText('Name')
const sharing = dialog.getByLabelText('For')
const $where = { total: { $gte: '300' } }
const list = orderList({ w: $where, s: ['-total'], c: ['number', 'total'] })

test('what a list shows is saved for a role by keys alone, under a name that is none of blanks, and opened', async () => {
  const service = await openConsole(list, {
    project: ordersProject,
    records: { order: [emptyOrder], saved_view: [] },
  })
  await press(button('Save as …'), '{Enter}')
  await expect.element(name).toHaveFocus()
  await userEvent.keyboard('   {Enter}')
  await expect.element(name).toBeInvalid()
  await userEvent.keyboard(' Large ones ')
  await expect.element(sharing).toHaveDisplayValue('me')
  await userEvent.tab()
  await userEvent.keyboard('my{Tab}{Tab}')
  await expect.element(sharing).toHaveDisplayValue('my role')
  expect(await findViolations()).toEqual([])
  await press(name, '{Enter}')
  await gone(dialog)
  await expect.poll(() => addressed('view')).toBe(1)
  expect(sent(service, 'POST /saved_view')).toEqual([
    {
      entity_key: 'order',
      name: 'Large ones',
      is_shared_with: 'role',
      security_role_id: 1,
      criteria: { $where, $orderBy: ['-total'] },
      columns: ['number', 'total'],
    },
  ])
  await press(button('Large ones'), '{Enter}')
  const one = page.getByRole('menuitemcheckbox', { name: 'Large ones (my role)' })
  await expect.element(one).toBeChecked()
})

test('a user with several roles chooses for which of them a view is saved', async () => {
  const service = await openConsole(list, {
    project: ordersProject,
    role: 'administrator,reader',
    records: { order: [emptyOrder], saved_view: [] },
    answers: {
      'POST /security_role/search': pageOf([
        { id: 1, key: 'administrator' },
        { id: 4, key: 'reader' },
      ]),
    },
  })
  await press(button('Save as …'), '{Enter}')
  await name.fill('Large ones')
  const administrators = sharing.getByRole('option', { name: 'my role (Administrator)' })
  await expect.element(administrators).toBeInTheDocument()
  await userEvent.selectOptions(sharing, 'my role (Reader)')
  await press(name, '{Enter}')
  await gone(dialog)
  expect(sent(service, 'POST /security_role/search')).toEqual([
    { $where: { key: { $in: ['administrator', 'reader'] } }, $select: ['id', 'key'] },
  ])
  expect(sent(service, 'POST /saved_view')).toMatchObject([
    { is_shared_with: 'role', security_role_id: 4 },
  ])
})

test('who may not share a view saves it for themselves; what is refused is said, and can be sent again', async () => {
  const why = 'The role may read too few of the fields.'
  const service = await openConsole(list, {
    project: ordersProject,
    role: 'reader',
    records: { order: [emptyOrder], saved_view: [] },
    answers: { 'POST /saved_view': problem(400, 'criteria.invalid', why) },
  })
  await button('Save as …').click()
  await name.fill('Mine')
  expect(sharing.elements()).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await see(dialog.getByRole('alert').getByText(why))
  await expect.element(name).toHaveValue('Mine')
  expect(addressed('view')).toBe(null)
  service.answer({ 'POST /saved_view': (_asked, usual) => usual() })
  await name.fill('My own')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await see(button('My own'))
  await gone(dialog)
  expect(sent(service, 'POST /saved_view')).toMatchObject(
    ['Mine', 'My own'].map((name) => ({ name, is_shared_with: 'me' })),
  )
  expect(sent(service, 'POST /saved_view').at(-1)).not.toHaveProperty('security_role_id')
})

test('a view that is not saved after all is not sent, and the focus is where it was', async () => {
  const service = await openConsole(list, {
    project: ordersProject,
    records: { order: [emptyOrder], saved_view: [] },
  })
  await press(button('Save as …'), '{Enter}')
  await name.fill('Large ones')
  await press(sharing, '{Escape}')
  await gone(dialog)
  await expect.element(button('Views')).toHaveFocus()
  await press(button('Save as …'), '{Enter}')
  await expect.element(name).toHaveValue('')
  await press(dialog.getByRole('button', { name: 'Cancel' }), '{Enter}')
  await gone(dialog)
  expect(sent(service, 'POST /saved_view')).toEqual([])
})
