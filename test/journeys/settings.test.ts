/** What users set in a real browser, kept by the service. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { insertUser } from '../../src/users/user-store.ts'
import { openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

const reader = { key: 'reader', permissions: { customer: { read: true } } }

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(
    await writeProject({ ...orderProject, 'roles/reader.json': reader }),
  )
  browser = await startBrowser()
})

const path = '/console/-/settings.json'

const shown = async (page: Page) => {
  const html = page.locator('html')
  return [await html.getAttribute('lang'), await html.getAttribute('data-theme')]
}

describe('theme and language', () => {
  test('are shown at once, and in every browser of the user', async () => {
    const { page, reports } = await openPage(browser, service, '/console/customer')
    await page.getByRole('button', { name: 'Administrator' }).click()
    await page.getByRole('menuitem', { name: 'Settings' }).click()
    await page.getByText('Dark', { exact: true }).click()
    await page.getByLabel('Language').selectOption('Hrvatski')
    await page.getByRole('heading', { name: 'Postavke' }).waitFor()
    assert.deepEqual(await shown(page), ['hr', 'dark'])
    await until('the service keeps the language', async () => {
      const { language } = (await service.ask('GET', path)).json()
      return language === 'hr'
    })
    await page.reload()
    await page.getByRole('heading', { name: 'Postavke' }).waitFor()
    assert.deepEqual(await shown(page), ['hr', 'dark'])
    const other = await openPage(browser, service, '/console/customer')
    await other.page.getByRole('button', { name: 'Stupci' }).waitFor()
    assert.deepEqual(await shown(other.page), ['hr', 'dark'])
    assert.deepEqual([...reports, ...other.reports], [])
  })

  test('are those of the system and the browser for whoever chose nothing', async () => {
    await service.ask('PATCH', path, { body: { theme: null, language: null } })
    const { page } = await openPage(browser, service, '/console/customer', { locale: 'de-AT' })
    await page.getByRole('button', { name: 'Spalten' }).waitFor()
    assert.deepEqual(await shown(page), ['de', null])
  })
})

describe('the time zone', () => {
  test('of the user is used and named where it is not that of the project', async () => {
    await service.ask('PATCH', path, { body: { language: 'en' } })
    await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
    const sent = { number: 'Z-1', customer_id: 1, sent_at: '2026-05-04T10:30:00Z' }
    assert.equal((await service.ask('POST', '/order', { body: sent })).status, 201)
    const list = `/console/order?c=${encodeURIComponent('["sent_at"]')}`
    const own = await openPage(browser, service, list)
    await own.page.getByRole('gridcell', { name: '4 May 2026, 12:30', exact: true }).waitFor()
    const body = { timeZone: 'America/New_York' }
    await service.ask('PATCH', path, { body })
    const other = await openPage(browser, service, list)
    await other.page.getByRole('gridcell', { name: '4 May 2026, 06:30 GMT-4' }).waitFor()
  })
})

describe('the page of settings', () => {
  const address = '/console/-/settings'

  test('it is used by keys alone, and what is chosen holds at once', async () => {
    await service.ask('PATCH', path, { body: { timeZone: null, language: 'en', theme: null } })
    const { page, reports } = await openPage(browser, service, address)
    await page.getByRole('radio', { name: 'Normal' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('radio', { name: 'Compact', checked: true }).waitFor()
    const keys = page.getByRole('checkbox', { name: 'Shortcuts without Ctrl' })
    await keys.focus()
    await page.keyboard.press('Space')
    await until('both are kept', async () => {
      const { density, singleKeys } = (await service.ask('GET', path)).json()
      return density === 'compact' && singleKeys === false
    })
    assert.equal(await page.locator('html').getAttribute('data-density'), 'compact')
    assert.deepEqual(reports, [])
  })

  test('an e-mail is switched off, and the service knows it', async () => {
    const { page } = await openPage(browser, service, address)
    const choice = page.getByRole('checkbox', { name: /^E-mail: Order, when/ })
    await choice.click()
    await until('the service knows', async () => {
      const { data } = (await service.ask('GET', '/api/notifications/preferences')).json()
      return data[0].email === false
    })
    await page.reload()
    await choice.waitFor()
    assert.equal(await choice.isChecked(), false)
  })

  test('the address of the calendar is shown once, renewed and ended', async () => {
    const { page, reports } = await openPage(browser, service, address)
    await page.getByRole('button', { name: 'Create an address' }).click()
    const shownUrl = page.getByLabel('Address of your calendar')
    await shownUrl.waitFor()
    const statusOf = async (url: string) => (await fetch(url)).status
    const first = await shownUrl.inputValue()
    assert.equal(await statusOf(first), 200)
    await page.getByRole('button', { name: 'Create a new address' }).click()
    await until('another address', async () => (await shownUrl.inputValue()) !== first)
    const second = await shownUrl.inputValue()
    assert.deepEqual([await statusOf(first), await statusOf(second)], [404, 200])
    await page.reload()
    await page.getByText('shown only once.').waitFor()
    await page.getByRole('button', { name: 'Stop sharing' }).click()
    await page.getByRole('button', { name: 'Create an address' }).waitFor()
    assert.equal(await statusOf(second), 404)
    assert.deepEqual(reports, [])
  })

  test('a session of another browser is ended, this one is not offered', async () => {
    const other = await openPage(browser, service, '/console/customer', {
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
    })
    const { page } = await openPage(browser, service, address)
    await page.getByText('this browser').waitFor()
    await page.getByRole('button', { name: 'Sign out there: Firefox on Linux' }).click()
    await page.getByText('Firefox on Linux').waitFor({ state: 'detached' })
    await other.page.reload()
    await other.page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
  })

  test('who may not read an entity is not asked about its notifications', async () => {
    const names = { first_name: 'Rea', last_name: 'Der', full_name: 'Rea Der' }
    const user = { identity_provider_user_id: 'reader', role_key: 'reader', ...names }
    const email = 'reader@example.com'
    assert.ok(await insertUser(service.database.pool, { ...user, email }))
    const { page, reports } = await openPage(browser, service, address, { as: email })
    await page.getByText('this browser').waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(await page.getByRole('heading', { name: 'Notifications' }).count(), 0)
    assert.deepEqual(reports, [])
  })
})
