/** Signing in without an identity provider: an invitation, a password, and another one. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { opened } from '../support/afterwards.ts'
import { openPage } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService } from '../support/service.ts'

const clerk = {
  'roles/clerk.json': { key: 'clerk', name: 'Clerk', permissions: { customer: { read: true } } },
}
const first = 'correct horse battery'
const second = 'a new horse battery'

const service = opened(() => startTestService({ ...orderProject, ...clerk }))
before(() => createUser(service, 'clerk'))

const signedOut = (page: Page) => page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
const signedIn = (page: Page) => page.getByRole('button', { name: 'clerk' }).waitFor()

const signOut = async (page: Page) => {
  await page.getByRole('button', { name: 'clerk' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await signedOut(page)
}

const signIn = async (page: Page, password: string) => {
  await page.getByLabel('E-mail or user name').fill('CLERK@example.com')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The administrator invites the clerk; the link. */
const invite = async (page: Page): Promise<string> => {
  await page.getByRole('button', { name: 'Invite … clerk' }).click()
  await page.getByRole('button', { name: 'Create the link' }).click()
  const link = await page.getByLabel('Link that sets a password').inputValue()
  await page.keyboard.press('Escape')
  return link
}

test('an invitation sets a password once, which signs in, and is changed by its user', async () => {
  const { page: administrator } = await openPage(service, '/console/-/admin/users')
  const link = await invite(administrator)
  const row = administrator
    .getByRole('table', { name: 'Open invitations' })
    .getByRole('row', { name: 'clerk@example.com' })
  await row.getByText('Administrator').waitFor()

  const { page } = await openPage(service, '/console', { as: null })
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  await page.goto(link)
  await page.getByRole('heading', { name: 'Welcome, clerk' }).waitFor()
  // What scans e-mails opens the link too; nothing is used up before the password is set.
  await page.reload()
  await page.getByLabel('New password', { exact: true }).fill(first)
  await page.getByRole('button', { name: 'Set the password' }).click()
  await signedIn(page)
  assert.match(page.url(), /\/console\/?$/)
  const code = new URL(link).hash.replace('#invitation=', '')
  assert.deepEqual(
    addresses.filter((address) => address.includes(code) && !address.includes('#')),
    [],
  )
  await administrator.reload()
  await administrator.getByText('No invitation is open.').waitFor()
  assert.equal(await row.count(), 0)

  await signOut(page)
  await page.goto(link)
  await page.getByRole('alert').getByText('ask an administrator for a new link').waitFor()
  await signIn(page, second)
  await page.getByRole('alert').getByText('The name or the password is wrong.').waitFor()
  await signIn(page, first)
  await signedIn(page)
  assert.ok(!page.url().includes('invitation'))

  await page.goto(`${service.url}/console/-/settings`)
  await page.getByLabel('Current password', { exact: true }).fill(first)
  await page.getByLabel('New password', { exact: true }).fill(second)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('All your other sessions have ended.').waitFor()
  await signOut(page)
  await signIn(page, first)
  await page.getByRole('alert').getByText('The name or the password is wrong.').waitFor()
  await signIn(page, second)
  await signedIn(page)
})

test('an invitation that is opened where its administrator is signed in says so, and replaces the password', async () => {
  const { page } = await openPage(service, '/console/-/admin/users')
  const link = await invite(page)
  await page.goto(link)
  await page.getByText('You are signed in as Administrator.').waitFor()
  await page.getByLabel('New password', { exact: true }).fill('a third horse battery')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await signedIn(page)
  await page.waitForURL(`${service.url}/console/`)
})
