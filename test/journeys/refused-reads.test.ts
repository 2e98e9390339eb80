/** What the first page needs, in a real browser: its title before the scripts, and reads that are refused. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>

before(async () => {
  const settings = { ...orderProject['docket.json'], name: 'Fish & <b>Chips' }
  service = await startTestService(await writeProject({ ...orderProject, 'docket.json': settings }))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  await service.ask('POST', '/order', { body: { number: 'R-2', customer_id: 1 } })
})

const json = { title: 'Broken.', detail: 'It is broken.', status: 500 }

/** Refuses requests until it is called. */
const refuse = async (page: Page, pattern: RegExp) => {
  await page.route(pattern, (route) => route.fulfill({ status: 500, json }))
  return () => page.unroute(pattern)
}

test('a tab has the name of the service before its scripts have run, as a text, and a title to sign in', async () => {
  const response = await fetch(`${service.url}/console/order`)
  assert.match(await response.text(), /<title>Fish &#38; &#60;b&#62;Chips<\/title>/)
  const { page } = await openPage(browser, service, '/console/order', { as: null })
  const title = 'Sign in · Fish & <b>Chips'
  await until('the page has its title', async () => (await page.title()) === title)
})

// What every page needs is read before the first one is rendered.
test('a page whose read is refused says so, with a way to try again', async () => {
  const { page } = await openPage(browser, service, '/console/-/tasks')
  for (const read of ['config.json', 'me', 'entities']) {
    const allow = await refuse(page, new RegExp(`/${read}$`))
    await page.goto(`${service.url}/console/order`)
    await page.getByRole('main').getByRole('heading', { name: 'It is broken.', level: 1 }).waitFor()
    assert.deepEqual(await findViolations(page), [], read)
    await allow()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('gridcell', { name: 'R-2', exact: true }).waitFor()
  }
})

test('settings that are refused keep nobody from working: those of the last time hold', async () => {
  const { page } = await openPage(browser, service, '/console/-/inbox')
  await page.addInitScript(`localStorage.setItem('docket.language', 'de')`)
  const allow = await refuse(page, /\/settings\.json$/)
  await page.goto(`${service.url}/console/order`)
  await page.getByRole('gridcell', { name: 'R-2', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Mein Tag' }).first().waitFor()
  await page.getByRole('gridcell', { name: 'R-2', exact: true }).getByRole('link').click()
  await page.getByRole('heading', { name: 'R-2', level: 1 }).waitFor()
  await allow()
})
