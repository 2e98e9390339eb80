/** A shop with the work of one day for each role, and users who sign in by their keyboard. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { findUserByEmail } from '../../../src/users/user-store.ts'
import { openPage } from '../../support/browser.ts'
import { catchMail } from '../../support/console/catch-mail.ts'
import { createUser } from '../../support/console/create-user.ts'
import { namedRole } from '../../support/definitions/files.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker } from '../../support/worker.ts'
import { addDocuments, shopProject } from '../a-shop-project.ts'
import { createKeyboard, type Keyboard } from './a-keyboard.ts'

const project = {
  ...shopProject,
  ...namedRole('Buyer', {
    order: {
      create: true,
      read: true,
      update: true,
      delete: 'own',
      export: true,
      tasks: true,
      actions: ['submit'],
    },
    customer: { create: true, read: true },
    line: { create: true, read: true },
    task: { create: true, read: true, update: 'own' },
    saved_view: { create: true, read: true, update: 'own', delete: 'own' },
    user: { read: true },
  }),
  ...namedRole('Approver', {
    order: { read: true, actions: ['approve', 'reject'], takeOwnership: true },
    line: { read: true },
    customer: { read: true },
    user: { read: true },
  }),
}

const roles = ['buyer', 'approver'] as const

/** Orders O-1 to O-6 of the administrator, of which the last two wait for a decision; a task and an e-mail. */
export const startWorkingDay = async (): Promise<TestService> => {
  const service = await startTestService(project)
  await startTestWorker(service)
  for (const role of roles) await createUser(service, role)
  await addDocuments(service)
  const write = async (path: string, body: object) => {
    const reply = await service.ask('POST', path, { body })
    assert.ok([200, 201].includes(reply.status), reply.text)
  }
  for (const name of ['Adria Metal', 'Boreas']) await write('/customer', { name })
  for (const n of [1, 2, 3, 4, 5, 6])
    await write('/order', { number: `O-${n}`, customer_id: 1, total: `${n}.00`, status: 'open' })
  await write('/line', { order_id: 1, article: 'Steel', price: '2.00' })
  for (const n of [5, 6]) await write(`/order/${n}/proceedToStep`, { action: 'submit' })
  const due = { due_date: '2026-01-01T09:00:00Z' }
  await write('/order/1/task', { description: 'Compare the offers', assigne_id: 2, ...due })
  await catchMail(service, 'buyer@example.com', '<p>Please look.</p>')
  return service
}

/** Opens the console as nobody, and signs in with the key of a user as they type it. */
export const signInByKeys = async (service: TestService, email: string) => {
  const user = await findUserByEmail(service.database.pool, email)
  assert.ok(user)
  const { key } = await createApiKey(service.database.pool, { userId: user.id, name: 'typed' })
  const { page, reports } = await openPage(service, '/console', { as: null })
  const keyboard = createKeyboard(page)
  await keyboard.goTo(page.getByLabel('API key'))
  await keyboard.type(key)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'My day', level: 1 }).waitFor()
  await keyboard.see()
  return { reports, ...keyboard, ...walk(page, keyboard, reports) }
}

export type Day = Awaited<ReturnType<typeof signInByKeys>>

/** What every working day has. */
const walk = (page: Page, keyboard: Keyboard, reports: readonly string[]) => {
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
  const dialog = (name: string) => page.getByRole('dialog', { name })
  /** Waits for the page with this heading, and for its focus. */
  const arrive = async (name: string): Promise<void> => {
    await heading(name).waitFor()
    await keyboard.see()
  }
  return {
    page,
    arrive,
    /**
     * Goes to the page of a shortcut of two keys. On a busy machine the second one may reach the page too late after the first, and then a
     * person presses them again.
     */
    jump: async (keys: string, name: string): Promise<void> => {
      const isThere = async () => {
        // None of them waits for what the one before it did.
        await Promise.all(keys.split(' ').map((key) => page.keyboard.press(key)))
        return heading(name)
          .waitFor({ timeout: 5_000 })
          .then(
            () => true,
            () => false,
          )
      }
      await until(`${keys} leads to ${name}`, isThere)
      await keyboard.see()
    },
    /** Goes to a page, an entity or a record by its name. */
    find: async (name: string): Promise<void> => {
      await keyboard.press('Control+k')
      await keyboard.arriveAt(page.getByRole('combobox', { name: 'Find anything' }))
      await keyboard.type(name)
      await page.getByRole('option', { name, selected: true }).waitFor()
      await keyboard.press('Enter')
      await arrive(name)
    },
    leaveDialog: async (name: string): Promise<void> => {
      await dialog(name).waitFor()
      await keyboard.press('Escape')
      await dialog(name).waitFor({ state: 'detached' })
      await keyboard.see()
    },
    signOut: async (name: string): Promise<void> => {
      await keyboard.enter(page.getByRole('button', { name }), 'Shift+Tab')
      // Keys that are pressed before the menu has the focus would scroll the navigation.
      await keyboard.arriveAt(page.getByRole('menuitem').first())
      await keyboard.goTo(page.getByRole('menuitem', { name: 'Sign out' }), 'ArrowUp')
      // Leads to a page that is loaded again.
      await page.keyboard.press('Enter')
      await heading('Sign in to Shop').waitFor()
      // The service says 401 to a page that asks who is signed in when nobody is. The frame of an e-mail does not let
      // Playwright's own scripts run.
      const usual = /status of 401|Blocked script execution in '[^']*\/message\.html'/
      const others = reports.filter((text) => !usual.test(text))
      assert.deepEqual(others, [])
    },
  }
}
