/** The console while the service is away, refuses what the first page needs, or is replaced by another version. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { failFileOnce } from '../support/page-files.ts'
import { type Relay, startRelay } from '../support/relay.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { startTestWorker } from '../support/worker.ts'

const away = 'The service does not answer.'

let service: TestService
let relay: Relay
before(async () => {
  const settings = { ...orderProject['docket.json'], name: 'Fish & <b>Chips' }
  service = await startTestService({ ...orderProject, 'docket.json': settings })
  relay = await startRelay(service.url)
  await startTestWorker(service)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal', city: 'Zadar' } })
})
beforeEach(() => relay.resume(service.url))

const open = (path: string) => openPage({ ...service, url: relay.url }, path)

const bannerOf = (page: Page) => page.getByRole('status').getByText(away)
const orders = (page: Page) => page.getByRole('link', { name: 'Order', exact: true })
const noOrders = (page: Page) => page.getByText('There are no records yet.').waitFor()

const openRoles = async (page: Page) => {
  await page.getByText('Administration', { exact: true }).click()
  await page.getByRole('link', { name: 'Rights of roles' }).press('Enter')
}
const roles = (page: Page) => page.getByRole('heading', { name: 'Rights of roles', level: 1 })

// In a window of its own: one that was loaded again is not for a minute, whichever file is missing then.
test('a page whose files it has not any more is loaded again, once', async () => {
  const { page } = await open('/console/customer')
  const customer = page.getByRole('gridcell', { name: 'Adria Metal', exact: true })
  await customer.waitFor()
  const countRequests = await failFileOnce(page, 'administration')
  await openRoles(page)
  await roles(page).waitFor()
  assert.equal(countRequests(), 2)
  await page.getByRole('link', { name: 'Customer', exact: true }).click()
  await customer.waitFor()
})

test('a page whose files cannot be loaded while the service is away comes by itself afterwards', async () => {
  const { page } = await open('/console/customer')
  await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
  await relay.cut()
  await openRoles(page)
  await page.getByRole('alert').getByText(away).waitFor()
  await relay.resume(service.url)
  await roles(page).waitFor()
})

test('what work needs is loaded before it is needed: while the service is away all of it opens', async () => {
  const { page } = await open('/console/customer')
  const customer = page.getByRole('gridcell', { name: 'Adria Metal', exact: true })
  await customer.waitFor()
  const loaded = (file: string) =>
    page.evaluate(
      (start) => performance.getEntriesByType('resource').some(({ name }) => name.includes(start)),
      `/assets/${file}-`,
    )
  for (const file of ['record', 'work', 'texts-en'])
    await until(`${file} is loaded`, () => loaded(file))
  await relay.cut()
  const city = page.getByRole('gridcell', { name: 'Zadar', exact: true })
  await city.dblclick()
  await page.getByRole('textbox', { name: 'City' }).fill('Split')
  await page.keyboard.press('Enter')
  await page.getByText('Not saved.', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('dialog').waitFor()
  assert.equal(await page.getByText('Something went wrong on this page.').count(), 0)
})

test('while the service is away', async (context) => {
  const { page } = await open('/console/customer')
  const customer = page.getByRole('gridcell', { name: 'Adria Metal', exact: true })
  const isBack = () => bannerOf(page).waitFor({ state: 'hidden' })
  const city = page.getByRole('textbox', { name: 'City' })

  await context.test('a list stays with a banner, an opened page waits, both go on', async () => {
    // The files of all pages are there: one that is missing when the service is back loads the page again.
    await customer.getByRole('link').click()
    await city.waitFor()
    await orders(page).click()
    await noOrders(page)
    await page.getByRole('link', { name: 'Customer', exact: true }).click()
    await customer.waitFor()
    await relay.cut()
    await bannerOf(page).waitFor()
    assert.ok(await customer.isVisible())
    assert.deepEqual(await findViolations(page), [])
    await orders(page).click()
    await page.getByRole('heading', { name: 'Order', level: 1 }).waitFor()
    await relay.resume(service.url)
    await noOrders(page)
    await isBack()
  })

  await context.test('what is typed into a record stays, and is saved afterwards', async () => {
    await page.getByRole('link', { name: 'Customer', exact: true }).click()
    await customer.getByRole('link').click()
    await city.fill('Rijeka')
    await relay.cut()
    const save = page.getByRole('button', { name: 'Save' })
    await save.click()
    await page.getByRole('alert').waitFor()
    assert.equal(await city.inputValue(), 'Rijeka')
    await relay.resume(service.url)
    await isBack()
    await save.click()
    await save.waitFor({ state: 'detached' })
    assert.equal((await service.ask('GET', '/customer/1')).json().city, 'Rijeka')
  })

  await context.test('a browser that is offline says so, also to who saves', async () => {
    await city.fill('Pula')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText(away).waitFor()
    await orders(page).click()
    await page.getByRole('button', { name: 'Keep and leave' }).click()
    await bannerOf(page).waitFor()
    await page.context().setOffline(false)
    await noOrders(page)
    await isBack()
  })
})

test('rows are asked for again when the service said; a page that is hidden for long does not listen, and is whole when it is shown', async () => {
  const { page } = await open('/console/-/inbox')
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  await page.clock.install()
  const setVisibility = (state: string) =>
    page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
       document.dispatchEvent(new Event('visibilitychange'))`,
    )
  const holdsLock = () =>
    page.evaluate(async () => ((await navigator.locks.query()).held ?? []).length > 0)
  await until('it listens', holdsLock)
  await setVisibility('hidden')
  await page.clock.runFor(4 * 60_000)
  assert.ok(await holdsLock())
  await page.clock.runFor(2 * 60_000)
  await until('it does not listen', async () => !(await holdsLock()))
  const created = await service.ask('POST', '/order', { body: { number: 'H-1', customer_id: 1 } })
  const path = `/order/${created.json().id}/proceedToStep`
  await service.ask('POST', path, { body: { action: 'submit' } })
  await until('it was told', async () => {
    const reply = await service.ask('GET', '/api/notifications?status=unseen&limit=1')
    return reply.text.includes('H-1')
  })
  assert.equal(await page.getByText('H-1 moved on').count(), 0)
  await setVisibility('visible')
  await page.getByText('H-1 moved on').waitFor()
  await until('it listens again', holdsLock)
  let asked = 0
  await page.route('**/order/search?*', (route) => {
    asked += 1
    const headers = { 'Retry-After': '40', 'Content-Type': 'application/problem+json' }
    return asked > 2 ? route.continue() : route.fulfill({ status: 503, headers, body: '{}' })
  })
  await orders(page).click()
  await page.clock.runFor(1000)
  await until('the rows and their number were asked for', () => asked === 2)
  // The clock goes on by itself too.
  await page.clock.runFor(20_000)
  assert.equal(asked, 2)
  await page.clock.runFor(30_000)
  await page.getByRole('gridcell', { name: 'H-1', exact: true }).waitFor()
})

