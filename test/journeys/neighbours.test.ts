/** The way from a record to the next one of the list that it was opened from, in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolationsEverywhere, openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  for (const [at, total] of ['5.00', '3.00', '9.00', '1.00', '7.00'].entries()) {
    const body = { number: `N-${at + 1}`, customer_id: 1, total }
    assert.equal((await service.ask('POST', '/order', { body })).status, 201)
  }
})

// N-2, N-1, N-5, N-3: by total, without that of 1.00.
const where = encodeURIComponent(JSON.stringify({ total: { $gt: '2' } }))
const list = `/console/order?w=${where}&s=${encodeURIComponent('["total"]')}`

const cellOf = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true })

const arrive = async (page: Page, name: string, place: string) => {
  await page.getByRole('heading', { name, exact: true }).waitFor()
  await page.getByRole('navigation').getByText(place, { exact: true }).waitFor()
}

/** Waits until both neighbours are known, which keys need. */
const settle = (page: Page, end: 'next' | 'previous' | 'none' = 'none') => {
  const name = end === 'next' ? 'Previous record' : 'Next record'
  return page.getByRole('link', { name }).waitFor()
}

describe('the neighbours of a record', () => {
  test('they are those of the filtered and sorted list, by mouse, also after a reload', async () => {
    const { page, reports } = await openPage(browser, service, list)
    await cellOf(page, 'N-1').getByRole('link').click()
    await arrive(page, 'N-1', '2 / 4')
    await page.getByRole('link', { name: 'Next record' }).click()
    await arrive(page, 'N-5', '3 / 4')
    await page.reload()
    await arrive(page, 'N-5', '3 / 4')
    await page.getByRole('link', { name: 'Next record' }).click()
    await arrive(page, 'N-3', '4 / 4')
    await settle(page, 'next')
    assert.equal(await page.getByRole('button', { name: 'Next record' }).isDisabled(), true)
    await page.goBack()
    await cellOf(page, 'N-3').waitFor()
    assert.deepEqual(reports, [])
  })

  test('keys walk through it, with the same part of each record', async () => {
    const { page } = await openPage(browser, service, list)
    await cellOf(page, 'N-2').waitFor()
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await arrive(page, 'N-1', '2 / 4')
    await page.getByRole('tab', { name: 'Tasks' }).click()
    await settle(page)
    await page.keyboard.press('j')
    await arrive(page, 'N-5', '3 / 4')
    await page.getByRole('tab', { name: 'Tasks', selected: true }).waitFor()
    await settle(page)
    await page.keyboard.press('k')
    await arrive(page, 'N-1', '2 / 4')
  })

  test('what is changed on the way does not move the others', async () => {
    const { page } = await openPage(browser, service, list)
    await cellOf(page, 'N-2').getByRole('link').click()
    await arrive(page, 'N-2', '1 / 4')
    await page.getByRole('link', { name: 'Next record' }).click()
    await arrive(page, 'N-1', '2 / 4')
    await service.ask('PATCH', '/order/1', { body: { total: '1.50' } })
    await page.getByRole('link', { name: 'Next record' }).click()
    await page.getByRole('heading', { name: 'N-5' }).waitFor()
    await service.ask('PATCH', '/order/1', { body: { total: '5.00' } })
  })

  test('a record that was opened by its address has none', async () => {
    const { page } = await openPage(browser, service, '/console/order/1')
    await page.getByRole('heading', { name: 'N-1' }).waitFor()
    assert.equal(await page.getByText('Next record').count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Next record' }).count(), 0)
  })

  test('axe finds nothing, light and dark, 320 and 1440 pixels', async () => {
    const viewport = { width: 1440, height: 800 }
    const { page } = await openPage(browser, service, list, { viewport })
    await cellOf(page, 'N-1').getByRole('link').click()
    await arrive(page, 'N-1', '2 / 4')
    const widths = [1440, 320]
    assert.deepEqual(await findViolationsEverywhere(page, () => settle(page), { widths }), [])
  })
})
