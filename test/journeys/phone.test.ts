/** The console on a phone, and in a language that is written from right to left. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

const longName = 'Adria Metal d.o.o. za proizvodnju i trgovinu čelika i lima, Zagreb'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: longName, city: 'Zadar' } })
  for (const number of ['P-1', 'P-2', 'P-3']) {
    const body = { number, customer_id: 1, total: '1204.50', status: 'open', notes: 'Ring twice' }
    await service.ask('POST', '/order', { body })
  }
  await service.ask('POST', '/order/1/proceedToStep', { body: { action: 'submit' } })
  const task = { description: longName, due_date: '2026-01-01T09:00:00Z', assigne_id: 1 }
  await service.ask('POST', '/order/1/task', { body: task })
})

const phone = { viewport: { width: 320, height: 640 } }

describe('on a phone', () => {
  test('a list is cards of the name and three more columns, without scrolling sideways', async () => {
    const { page, reports } = await openPage(browser, service, '/console/order', phone)
    await page.getByRole('link', { name: 'P-2' }).waitFor()
    const row = page.getByRole('row').filter({ hasText: 'P-2' })
    // The box that selects it, the name, and three more.
    assert.equal(await row.getByRole('gridcell').count(), 5)
    assert.ok(await row.getByText('1,204.50').isVisible())
    assert.equal(await page.getByText('with x, with Shift').isVisible(), false)
    assert.deepEqual(await findViolations(page), [])
    await row.getByRole('link', { name: 'P-2' }).click()
    await page.getByRole('heading', { name: 'P-2' }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('cards are sorted, selected one by one or all, changed together, and grouped', async () => {
    const { page, reports } = await openPage(browser, service, '/console/order', phone)
    await page.getByRole('button', { name: 'Sort' }).click()
    const number = page.getByRole('menuitemcheckbox', { name: /^Number/ })
    await number.click()
    await page.getByRole('button', { name: 'Sort: Number ↑' }).waitFor()
    await number.click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Sort: Number ↓' }).waitFor()
    await page.waitForURL(/-number/)
    await until('the last one is the first', async () => {
      return (await page.getByRole('row').nth(1).textContent())?.includes('P-3') === true
    })
    await page.getByRole('checkbox', { name: 'Select P-2' }).check()
    const bar = page.getByRole('region', { name: 'Selection' })
    await bar.getByText('1 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select all that match' }).click()
    await bar.getByText('All 3 selected').waitFor()
    assert.equal(await page.evaluate(`document.documentElement.scrollWidth`), 320)
    assert.deepEqual(await findViolations(page), [])
    await bar.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: /^Change/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Group', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Status' }).click()
    await page.getByRole('button', { name: 'Show only: open' }).click()
    await page.getByRole('button', { name: 'Remove the filter Status is open' }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('a chip of a group of conditions shows all of its words', async () => {
    const values = [{ total: { $gte: '300.00' } }, { status: 'open' }, { number: 'P-1' }]
    const where = encodeURIComponent(JSON.stringify({ $or: values }))
    const { page } = await openPage(browser, service, `/console/order?w=${where}`, phone)
    const chip = page.getByRole('button', { name: /^Change the filter/ }).locator('span')
    await chip.getByText('Status is open').waitFor()
    const [shown, whole] = await chip.evaluate(({ clientWidth, scrollWidth }) => [
      clientWidth,
      scrollWidth,
    ])
    assert.equal(shown, whole)
    assert.equal(await page.evaluate(`document.documentElement.scrollWidth`), 320)
  })

  test('a bar at the bottom leads to the day, the inbox, the approvals and the search', async () => {
    const { page, reports } = await openPage(browser, service, '/console/order', phone)
    const bar = page.getByRole('navigation', { name: 'Quick navigation' })
    await bar.getByRole('link', { name: 'Approvals 1' }).click()
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor()
    await bar.getByRole('link', { name: 'My day' }).click()
    await page.getByRole('heading', { name: 'My day', level: 1 }).waitFor()
    await bar.getByRole('link', { name: 'Inbox' }).click()
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
    await bar.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('combobox', { name: 'Find anything' }).fill('P-3')
    await page.getByRole('option', { name: 'P-3' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'P-3' }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('the actions of a record stay in view while its fields are scrolled', async () => {
    const { page, reports } = await openPage(browser, service, '/console/order/1', phone)
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    for (const field of ['Number', 'Notes', 'Number']) {
      await page.getByLabel(field).first().scrollIntoViewIfNeeded()
      const box = await approve.boundingBox()
      assert.ok(box && box.y > 400 && box.y + box.height <= 640)
    }
    await approve.click()
    await page.getByRole('dialog').waitFor()
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(reports, [])
  })

  test('German words fit into the bar', async () => {
    const options = { ...phone, locale: 'de-DE' }
    const { page, reports } = await openPage(browser, service, '/console', options)
    const bar = page.getByRole('navigation', { name: 'Schnellnavigation' })
    await bar.getByRole('link', { name: 'Genehmigungen 1' }).waitFor()
    for (const word of ['Mein Tag', 'Eingang', 'Genehmigungen', 'Suche'])
      assert.ok(
        await bar.getByText(word).evaluate((label) => label.scrollWidth <= label.clientWidth + 1),
        word,
      )
    assert.deepEqual(reports, [])
  })
})

const pages = [
  ...['/console', '/console/order', '/console/order/1', '/console/order/new'],
  ...['/console/-/inbox', '/console/-/approvals', '/console/-/tasks', '/console/-/settings'],
]

/** Elements that reach beyond the page, without those that are cut or scrolled on purpose. */
const overflowing = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const isCut = (element) => {
      for (let at = element; at && at !== document.body; at = at.parentElement) {
        const { overflowX, position, clipPath } = getComputedStyle(at)
        if (overflowX !== 'visible' || clipPath !== 'none') return true
        if (at.matches('dialog, [popover]')) return true
      }
      return false
    }
    const width = document.documentElement.clientWidth
    return [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right } = element.getBoundingClientRect()
      return (left < -1 || right > width + 1) && !isCut(element.parentElement)
    }).map((element) => element.outerHTML.slice(0, 120))
  })()`)

describe('beside a list', () => {
  test('a search stands at the top of the navigation, with its key', async () => {
    const { page, reports } = await openPage(browser, service, '/console/order')
    const main = page.getByRole('navigation', { name: 'Main navigation' })
    await main.getByRole('button', { name: 'Search Ctrl K' }).click()
    await page.getByRole('combobox', { name: 'Find anything' }).fill('P-2')
    await page.getByRole('option', { name: 'P-2' }).click()
    await page.getByRole('heading', { name: 'P-2' }).waitFor()
    assert.deepEqual(reports, [])
  })
})

test('from right to left every page is mirrored, and nothing reaches beyond it, at 1280 and 320 pixels', async () => {
  const { page, reports } = await openPage(browser, service, '/console')
  const setDirection = (direction: string) =>
    page.evaluate(`document.documentElement.dir = '${direction}'`)
  const placeOf = async () =>
    (await page.getByRole('main').getByRole('heading').first().boundingBox())?.x ?? 0
  const assertWithin = async (path: string) => {
    assert.deepEqual(await overflowing(page), [], path)
    const isWithin = `document.documentElement.scrollWidth <= document.documentElement.clientWidth`
    assert.equal(await page.evaluate(isWithin), true, path)
  }
  for (const path of pages) {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`${service.url}${path}`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await page.waitForLoadState('networkidle')
    await assertWithin(path)
    const before = await placeOf()
    await setDirection('rtl')
    await assertWithin(path)
    const navigation = await page.getByRole('navigation').first().boundingBox()
    assert.ok(navigation && navigation.x > 1000, path)
    assert.notEqual(await placeOf(), before, path)
    await page.setViewportSize({ width: 320, height: 800 })
    await assertWithin(path)
    await setDirection('ltr')
    await assertWithin(path)
  }
  assert.deepEqual(reports, [])
})