const json = { title: 'Broken.', detail: 'It is broken.', status: 500 }

/** Refuses requests until it is called. */
const refuse = async (page: Page, pattern: RegExp) => {
  await page.route(pattern, (route) => route.fulfill({ status: 500, json }))
  return () => page.unroute(pattern)
}

test('a tab has the name of the service before its scripts have run, as a text, and a title to sign in', async () => {
  const response = await fetch(`${service.url}/console/customer`)
  assert.match(await response.text(), /<title>Fish &#38; &#60;b&#62;Chips<\/title>/)
  const { page } = await openPage(service, '/console', { as: null })
  const title = 'Sign in · Fish & <b>Chips'
  await until('the page has its title', async () => (await page.title()) === title)
})

// What every page needs is read before the first one is rendered.
test('a page whose read is refused says so, with a way to try again', async () => {
  const { page } = await openPage(service, '/console/-/tasks')
  for (const read of ['config.json', 'me', 'entities']) {
    const allow = await refuse(page, new RegExp(`/${read}$`))
    await page.goto(`${service.url}/console/customer`)
    await page.getByRole('main').getByRole('heading', { name: 'It is broken.', level: 1 }).waitFor()
    if (read === 'me') assert.deepEqual(await findViolations(page), [])
    await allow()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
  }
})

test('settings that are refused keep nobody from working: those of the last time hold', async () => {
  const { page } = await openPage(service, '/console/-/inbox')
  await page.addInitScript(`localStorage.setItem('docket.language', 'de')`)
  const allow = await refuse(page, /\/settings\.json$/)
  await page.goto(`${service.url}/console/customer`)
  await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Mein Tag' }).first().waitFor()
  await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Adria Metal', level: 1 }).waitFor()
  await allow()
})
