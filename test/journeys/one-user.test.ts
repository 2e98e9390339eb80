/** Tabs of one browser share a session: what one user has read or typed is not shown to the next. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createApiKey } from '../../src/auth/callers/api-keys.ts'
import { findUserByEmail, insertUser } from '../../src/users/user-store.ts'
import { openPage, signIn, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startRelay } from '../support/relay.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

const readerId = async (): Promise<number> => {
  const reader = await findUserByEmail(service.database.pool, readerEmail)
  assert.ok(reader)
  return reader.id
}

const roleKey = 'reader'
const readerEmail = 'reader@example.com'
const project = {
  ...orderProject,
  'roles/reader.json': { key: roleKey, permissions: { customer: { read: true } } },
}

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(project))
  browser = await startBrowser()
  const { pool } = service.database
  const names = { first_name: 'Vera', last_name: 'Novak', full_name: 'Vera Novak' }
  const user = {
    identity_provider_user_id: 'vera',
    role_key: roleKey,
    email: readerEmail,
    ...names,
  }
  assert.ok(await insertUser(pool, user))
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal', city: 'Zadar' } })
})

describe('another tab', () => {
  test('that signs in as somebody else leaves nothing of the first user', async () => {
    const { page, reports } = await openPage(browser, service, '/console/customer/1')
    let counted = 0
    page.on('response', (response) => {
      if (response.url().endsWith('/api/approvals/count')) counted += 1
    })
    // What the page before it asked for may be answered late.
    page.on('domcontentloaded', () => {
      counted = 0
    })
    await page.reload()
    await until('the page has read again what its stream begins with', () => counted >= 2)
    await page.getByLabel('City').fill('Rijeka')
    const context = page.context()
    await signIn(context, service, readerEmail)
    const other = await context.newPage()
    await other.goto(`${service.url}/console/customer`)
    await other.getByRole('button', { name: 'Vera Novak' }).waitFor()
    await page.getByRole('button', { name: 'Vera Novak' }).waitFor()
    const said = page.getByRole('alert').getByText('You are signed in as Vera Novak now')
    await said.waitFor()
    assert.equal(await other.getByRole('alert').count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Order', exact: true }).count(), 0)
    assert.equal(await page.getByText('Rijeka').count(), 0)
    assert.deepEqual(reports, [])
  })

  test('is not named where this one signed in as somebody else, after the session had ended', async () => {
    const { pool } = service.database
    const { key } = await createApiKey(pool, { userId: await readerId(), name: 'test' })
    const { page } = await openPage(browser, service, '/console/customer/1')
    await page.getByLabel('City').waitFor()
    await page.getByLabel('City').fill('Split')
    const save = page.getByRole('button', { name: 'Save', exact: true })
    await save.waitFor()
    await page.context().clearCookies()
    // Whatever else the page asks for may have opened the dialog, which covers the button.
    await save.dispatchEvent('click')
    const dialog = page.getByRole('dialog', { name: 'Sign in to Shop' })
    await dialog.getByLabel('API key').fill(key)
    await dialog.getByRole('button', { name: 'Sign in with the key' }).click()
    await page.getByRole('button', { name: 'Vera Novak' }).waitFor()
    await page.getByRole('heading', { name: 'Adria Metal' }).waitFor()
    // A notice is loaded after the page.
    await page.waitForLoadState('networkidle')
    assert.equal(await page.getByRole('alert').count(), 0)
  })

  test('that signs out ends this one too', async () => {
    const { page } = await openPage(browser, service, '/console/customer')
    await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${service.url}/console/customer`)
    await other.getByRole('button', { name: 'Administrator' }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
    assert.equal(await page.getByText('Adria Metal').count(), 0)
  })
})

test('signing out says so if the service is away, and then nothing is lost', async () => {
  const relay = await startRelay(service.url)
  const { page } = await openPage(browser, { ...service, url: relay.url }, '/console/customer/1')
  await page.getByLabel('City').fill('Split')
  await relay.cut()
  await page.getByRole('button', { name: 'Administrator' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('alert').getByText('The service does not answer.').waitFor()
  await relay.resume(service.url)
  await page.reload()
  await page.getByText('Restored:').waitFor()
  assert.equal(await page.getByLabel('City').inputValue(), 'Split')
})
