/** Every page by the rules of WCAG 2.2 AA as axe checks them. (`npm run test:long -- axe`: in both themes and three widths.) */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  findViolationsEverywhere,
  isEverywhere,
  openPage,
  startBrowser,
} from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  for (const number of ['O-1', 'O-2'])
    await service.ask('POST', '/order', { body: { number, customer_id: 1, total: '1.00' } })
  const task = { description: 'Compare', due_date: '2026-01-01T09:00:00Z', assigne_id: 1 }
  await service.ask('POST', '/order/1/task', { body: task })
  await service.ask('POST', '/order/2/proceedToStep', { body: { action: 'submit' } })
})

const where = encodeURIComponent(
  JSON.stringify({ number: 'O-1', $or: [{ total: null }, { total: { $gt: '0' } }] }),
)

/** Opens the form that changes all orders, wherever the bar has it. */
const openChange = async (page: Page): Promise<void> => {
  for (const name of ['Select O-1', 'Select O-2'])
    await page.getByRole('checkbox', { name }).check()
  const button = page.getByRole('button', { name: 'Change a field …' })
  const menu = page.getByRole('button', { name: 'Actions' })
  await button.or(menu).filter({ visible: true }).click()
  if (!(await button.isVisible()))
    await page.getByRole('menuitem', { name: 'Change a field' }).click()
  await page.getByRole('dialog', { name: 'Change a field' }).waitFor()
}

type Case = {
  readonly name: string
  readonly path: string
  readonly as?: null
  /** Where it is; everywhere without them. */
  readonly widths?: readonly number[]
  /** Brings the page into the state that is checked. */
  readonly arrange: (page: Page) => Promise<void>
}

