/** Pages and their dialogs by the rules of WCAG 2.2 AA as axe checks them, at three widths in both themes. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startShop } from '../../journeys/a-shop-project.ts'
import { openPage, startBrowser } from '../../support/browser.ts'
import type { TestService } from '../../support/service.ts'
import { findViolationsInThemes, height, widths } from './look-everywhere.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startShop()
  browser = await startBrowser()
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

type State = {
  /** What is opened before; without it the state follows from the one before it. */
  readonly path?: string
  /** Where it is; everywhere without them. */
  readonly widths?: readonly number[]
  /** Brings the page into the state. */
  readonly arrange: (page: Page) => Promise<unknown>
}

const button = (page: Page, name: string) => page.getByRole('button', { name })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

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
  if (!(await change.isVisible()))
    await page.getByRole('menuitem', { name: 'Change a field' }).click()
  await dialog(page, 'Change a field').waitFor()
}

const shows = (path: string, text: string): State => ({
  path,
  arrange: (page) => page.getByText(text).first().waitFor(),
})

const hasTask = (page: Page) => page.getByRole('checkbox', { name: 'Compare' }).waitFor()

const tab = (page: Page, name: string) => page.getByRole('tab', { name })

const selectApproval = async (page: Page): Promise<void> => {
  await page.getByRole('checkbox').check()
  await page.getByText('Adria Metal').first().waitFor()
}

type Walk = { readonly as?: null; readonly states: Readonly<Record<string, State>> }

