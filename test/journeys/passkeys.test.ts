/** Signing in with a passkey, losing the device, and coming back by an invitation with a password and an app. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { opened } from '../support/afterwards.ts'
import { openPage } from '../support/browser.ts'
import { addDevice, codeOf, keyOf } from '../support/console/a-device.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService } from '../support/service.ts'
import { idOf } from '../support/sessions/a-browser.ts'

const files = {
  ...orderProject,
  'roles/clerk.json': { key: 'clerk', name: 'Clerk', permissions: { customer: { read: true } } },
  'docket.json': { name: 'Shop', signIn: { secondFactorFor: ['clerk'] } },
}
const service = opened(() => startTestService(files))
before(() => createUser(service, 'clerk'))

// Passkeys belong to a name; the address of this machine has none.
const named = (address: string) => address.replace('127.0.0.1', 'localhost')

const invite = async (): Promise<string> => {
  const user_id = await idOf(service, 'clerk@example.com')
  const { link } = (await service.ask('POST', '/api/invitations', { body: { user_id } })).json(201)
  return named(link)
}

const signedIn = (page: Page) => page.getByRole('button', { name: 'clerk' }).waitFor()

const signOut = async (page: Page) => {
  await page.getByRole('button', { name: 'clerk' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
}

test('a person signs in with a passkey, loses the device, and comes back by an invitation', async () => {
  const { page } = await openPage(service, '/console', { as: null })
  await addDevice(page)
  await page.goto(await invite())
  await page.getByRole('heading', { name: 'Welcome, clerk' }).waitFor()
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await signedIn(page)
  await signOut(page)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await signedIn(page)

  await page.goto(named(`${service.url}/console/-/settings`))
  const passkeys = page.getByRole('region', { name: 'Passkeys' })
  await passkeys.getByText('last used').waitFor()
  await passkeys.getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Old laptop')
  await page.getByRole('button', { name: 'Save' }).click()
  await passkeys.getByText('Old laptop').waitFor()

  // Another device, with an app instead of passkeys.
  const { page: other } = await openPage(service, '/console', { as: null })
  await other.goto(await invite())
  await other.getByLabel('New password', { exact: true }).fill('correct horse battery')
  await other.getByRole('button', { name: 'Set the password' }).click()
  await other.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
  await other.getByRole('button', { name: 'Use an authenticator app' }).click()
  await other.getByRole('img', { name: 'QR code of the key' }).waitFor()
  const key = await keyOf(other)
  await other.getByLabel('Code of the app').fill(codeOf(key, 0))
  await other.getByRole('button', { name: 'Use this app' }).click()
  await other.getByRole('heading', { name: 'Recovery codes' }).waitFor()
  const recovery = (await other.locator('.recovery-codes li').allTextContents())[0] ?? ''
  await other.getByRole('button', { name: 'I have kept them' }).click()
  await signedIn(other)

  const signIn = async (code: string) => {
    await signOut(other)
    await other.getByLabel('E-mail or user name').fill('clerk@example.com')
    await other.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.getByLabel('Code', { exact: true }).fill(code)
    await other.getByRole('button', { name: 'Confirm' }).click()
  }
  await signIn(codeOf(key, 1))
  await signedIn(other)
  await signIn(recovery)
  await signedIn(other)

  // The lost device is signed out, and its passkey is not known any more.
  await page.goto(named(`${service.url}/console`))
  await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByRole('alert').getByText('The passkey is not known here').waitFor()
  const { rows } = await service.database.pool.query('SELECT FROM docket.passkey')
  assert.equal(rows.length, 0)
})
