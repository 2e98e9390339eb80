/** Signing in and out in a real browser, also at an identity provider and in other tabs, and what a page asks for first. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { createApiKey } from '../../src/auth/callers/api-keys.ts'
import { createLoginCode, loginLink } from '../../src/auth/sessions/sign-in.ts'
import { opened } from '../support/afterwards.ts'
import { findViolations, openPage, signIn, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { createUser } from '../support/console/create-user.ts'
import { startRelay } from '../support/relay.ts'
import { startTestService } from '../support/service.ts'
import { clientId, startSignInIssuer } from '../support/sessions/an-issuer.ts'
import { until } from '../support/wait.ts'

const clerk = {
  'roles/clerk.json': { key: 'clerk', name: 'Clerk', permissions: { customer: { read: true } } },
}
const clerkEmail = 'clerk@example.com'

let clerkId = 0
const service = opened(() => startTestService({ ...orderProject, ...clerk }))
before(async () => {
  clerkId = await createUser(service, 'clerk')
  const created = await service.ask('POST', '/customer', {
    body: { name: 'Adria Metal', city: 'Zadar' },
  })
  assert.equal(created.status, 201)
})

/** A link that signs in the administrator, or another user. */
const linkFor = async (id = 1) =>
  `${service.url}${loginLink('', await createLoginCode(service.database.pool, id))}`

const title = (page: Page) => page.getByRole('heading', { name: 'Sign in to Shop' })

const isUser = async (page: Page, name: string) => {
  await page.getByRole('button', { name }).waitFor()
  assert.ok(!page.url().includes('code'))
}

test('a link signs in once whom it is for, stays in no address and no storage, and signs nobody out', async () => {
  // The address of the service alone leads to the sign-in.
  const { page, reports } = await openPage(service, '/', { as: null })
  await title(page).waitFor()
  assert.equal(new URL(page.url()).pathname, '/console/')
  const reported = reports.length
  const link = await linkFor()
  await page.goto(link)
  await isUser(page, 'Administrator')
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
  )
  assert.equal(stored, '[{},{}]')
  // Without a session nothing is asked that would be refused.
  assert.deepEqual(reports.slice(reported), [])
  await page.getByRole('button', { name: 'Administrator' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await title(page).waitFor()
  await page.reload()
  await title(page).waitFor()
  await page.goto(link)
  await page.getByRole('alert').getByText('The sign-in took too long or was already used').waitFor()
  await title(page).waitFor()
  // As pasted into the address: only the fragment changes, and nothing is loaded.
  await page.evaluate('globalThis.isSamePage = true')
  await page.goto(await linkFor())
  await isUser(page, 'Administrator')
  assert.equal(await page.evaluate('globalThis.isSamePage'), true)
  assert.equal(await page.getByRole('alert').count(), 0)
  // Although another user is signed in.
  await page.goto(await linkFor(clerkId))
  await isUser(page, 'clerk')
  await page.waitForURL(`${service.url}/console/`)
  for (const used of ['#code=old', '?error=failed']) {
    await page.goto(`${service.url}/console/-/login${used}`)
    await page.waitForURL(`${service.url}/console/`)
    await isUser(page, 'clerk')
  }
})

const lookOf = (field: Locator) =>
  field.evaluate((one) =>
    ['borderRadius', 'borderColor', 'backgroundColor', 'padding'].map((name) =>
      Reflect.get(one.ownerDocument.defaultView?.getComputedStyle(one) ?? {}, name),
    ),
  )

test('an API key signs in on the page that was asked for; its field looks like every other one', async () => {
  const { key } = await createApiKey(service.database.pool, { userId: 1, name: 'test' })
  const { page } = await openPage(service, '/console/customer', { as: null })
  const field = page.getByLabel('API key')
  const signInButton = page.getByRole('button', { name: 'Sign in with the key' })
  const look = await lookOf(field)
  await field.fill('docket_wrong')
  await signInButton.click()
  await page.getByRole('alert').waitFor()
  await field.fill(key)
  await signInButton.click()
  await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
  assert.ok(page.url().endsWith('/console/customer'))
  await page.goto(`${service.url}/console/customer/new`)
  assert.deepEqual(await lookOf(page.getByRole('textbox', { name: 'Name' })), look)
  // A key is no proof of who the user is: they sign in again, over the page.
  await page.goto(`${service.url}/console/-/settings`)
  await page.getByRole('button', { name: 'New key …' }).click()
  await page.getByRole('button', { name: 'Sign in again' }).click()
  const again = page.getByRole('dialog', { name: 'Sign in to Shop' })
  await again.getByLabel('API key').fill(key)
  await again.getByRole('button', { name: 'Sign in with the key' }).click()
  await again.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  assert.ok(page.url().endsWith('/console/-/settings'))
})

test('the sign-in says what a person does, then the whole commands of administrators', async () => {
  const { page } = await openPage(service, '/console', { as: null })
  await title(page).waitFor()
  const commands = page.locator('code')
  const said = (await page.getByRole('main').textContent()) ?? ''
  const first = said.indexOf('Open the link that the service printed')
  assert.ok(first > 0 && first < said.indexOf('For administrators'), said)
  assert.deepEqual(await commands.allInnerTexts(), [
    'npm run docket -- login',
    'npm run docket -- api-key create',
  ])
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 844 })
    const lines = await commands.evaluateAll((all) => all.map((one) => one.getClientRects().length))
    assert.deepEqual(lines, [1, 1], `${width}`)
    for (const part of ['html', 'main > div']) {
      const [content, room] = await page
        .locator(part)
        .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])
      assert.ok(Number(content) <= Number(room), `${part} at ${width}`)
    }
    assert.deepEqual(await findViolations(page), [], `${width}`)
  }
})

