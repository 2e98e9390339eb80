/** Signing in and out in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { createApiKey } from '../../src/auth/callers/api-keys.ts'
import { createLoginCode, loginLink } from '../../src/auth/sessions/sign-in.ts'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
})

const linkPath = async () => {
  const { pool } = service.database
  return loginLink('', await createLoginCode(pool, 1))
}

describe('sign-in', () => {
  test('the address of the service alone leads to it', async () => {
    const { page } = await openPage(browser, service, '/', { as: null })
    await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/console/')
  })

  test('a link signs in once, and the code stays in no address and no storage', async () => {
    const path = await linkPath()
    const { page, reports } = await openPage(browser, service, path, { as: null })
    await page.getByRole('button', { name: 'Administrator', exact: true }).waitFor()
    assert.ok(!page.url().includes('code'))
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
    )
    assert.equal(stored, '[{},{}]')
    // Without a session nothing is asked that would be refused.
    assert.deepEqual(reports, [])
    const second = await openPage(browser, service, path, { as: null })
    await second.page.getByRole('alert').waitFor()
    await second.page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
  })

  test('a new link signs in in the tab where an old one was refused', async () => {
    const { page } = await openPage(browser, service, '/console/-/login#code=old', { as: null })
    await page.getByRole('alert').getByText('The link is wrong').waitFor()
    // As pasted into the address: only the fragment changes, and nothing is loaded.
    await page.goto(`${service.url}${await linkPath()}`)
    await page.getByRole('button', { name: 'Administrator', exact: true }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.ok(!page.url().includes('code'))
  })

  test('a link signs in whom it is for, although somebody else is signed in', async () => {
    const { data } = (await service.ask('GET', '/security_role?limit=1')).json()
    const body = {
      ...{
        first_name: 'Ana',
        last_name: 'Clerk',
        full_name: 'Ana Clerk',
        username: 'ana@example.com',
      },
      ...{ email: 'ana@example.com', identity_provider_user_id: 'ana' },
      security_role_id: data[0].id,
    }
    const created = await service.ask('POST', '/user', { body })
    assert.equal(created.status, 201, created.text)
    const { id } = created.json()
    const { pool } = service.database
    const { page } = await openPage(browser, service, '/console/customer')
    await page.getByRole('button', { name: 'Administrator', exact: true }).waitFor()
    await page.goto(`${service.url}${loginLink('', await createLoginCode(pool, id))}`)
    await page.getByRole('button', { name: 'Ana Clerk' }).waitFor()
    await page.waitForURL(`${service.url}/console/`)
    assert.ok(!page.url().includes('code'))
    // Nobody is signed out by a link that was used.
    await page.goto(`${service.url}/console/-/login#code=old`)
    await page.getByRole('button', { name: 'Ana Clerk' }).waitFor()
    await page.waitForURL(`${service.url}/console/`)
    await page.goto(`${service.url}/console/-/login?error=failed`)
    await page.getByRole('button', { name: 'Ana Clerk' }).waitFor()
    await page.waitForURL(`${service.url}/console/`)
  })

  test('an API key signs in on the page that was asked for', async () => {
    const created = await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
    assert.equal(created.status, 201)
    const { key } = await createApiKey(service.database.pool, { userId: 1, name: 'test' })
    const { page } = await openPage(browser, service, '/console/customer', { as: null })
    await page.getByLabel('API key').fill('docket_wrong')
    await page.getByRole('button', { name: 'Sign in with the key' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Sign in with the key' }).click()
    await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
    assert.ok(page.url().endsWith('/console/customer'))
  })

  test('signing out ends the session in the service and shows the sign-in', async () => {
    const { page } = await openPage(browser, service, '/console/customer')
    await page.getByRole('button', { name: 'Administrator' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
  })
})

const titles = {
  'en-GB': ['Sign in to Shop', 'Open the link that the service printed', 'For administrators'],
  'de-DE': ['Bei Shop anmelden', 'Öffnen Sie den Link', 'Für die Administration'],
  'hr-HR': ['Prijava: Shop', 'Otvorite poveznicu', 'Za administraciju'],
} as const

for (const [locale, [title, first, then]] of Object.entries(titles))
  test(`the sign-in says what a person does, then the whole commands of administrators: ${locale}`, async () => {
    const options = { as: null, locale, viewport: { width: 320, height: 844 } }
    const { page } = await openPage(browser, service, '/console', options)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    const said = await page.getByRole('main').textContent()
    assert.ok(
      said && said.indexOf(first) > 0 && said.indexOf(first) < said.indexOf(then),
      said ?? '',
    )
    const commands = page.locator('code')
    assert.deepEqual(await commands.allInnerTexts(), [
      'npm run docket -- login',
      'npm run docket -- api-key create',
    ])
    for (const [width, colorScheme] of [
      [320, 'light'],
      [390, 'dark'],
      [1440, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 })
      const lines = await commands.evaluateAll((all) =>
        all.map((one) => one.getClientRects().length),
      )
      assert.deepEqual(lines, [1, 1], `${width}`)
      for (const part of ['html', 'main > div']) {
        const [content, room] = await page
          .locator(part)
          .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])
        assert.ok(Number(content) <= Number(room), `${part} at ${width}`)
      }
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await findViolations(page), [], `${colorScheme} ${width}`)
    }
  })

test('the field of the key looks like every other field', async () => {
  const lookOf = (field: Locator) =>
    field.evaluate((one) =>
      ['borderRadius', 'borderColor', 'backgroundColor', 'padding'].map((name) =>
        Reflect.get(one.ownerDocument.defaultView?.getComputedStyle(one) ?? {}, name),
      ),
    )
  const { page } = await openPage(browser, service, '/console/customer/new')
  const usual = await lookOf(page.getByRole('textbox', { name: 'Name' }))
  const signIn = await openPage(browser, service, '/console', { as: null })
  assert.deepEqual(await lookOf(signIn.page.getByLabel('API key')), usual)
})