const cases: readonly Case[] = [
  {
    name: 'sign-in',
    path: '/console',
    as: null,
    arrange: (page) => page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor(),
  },
  {
    name: 'list',
    path: `/console/order?w=${where}`,
    arrange: (page) => page.getByRole('gridcell', { name: 'O-1', exact: true }).waitFor(),
  },
  {
    name: 'selected records',
    path: '/console/order',
    arrange: async (page) => {
      await page.getByRole('checkbox', { name: 'Select O-1' }).check()
      await page.getByText('1 selected').waitFor()
    },
  },
  {
    name: 'form of a change of many records',
    path: '/console/order',
    arrange: (page) => openChange(page),
  },
  {
    name: 'trial of a change of many records',
    path: '/console/order',
    arrange: async (page) => {
      await openChange(page)
      const dialog = page.getByRole('dialog', { name: 'Change a field' })
      await dialog.getByLabel('Field').selectOption('Status')
      await dialog.getByLabel('Status', { exact: true }).selectOption('paid')
      await page.getByRole('button', { name: 'Check' }).click()
      await page.getByRole('button', { name: 'Change 2 records' }).waitFor()
    },
  },
  {
    name: 'totals of a list',
    path: '/console/order',
    arrange: async (page) => {
      await page.getByRole('checkbox', { name: 'Select O-1' }).check()
      await page.getByRole('button', { name: 'Totals' }).click()
      const totals = page.getByRole('region', { name: 'Totals' })
      await totals.getByRole('row', { name: 'All that match' }).getByText('2.00').waitFor()
    },
  },
  {
    name: 'groups of a list',
    path: '/console/order',
    // On a phone records are cards, which have no heads of columns.
    widths: [768, 1440],
    arrange: async (page) => {
      await page.getByRole('gridcell').nth(1).waitFor()
      await page.getByRole('button', { name: 'Menu of the column Customer' }).click()
      await page.getByRole('menuitem', { name: 'Group by this column …' }).click()
      await page.getByRole('button', { name: 'Show only: Adria Metal' }).waitFor()
    },
  },
  {
    name: 'form of groups of a filter',
    path: `/console/order?w=${where}`,
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Add a filter' }).click()
      await page.getByRole('button', { name: 'Advanced filter …' }).click()
      await page.getByRole('group', { name: 'Group of level 2' }).waitFor()
    },
  },
  {
    name: 'form of a filter',
    path: '/console/order',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Add a filter' }).click()
      const form = page.getByRole('dialog', { name: 'Add a filter' })
      await form.getByRole('combobox', { name: 'Field' }).click()
      await form.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'palette',
    path: '/console/order',
    arrange: async (page) => {
      await page.getByRole('gridcell').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('option').first().waitFor()
    },
  },
  {
    name: 'form of a view',
    path: '/console/order',
    arrange: async (page) => {
      await page.locator('.list-head [aria-haspopup=menu]').click()
      await page.getByRole('menuitem', { name: 'Save as a new view …' }).click()
      await page.getByRole('dialog', { name: 'Save this list as a view' }).waitFor()
    },
  },
  {
    name: 'choice of columns',
    path: '/console/order',
    arrange: async (page) => {
      await page.getByRole('gridcell').nth(1).waitFor()
      await page.getByRole('button', { name: 'Columns' }).click()
      const dialog = page.getByRole('dialog', { name: 'Columns of Order' })
      await dialog.getByRole('checkbox').first().waitFor()
    },
  },
  {
    name: 'export of a list',
    path: `/console/order?w=${where}`,
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Export' }).click()
      const dialog = page.getByRole('dialog', { name: 'Export: Order' })
      await dialog.getByText('On the command line').click()
      await dialog.getByLabel('Excel (xlsx)').check()
      await dialog.getByRole('columnheader').first().waitFor()
    },
  },
  {
    name: 'empty list',
    path: '/console/order?w=%7B%22number%22%3A%22none%22%7D',
    arrange: (page) => page.getByText('No record matches the filter.').waitFor(),
  },
  {
    name: 'record with changes',
    path: '/console/order/1',
    arrange: async (page) => {
      await page.getByLabel('Notes').fill('Ring')
      await page.getByText('1 change is not saved').waitFor()
    },
  },
  {
    name: 'new record',
    path: '/console/order/new',
    arrange: (page) => page.getByRole('heading', { name: 'New: Order' }).waitFor(),
  },
  {
    name: 'form of an action',
    path: '/console/order/1',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Submit' }).click()
      await page.getByRole('dialog').waitFor()
    },
  },
  {
    name: 'inbox',
    path: '/console/-/inbox',
    arrange: (page) => page.getByText('Nothing new.').waitFor(),
  },
  {
    name: 'approvals',
    path: '/console/-/approvals',
    arrange: async (page) => {
      // Where there is no room for both, the record takes the place of the list.
      await page.getByRole('listitem').getByRole('button', { name: 'O-2' }).click()
      await page.getByRole('heading', { name: 'O-2' }).waitFor()
    },
  },
  {
    name: 'my day',
    path: '/console',
    arrange: (page) => page.getByRole('checkbox', { name: 'Compare' }).waitFor(),
  },
  {
    name: 'my tasks',
    path: '/console/-/tasks',
    arrange: (page) => page.getByRole('checkbox', { name: 'Compare' }).waitFor(),
  },
  {
    name: 'form of a task',
    path: '/console/-/tasks',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Create a task' }).click()
      await page.getByRole('dialog', { name: 'Create a task' }).waitFor()
    },
  },
  {
    name: 'settings',
    path: '/console/-/settings',
    arrange: (page) => page.getByText('this browser').waitFor(),
  },
  {
    name: 'page that does not exist',
    path: '/console/nothing',
    arrange: (page) => page.getByText('There is no such page.').waitFor(),
  },
]

describe('axe finds nothing', () => {
  for (const [at, { name, path, as, arrange, widths = [320, 768, 1440] }] of cases.entries()) {
    // Usually each state is looked at once: one at the first width, the next one at the second.
    const width = widths[at % widths.length] ?? 0
    test(`${name}, ${isEverywhere ? widths.join(', ') : width} pixels`, async () => {
      const { page } = await openPage(browser, service, path, {
        ...(as === null && { as }),
        viewport: { width, height: 800 },
      })
      const options = { widths, isLoadedAgain: true }
      assert.deepEqual(await findViolationsEverywhere(page, () => arrange(page), options), [])
    })
  }
})
