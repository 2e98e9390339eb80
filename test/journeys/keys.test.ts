/** Keyboard shortcuts of the console in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { insertUser } from '../../src/users/user-store.ts'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { pressInTurn } from './keyboard/a-keyboard.ts'

const reader = 'reader@example.com'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  const role = { key: 'reader', permissions: { customer: { read: true } } }
  service = await startTestService(
    await writeProject({ ...orderProject, 'roles/reader.json': role }),
  )
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  const names = { first_name: 'Rea', last_name: 'Der', full_name: 'Rea Der' }
  const user = { identity_provider_user_id: 'reader', email: reader, role_key: 'reader', ...names }
  assert.ok(await insertUser(service.database.pool, user))
})

const openList = async (as?: string) => {
  const opened = await openPage(
    browser,
    service,
    '/console/customer',
    as === undefined ? {} : { as },
  )
  await opened.page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
  return opened
}

const headingOf = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

describe('keyboard shortcuts', () => {
  test('two keys after each other lead to a page, and one key finds or creates', async () => {
    const { page, reports } = await openList()
    await page.keyboard.press('/')
    const find = page.getByRole('searchbox', { name: 'Find in this list' })
    await page.keyboard.type('g i c')
    assert.equal(await find.inputValue(), 'g i c')
    await find.fill('')
    await page.getByRole('grid').focus()
    await page.keyboard.press('c')
    await headingOf(page, 'New: Customer').waitFor()
    // The first field has the focus and takes letters.
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Create' }).focus()
    await pressInTurn(page, 'g', 'i')
    await headingOf(page, 'Inbox').waitFor()
    await pressInTurn(page, 'g', 'a')
    await headingOf(page, 'Approvals').waitFor()
    assert.deepEqual(reports, [])
  })

  test('those of an input method choose and save nothing', async () => {
    const { page, reports } = await openList()
    const isTaken = () =>
      page.evaluate<boolean>(`!document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {
        key: 'Enter', isComposing: true, bubbles: true, cancelable: true,
      }))`)
    await page.keyboard.press('Control+k')
    const words = page.getByRole('dialog').getByRole('combobox')
    await words.fill('inbox')
    await page.getByRole('option', { name: 'Inbox', selected: true }).waitFor()
    assert.equal(await isTaken(), false)
    await words.press('Escape')
    await page.getByRole('gridcell').nth(1).click()
    await page.keyboard.press('F2')
    const cell = page.locator('.cell-editor').getByRole('textbox')
    await cell.fill('K-7')
    assert.equal(await isTaken(), false)
    assert.equal(await cell.inputValue(), 'K-7')
    await cell.press('Escape')
    await cell.waitFor({ state: 'detached' })
    assert.deepEqual(reports, [])
  })

  test('the list of them is opened by a key, closed by Escape, and accessible', async () => {
    const { page, reports } = await openList()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Create a record').waitFor()
    await dialog.getByText('Select all that match').waitFor()
    await dialog.getByText('Head of a column: wider').waitFor()
    assert.deepEqual(await findViolations(page), [])
    // The page below does not hear keys.
    await page.keyboard.press('c')
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Administrator' }).click()
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    await dialog.waitFor()
    assert.deepEqual(reports, [])
  })

  test('those who may not create a record have no key for it', async () => {
    const { page } = await openList(reader)
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Find in this list').waitFor()
    assert.equal(await dialog.getByText('Create a record').count(), 0)
  })

  test('keys without Ctrl can be switched off', async () => {
    const body = { singleKeys: false }
    await service.ask('PATCH', '/console/-/settings.json', { as: reader, body })
    const { page } = await openList(reader)
    await page.getByRole('grid').press('x')
    await page.getByRole('grid').press('Space')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('?')
    await page.keyboard.press('/')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find anything' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 1)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Rea Der' }).click()
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    await page.getByText('Keys without Ctrl are switched off in your settings.').waitFor()
    assert.equal(await page.getByText('The same by a letter').count(), 0)
  })
})
