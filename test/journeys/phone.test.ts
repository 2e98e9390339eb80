/** Every page of the console in a language that is written from right to left, and on a phone. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

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
