/** The name of a saved view. */
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { openConsole, press } from './support/open-console.tsx'
import { emptyOrder, ordersProject } from './support/orders.ts'
import { button, dialogOf, item } from './support/parts.ts'
import { see, sent } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

test('a view is renamed by the keyboard, and gets its name back; all records are beside it', async () => {
  const view = {
    ...{ id: 1, name: 'By size', entity_key: 'order', is_shared_with: 'all', columns: null },
    criteria: { $orderBy: ['-total'] },
  }
  const service = await openConsole('/order?view=1', {
    project: ordersProject,
    records: { order: [emptyOrder], saved_view: [view] },
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
