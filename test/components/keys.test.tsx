/** Keyboard shortcuts of the console. */
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { pageOf } from './support/answers.ts'
import { finds } from './support/given.ts'
import { type Opening, openConsole, press } from './support/open-console.tsx'
import { adria, ordersProject } from './support/orders.ts'
import { button, dialogOf, heading, item, link } from './support/parts.ts'
import { gone, see } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

const openList = async (options: Opening = {}) => {
  const service = await openConsole('/customer', {
    project: ordersProject,
    records: { customer: adria },
    answers: {
      'GET /api/notifications': { body: [] },
      'GET /api/approvals': pageOf([]),
      'GET /api/search': finds(),
    },
    ...options,
  })
  await see(page.getByRole('gridcell', { name: 'Adria Metal', exact: true }))
  return service
}

const grid = page.getByRole('grid')
const list = dialogOf('Keyboard shortcuts')

/** Whether the page takes the Enter of an input method for itself. */
const isTaken = () =>
  !document.activeElement?.dispatchEvent(
    new KeyboardEvent('keydown', {
      key: 'Enter',
      isComposing: true,
      bubbles: true,
      cancelable: true,
    }),
  )

test('a list that is loaded by its address has the focus in its rows', async () => {
  await openList()
  await expect.element(grid).toHaveFocus()
})

test('the active cell of a list is the same when the user comes back from another list', async () => {
  await openList({ records: { customer: adria, order: [] } })
  await press(grid, '{ArrowRight}')
  await link('Order').click()
  await see(heading('Order'))
  history.back()
  await see(heading('Customer'))
  await expect
    .element(grid)
    .toHaveAttribute('aria-activedescendant', expect.stringMatching(/-0-1$/))
})

describe('keyboard shortcuts', () => {
  test('two keys after each other lead to a page, and one key finds or creates', async () => {
    await openList()
    await userEvent.keyboard('/')
    const find = page.getByRole('searchbox', { name: 'Find in this list' })
    await userEvent.keyboard('g i c')
    await expect.element(find).toHaveValue('g i c')
    await find.fill('')
    await press(grid, 'c')
    await see(heading('New customer'))
    // The first field has the focus and takes letters.
    await expect.element(page.getByLabelText('Name')).toHaveFocus()
    await press(button('Create'), 'gi')
    await see(heading('Inbox'))
    await userEvent.keyboard('ga')
    await see(heading('Approvals'))
  })

  test('those of an input method choose and save nothing', async () => {
    await openList()
    await userEvent.keyboard('{Control>}k{/Control}')
    const words = page.getByRole('dialog').getByRole('combobox')
    await words.fill('inbox')
    await see(page.getByRole('option', { name: 'Inbox', selected: true }))
    expect(isTaken()).toBe(false)
    await userEvent.keyboard('{Escape}')
    await page.getByRole('gridcell').nth(1).click()
    await userEvent.keyboard('{F2}')
    const cell = page.getByLabelText('Name of Adria Metal')
    await cell.fill('K-7')
    expect(isTaken()).toBe(false)
    await expect.element(cell).toHaveValue('K-7')
    await userEvent.keyboard('{Escape}')
    await gone(cell)
  })

  test('the list of them is opened by a key, closed by Escape, and accessible', async () => {
    await openList()
    await userEvent.keyboard('?')
    for (const name of ['Create a record', 'Select all that match', 'Head of a column: wider'])
      await see(list.getByText(name))
    expect(await findViolations()).toEqual([])
    // The page below does not hear keys.
    await userEvent.keyboard('c')
    await see(list)
    await userEvent.keyboard('{Escape}')
    await gone(list)
    await button('administrator').click()
    await item('Keyboard shortcuts').click()
    await see(list)
  })

  test('a phone is shown none', async () => {
    await openConsole('/-/settings', {
      project: ordersProject,
      viewport: { width: 390, height: 800 },
    })
    await button('Open the navigation').click()
    await button('administrator').click()
    await see(item('Sign out'))
    await gone(item('Keyboard shortcuts'))
    await expect.element(page.getByText('Ctrl K')).not.toBeVisible()
  })

  test('those who may not create a record have no key for it', async () => {
    await openList({ role: 'reader' })
    await userEvent.keyboard('?')
    await see(list.getByText('Find in this list'))
    await gone(list.getByText('Create a record'))
  })

  test('keys without Ctrl can be switched off', async () => {
    await openList({ role: 'reader', settings: { singleKeys: false } })
    await press(grid, 'x')
    await press(grid, '[Space]')
    await see(page.getByText('1 selected'))
    await userEvent.keyboard('?')
    await userEvent.keyboard('/')
    await userEvent.keyboard('{Control>}k{/Control}')
    await see(page.getByRole('combobox', { name: 'Find anything' }))
    expect(page.getByRole('dialog').elements()).toHaveLength(1)
    await userEvent.keyboard('{Escape}')
    await button('reader').click()
    await item('Keyboard shortcuts').click()
    await see(page.getByText('Keys without Ctrl are switched off in your settings.'))
    await gone(page.getByText('The same by a letter'))
  })
})
