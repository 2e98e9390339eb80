/** Pages and their dialogs by the rules of WCAG 2.2 AA as axe checks them, at three widths in both themes. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startShop } from '../../journeys/a-shop-project.ts'
import { openPage } from '../../support/browser.ts'
import { findViolationsInThemes, height, widths } from './look-everywhere.ts'

const service = await startShop()
before(async () => {
  for (const number of ['O-1', 'O-2'])
    await service.ask('POST', '/order', { body: { number, customer_id: 1, total: '1.00' } })
  await service.ask('POST', '/line', { body: { order_id: 1, article: 'Tube' } })
  const task = { description: 'Compare', due_date: '2026-01-01T09:00:00Z', assigne_id: 1 }
  await service.ask('POST', '/order/1/task', { body: task })
  await service.ask('POST', '/order/2/proceedToStep', { body: { action: 'submit' } })
})

const where = encodeURIComponent(
  JSON.stringify({ number: 'O-1', $or: [{ total: null }, { total: { $gt: '0' } }] }),
)
const none = encodeURIComponent('{"number":"none"}')

const button = (page: Page, name: string) => page.getByRole('button', { name })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const tab = (page: Page, name: string) => page.getByRole('tab', { name })
const choose = (page: Page, name: string) => page.getByRole('menuitem', { name }).press('Enter')
const shows = (text: string) => (page: Page) => page.getByText(text).first().waitFor()
const isListed = (page: Page) => page.getByRole('gridcell').nth(1).waitFor()
const hasTask = (page: Page) => page.getByRole('checkbox', { name: 'Compare' }).waitFor()
const hasDialog = (page: Page) => page.getByRole('dialog').waitFor()

/** Closes the dialog that the state before it has opened. */
const close = async (page: Page): Promise<void> => {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Opens the form that changes all orders, wherever the bar has it. */
const openChange = async (page: Page): Promise<void> => {
  await page.getByRole('checkbox', { name: 'Select O-2' }).check()
  const change = button(page, 'Change a field …')
  await change.or(button(page, 'Actions')).filter({ visible: true }).click()
  if (!(await change.isVisible())) await choose(page, 'Change a field')
  await dialog(page, 'Change a field').waitFor()
}

/** Brings the page into a state; without a path it follows from the one before it. */
type State = readonly [arrange: (page: Page) => Promise<unknown>, path?: string]

const walks: Readonly<Record<string, Readonly<Record<string, State>>>> = {
  'a filtered list': {
    list: [isListed, `/console/order?w=${where}`],
    'form of groups of a filter': [
      async (page) => {
        await button(page, 'Add a filter').click()
        await button(page, 'Advanced filter …').click()
        await page.getByRole('group', { name: 'Group of level 2' }).waitFor()
      },
    ],
    'export of a list': [
      async (page) => {
        await close(page)
        await button(page, 'Export').click()
        const form = dialog(page, 'Export: Order')
        await form.getByText('On the command line').click()
        await form.getByLabel('Excel (xlsx)').check()
        await form.getByRole('columnheader').first().waitFor()
      },
    ],
    'empty list': [shows('No record matches the filter.'), `/console/order?w=${none}`],
  },
  'a list': {
    'choice of columns': [
      async (page) => {
        await isListed(page)
        await button(page, 'Columns').click()
        await dialog(page, 'Columns of Order').getByRole('checkbox').first().waitFor()
      },
      '/console/order',
    ],
    'form of a view': [
      async (page) => {
        await close(page)
        await page.locator('.list-head [aria-haspopup=menu]').click()
        await page.getByRole('menuitem', { name: 'Save as a new view …' }).click()
        await dialog(page, 'Save this list as a view').waitFor()
      },
    ],
    'form of a filter': [
      async (page) => {
        await close(page)
        await button(page, 'Add a filter').click()
        const form = dialog(page, 'Add a filter')
        await form.getByRole('combobox', { name: 'Field' }).click()
        await form.getByRole('option').first().waitFor()
      },
    ],
    palette: [
      async (page) => {
        await isListed(page)
        await page.keyboard.press('Control+k')
        await page.getByRole('option').first().waitFor()
      },
      '/console/order',
    ],
    'selected records': [
      async (page) => {
        await close(page)
        await page.getByRole('checkbox', { name: 'Select O-1' }).check()
        await page.getByText('1 selected').waitFor()
      },
    ],
    'totals of a list': [
      async (page) => {
        await button(page, 'Totals').click()
        const totals = page.getByRole('region', { name: 'Totals' })
        await totals.getByRole('row', { name: 'All that match' }).getByText('2.00').waitFor()
      },
    ],
    'form of a change of many records': [openChange, '/console/order'],
    'trial of a change of many records': [
      async (page) => {
        const form = dialog(page, 'Change a field')
        await form.getByLabel('Field').selectOption('Status')
        await form.getByLabel('Status', { exact: true }).selectOption('paid')
        await button(page, 'Check').click()
        await button(page, 'Change 1 record').waitFor()
      },
    ],
  },
  'groups of a list': {
    'groups of a list': [
      async (page) => {
        await isListed(page)
        await button(page, 'Menu of the column Customer').click()
        await page.getByRole('menuitem', { name: 'Group by this column …' }).click()
        await button(page, 'Show only: Adria Metal').waitFor()
      },
      '/console/order',
    ],
  },
  'a record': {
    'new record': [shows('New order'), '/console/order/new'],
    'form of an action': [
      async (page) => {
        await button(page, 'Submit').click()
        await hasDialog(page)
      },
      '/console/order/1',
    ],
    'record with changes': [
      async (page) => {
        await close(page)
        await page.getByLabel('Notes').fill('Ring')
        await page.getByText('1 change is not saved').waitFor()
      },
    ],
    lines: [
      async (page) => {
        await tab(page, 'Lines 1').click()
        await page.getByRole('link', { name: 'Tube' }).waitFor()
      },
      '/console/order/1',
    ],
    documents: [
      async (page) => {
        await tab(page, 'Documents 2').click()
        await page.getByRole('img', { name: 'Confirmation' }).waitFor()
      },
    ],
    'look at a linked record': [
      async (page) => {
        await tab(page, 'Fields').click()
        await page.getByRole('link', { name: 'Open Adria Metal' }).focus()
        await page.getByRole('tooltip').getByText('Split').waitFor()
      },
    ],
    'confirmation of a removal': [
      async (page) => {
        await button(page, 'More actions').press('Enter')
        await choose(page, 'Remove …')
        await hasDialog(page)
      },
      '/console/order/1',
    ],
  },
  'what waits for a user': {
    inbox: [shows('Nothing new.'), '/console/-/inbox'],
    approvals: [
      async (page) => {
        // Where there is no room for both, the record takes the place of the list.
        await page.getByRole('listitem').getByRole('button', { name: 'O-2' }).click()
        await page.getByRole('heading', { name: 'O-2' }).waitFor()
      },
      '/console/-/approvals',
    ],
    'selected approval': [
      async (page) => {
        await page.getByRole('checkbox').check()
        await page.getByText('Adria Metal').first().waitFor()
      },
      '/console/-/approvals',
    ],
    'form of a decision': [
      async (page) => {
        await page.locator('.decide-bar').getByRole('button', { name: 'Reject' }).click()
        await hasDialog(page)
      },
    ],
    'my day': [hasTask, '/console'],
    'my tasks': [hasTask, '/console/-/tasks'],
    'form of a task': [
      async (page) => {
        await button(page, 'Create a task').click()
        await dialog(page, 'Create a task').waitFor()
      },
    ],
    settings: [shows('this browser'), '/console/-/settings'],
    'page that does not exist': [shows('There is no such page.'), '/console/nothing'],
  },
}

describe('axe finds nothing', () => {
  // On a phone records are cards, which have no heads of columns.
  for (const [name, states] of Object.entries(walks))
    for (const width of widths.filter((one) => one > 320 || name !== 'groups of a list'))
      test(`${name}, ${width} pixels`, async () => {
        const { page } = await openPage(service, '/health', {
          viewport: { width, height },
        })
        for (const [state, [arrange, path]] of Object.entries(states)) {
          if (path !== undefined) await page.goto(`${service.url}${path}`)
          await arrange(page)
          assert.deepEqual(await findViolationsInThemes(page), [], state)
        }
      })
  for (const width of widths)
    test(`the sign-in, ${width} pixels`, async () => {
      const options = { as: null, viewport: { width, height } }
      const { page } = await openPage(service, '/console', options)
      await page.getByText('Sign in to Shop').waitFor()
      assert.deepEqual(await findViolationsInThemes(page), [])
    })
})
