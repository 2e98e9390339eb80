/** Signing in at an identity provider, in a real browser. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { clientId, type SignInIssuer, startSignInIssuer } from '../support/sessions/an-issuer.ts'

let issuer: SignInIssuer
let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  issuer = await startSignInIssuer()
  service = await startTestService(await writeProject(orderProject), {
    ...{ AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: 'docket', AUTH_CLIENT_ID: clientId },
    ADMIN_EMAIL: 'admin@example.com',
  })
  await issuer.allow(`${service.url}/console/-/callback`)
  browser = await startBrowser()
})
after(() => issuer.stop())

describe('signing in at an identity provider', () => {
  test('leads back to the page that was asked for', async () => {
    issuer.setPerson({ subject: 'admin@example.com' })
    const path = '/console/-/admin/jobs?status=dead'
    const { page } = await openPage(browser, service, path, { as: null })
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByText('There are no such jobs.').waitFor()
    assert.equal(page.url(), `${service.url}${path}`)
    await page.goto(`${service.url}/console/-/login?error=expired`)
    await page.getByRole('navigation').getByText('Inbox').waitFor()
  })

  test('that fails says why in the language of the user, and can be begun again', async () => {
    issuer.setPerson(undefined)
    const { page } = await openPage(browser, service, '/console', { as: null, locale: 'de-DE' })
    await page.getByRole('link', { name: 'Anmelden' }).click()
    await page.getByText('Der Identitätsanbieter hat Sie nicht angemeldet.').waitFor()
    assert.deepEqual(await findViolations(page), [])
    issuer.setPerson({ subject: 'admin@example.com' })
    await page.getByRole('link', { name: 'Anmelden' }).click()
    await page.getByRole('navigation').waitFor()
  })
})