const walks: Readonly<Record<string, Walk>> = {
  'the sign-in': { as: null, states: { 'the sign-in': shows('/console', 'Sign in to Shop') } },
  'a filtered list': {
    states: {
      list: {
        path: `/console/order?w=${where}`,
        arrange: (page) => page.getByRole('gridcell', { name: 'O-1', exact: true }).waitFor(),
      },
      'form of groups of a filter': {
        arrange: async (page) => {
          await button(page, 'Add a filter').click()
          await button(page, 'Advanced filter …').click()
          await page.getByRole('group', { name: 'Group of level 2' }).waitFor()
        },
      },
      'export of a list': {
        arrange: async (page) => {
          await close(page)
          await button(page, 'Export').click()
          const form = dialog(page, 'Export: Order')
          await form.getByText('On the command line').click()
          await form.getByLabel('Excel (xlsx)').check()
          await form.getByRole('columnheader').first().waitFor()
        },
      },
      'empty list': shows(
        '/console/order?w=%7B%22number%22%3A%22none%22%7D',
        'No record matches the filter.',
      ),
    },
  },
  'a list': {
    states: {
      'choice of columns': {
        path: '/console/order',
        arrange: async (page) => {
          await page.getByRole('gridcell').nth(1).waitFor()
          await button(page, 'Columns').click()
          const form = dialog(page, 'Columns of Order')
          await form.getByRole('checkbox').first().waitFor()
        },
      },
      'form of a view': {
        arrange: async (page) => {
          await close(page)
          await page.locator('.list-head [aria-haspopup=menu]').click()
          await page.getByRole('menuitem', { name: 'Save as a new view …' }).click()
          await dialog(page, 'Save this list as a view').waitFor()
        },
      },
      'form of a filter': {
        arrange: async (page) => {
          await close(page)
          await button(page, 'Add a filter').click()
          const form = dialog(page, 'Add a filter')
          await form.getByRole('combobox', { name: 'Field' }).click()
          await form.getByRole('option').first().waitFor()
        },
      },
      palette: {
        path: '/console/order',
        arrange: async (page) => {
          await page.getByRole('gridcell').first().waitFor()
          await page.keyboard.press('Control+k')
          await page.getByRole('option').first().waitFor()
        },
      },
      'selected records': {
        arrange: async (page) => {
          await close(page)
          await page.getByRole('checkbox', { name: 'Select O-1' }).check()
          await page.getByText('1 selected').waitFor()
        },
      },
      'totals of a list': {
        arrange: async (page) => {
          await button(page, 'Totals').click()
          const totals = page.getByRole('region', { name: 'Totals' })
          await totals.getByRole('row', { name: 'All that match' }).getByText('2.00').waitFor()
        },
      },
      'form of a change of many records': { path: '/console/order', arrange: openChange },
      'trial of a change of many records': {
        arrange: async (page) => {
          const form = dialog(page, 'Change a field')
          await form.getByLabel('Field').selectOption('Status')
          await form.getByLabel('Status', { exact: true }).selectOption('paid')
          await button(page, 'Check').click()
          await button(page, 'Change 1 record').waitFor()
        },
      },
      'groups of a list': {
        path: '/console/order',
        // On a phone records are cards, which have no heads of columns.
        widths: [768, 1440],
        arrange: async (page) => {
          await page.getByRole('gridcell').nth(1).waitFor()
          await button(page, 'Menu of the column Customer').click()
          await page.getByRole('menuitem', { name: 'Group by this column …' }).click()
          await button(page, 'Show only: Adria Metal').waitFor()
        },
      },
    },
  },
  'a record': {
    states: {
      'new record': {
        path: '/console/order/new',
        arrange: (page) => page.getByRole('heading', { name: 'New order' }).waitFor(),
      },
      'form of an action': {
        path: '/console/order/1',
        arrange: async (page) => {
          await button(page, 'Submit').click()
          await page.getByRole('dialog').waitFor()
        },
      },
      'record with changes': {
        arrange: async (page) => {
          await close(page)
          await page.getByLabel('Notes').fill('Ring')
          await page.getByText('1 change is not saved').waitFor()
        },
      },
      lines: {
        path: '/console/order/1',
        arrange: async (page) => {
          await tab(page, 'Lines 1').click()
          await page.getByRole('link', { name: 'Tube' }).waitFor()
        },
      },
      documents: {
        arrange: async (page) => {
          await tab(page, 'Documents 2').click()
          await page.getByRole('img', { name: 'Confirmation' }).waitFor()
        },
      },
      'look at a linked record': {
        arrange: async (page) => {
          await tab(page, 'Fields').click()
          await page.getByRole('link', { name: 'Open Adria Metal' }).focus()
          await page.getByRole('tooltip').getByText('Split').waitFor()
        },
      },
      'confirmation of a removal': {
        path: '/console/order/1',
        arrange: async (page) => {
          await button(page, 'More actions').press('Enter')
          await page.getByRole('menuitem', { name: 'Remove …' }).press('Enter')
          await page.getByRole('dialog').waitFor()
        },
      },
    },
  },
  'what waits for somebody': {
    states: {
      inbox: shows('/console/-/inbox', 'Nothing new.'),
      approvals: {
        path: '/console/-/approvals',
        arrange: async (page) => {
          // Where there is no room for both, the record takes the place of the list.
          await page.getByRole('listitem').getByRole('button', { name: 'O-2' }).click()
          await page.getByRole('heading', { name: 'O-2' }).waitFor()
        },
      },
      'selected approval': { path: '/console/-/approvals', arrange: selectApproval },
      'form of a decision': {
        arrange: async (page) => {
          await page.locator('.decide-bar').getByRole('button', { name: 'Reject' }).click()
          await page.getByRole('dialog').waitFor()
        },
      },
      'my day': { path: '/console', arrange: hasTask },
      'my tasks': { path: '/console/-/tasks', arrange: hasTask },
      'form of a task': {
        arrange: async (page) => {
          await button(page, 'Create a task').click()
          await dialog(page, 'Create a task').waitFor()
        },
      },
      settings: shows('/console/-/settings', 'this browser'),
      'page that does not exist': shows('/console/nothing', 'There is no such page.'),
    },
  },
}

describe('axe finds nothing', () => {
  for (const [name, { as, states }] of Object.entries(walks))
    for (const width of widths)
      test(`${name}, ${width} pixels`, async () => {
        const viewport = { width, height }
        const { page } = await openPage(browser, service, '/health', {
          ...(as === null && { as }),
          viewport,
        })
        for (const [state, { path, widths: some = widths, arrange }] of Object.entries(states)) {
          if (!some.includes(width)) continue
          if (path !== undefined) await page.goto(`${service.url}${path}`)
          await arrange(page)
          assert.deepEqual(await findViolationsInThemes(page), [], state)
        }
      })
})
