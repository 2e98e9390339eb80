/** What users set in a real browser, kept by the service. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { orderProject } from './an-order-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
})

const openMenu = (page: Page) => page.getByRole('button', { name: 'Administrator' }).click()

const shown = async (page: Page) => {
  const html = page.locator('html')
  return [await html.getAttribute('lang'), await html.getAttribute('data-theme')]
}

describe('theme and language', () => {
  test('are shown at once, and in every browser of the user', async () => {
    const { page, reports } = await openPage(browser, service, '/console/customer')
    await openMenu(page)
    await page.getByRole('menuitemcheckbox', { name: 'Theme: Dark' }).click()
    await openMenu(page)
    await page.getByRole('menuitemcheckbox', { name: 'Hrvatski' }).click()
    await page.getByRole('button', { name: 'Stupci' }).waitFor()
    assert.deepEqual(await shown(page), ['hr', 'dark'])
    await until('the service keeps the language', async () => {
      const { language } = (await service.ask('GET', '/console/-/settings')).json()
      return language === 'hr'
    })
    await page.reload()
    await page.getByRole('button', { name: 'Stupci' }).waitFor()
    assert.deepEqual(await shown(page), ['hr', 'dark'])
    const other = await openPage(browser, service, '/console/customer')
    await other.page.getByRole('button', { name: 'Stupci' }).waitFor()
    assert.deepEqual(await shown(other.page), ['hr', 'dark'])
    assert.deepEqual([...reports, ...other.reports], [])
  })

  test('are those of the system and the browser for whoever chose nothing', async () => {
    await service.ask('PATCH', '/console/-/settings', { body: { theme: null, language: null } })
    const { page } = await openPage(browser, service, '/console/customer', { locale: 'de-AT' })
    await page.getByRole('button', { name: 'Spalten' }).waitFor()
    assert.deepEqual(await shown(page), ['de', null])
  })
})

describe('the time zone', () => {
  test('of the user is used and named where it is not that of the project', async () => {
    await service.ask('PATCH', '/console/-/settings', { body: { language: 'en' } })
    await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
    const sent = { number: 'Z-1', customer_id: 1, sent_at: '2026-05-04T10:30:00Z' }
    assert.equal((await service.ask('POST', '/order', { body: sent })).status, 201)
    const path = `/console/order?c=${encodeURIComponent('["sent_at"]')}`
    const own = await openPage(browser, service, path)
    await own.page.getByRole('gridcell', { name: 'May 4, 2026, 12:30 PM', exact: true }).waitFor()
    const body = { timeZone: 'America/New_York' }
    await service.ask('PATCH', '/console/-/settings', { body })
    const other = await openPage(browser, service, path)
    await other.page.getByRole('gridcell', { name: 'May 4, 2026, 6:30 AM EDT' }).waitFor()
  })
})