test('an identity provider leads back to the page that was asked for; one that fails says why, and can be begun again', async () => {
  const issuer = await startSignInIssuer()
  const own = await startTestService(orderProject, {
    AUTH_ISSUER: issuer.url,
    AUTH_AUDIENCE: 'docket',
    AUTH_CLIENT_ID: clientId,
    ADMIN_EMAIL: 'admin@example.com',
  })
  await issuer.allow(`${own.url}/console/-/callback`)
  const path = '/console/-/admin/deliveries?kind=jobs&status=dead'
  const { page } = await openPage(own, '/console', { as: null, locale: 'de-DE' })
  await page.getByRole('link', { name: 'Anmelden' }).click()
  await page.getByText('Der Identitätsanbieter hat Sie nicht angemeldet.').waitFor()
  assert.deepEqual(await findViolations(page), [])
  issuer.setPerson({ subject: 'admin@example.com' })
  await page.getByRole('link', { name: 'Anmelden' }).click()
  await page.getByRole('navigation').first().waitFor()
  await page.context().clearCookies()
  await page.goto(`${own.url}${path}`)
  await page.getByRole('link', { name: 'Anmelden' }).click()
  await page.getByRole('navigation').first().waitFor()
  assert.equal(page.url(), `${own.url}${path}`)
})

test('another tab that signs in as another user leaves nothing of the first user', async () => {
  const { page, reports } = await openPage(service, '/console/customer/1')
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
  await signIn(context, service, clerkEmail)
  const other = await context.newPage()
  await other.goto(`${service.url}/console/customer`)
  await other.getByRole('button', { name: 'clerk' }).waitFor()
  await page.getByRole('button', { name: 'clerk' }).waitFor()
  const said = page.getByRole('alert').getByText('You are signed in as clerk now')
  await said.waitFor()
  assert.equal(await other.getByRole('alert').count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Order', exact: true }).count(), 0)
  assert.equal(await page.getByText('Rijeka').count(), 0)
  // What was on its way belonged to the session that has ended.
  const refused = /^Failed to load resource: .* 401 /
  assert.deepEqual(
    reports.filter((text) => !refused.test(text)),
    [],
  )
})

test('a session that has ended begins again over its page: what was typed stays, and goes with another user, without a word of other tabs', async () => {
  const { page } = await openPage(service, '/console/customer/1')
  const city = page.getByLabel('City')
  await city.fill('Split')
  for (const [userId, name] of [
    [1, 'Administrator'],
    [clerkId, 'clerk'],
  ] as const) {
    const { key } = await createApiKey(service.database.pool, { userId, name: 'test' })
    await page.context().clearCookies()
    // Whatever else the page asks for may have opened the dialog, which covers the button.
    await page.getByRole('button', { name: 'Save', exact: true }).dispatchEvent('click')
    const dialog = page.getByRole('dialog', { name: 'Sign in to Shop' })
    await dialog.getByLabel('API key').fill(key)
    await dialog.getByRole('button', { name: 'Sign in with the key' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name }).waitFor()
    if (userId === 1) assert.equal(await city.inputValue(), 'Split')
  }
  await page.getByRole('heading', { name: 'Adria Metal' }).waitFor()
  assert.equal(await page.getByText('Split').count(), 0)
  // A notice is loaded after the page.
  await page.waitForLoadState('networkidle')
  assert.equal(await page.getByRole('alert').count(), 0)
})

test('another tab that signs out ends this one too', async () => {
  const { page } = await openPage(service, '/console/customer')
  await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
  const other = await page.context().newPage()
  await other.goto(`${service.url}/console/customer`)
  await other.getByRole('button', { name: 'Administrator' }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
  assert.equal(await page.getByText('Adria Metal').count(), 0)
})

test('signing out says so if the service is away, and then nothing is lost', async () => {
  const relay = await startRelay(service.url)
  const { page } = await openPage({ ...service, url: relay.url }, '/console/customer/1')
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

/** Notes whether anything is rendered when the rows are asked for. */
const watchRows = `{
  const send = fetch
  globalThis.fetch = (url, init) => {
    if (String(url).includes('/order/search'))
      globalThis.renderedBefore ??= document.querySelector('nav') !== null
    return send(url, init)
  }
}`

// What it loads: `facts/console/first-load`.
test('what every page reads is asked for by the page itself, once, and rows before anything is rendered', async () => {
  // A browser that has nothing of the service yet.
  const context = await (await startBrowser()).newContext()
  await signIn(context, service)
  const page = await context.newPage()
  await page.addInitScript(watchRows)
  const urls: URL[] = []
  page.on('request', (request) => urls.push(new URL(request.url())))
  const asked = () => urls.map(({ pathname }) => pathname)
  await page.goto(`${service.url}/console/order`)
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await until('the tasks are counted', () => asked().includes('/api/tasks/count'))
  const script = asked().findIndex((path) => path.endsWith('.js'))
  const reads = ['/console/-/config.json', '/api/me', '/api/entities', '/console/-/settings.json']
  for (const path of reads) {
    assert.equal(asked().filter((one) => one === path).length, 1, `${path} in ${asked().join()}`)
    assert.ok(asked().indexOf(path) < script, `${path} comes before the scripts`)
  }
  // The rows do not wait for the page around them either.
  assert.ok(asked().indexOf('/order/search') < asked().indexOf('/api/tasks/count'), asked().join())
  assert.equal(await page.evaluate('globalThis.renderedBefore'), false)
  assert.deepEqual(
    urls.filter(({ origin }) => origin !== service.url).map(({ href }) => href),
    [],
  )
  await context.close()
})
