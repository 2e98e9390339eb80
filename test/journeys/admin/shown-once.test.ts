/**
 * A page that is shown stays: it is not hidden again while a part of it loads its texts, which would flicker, and would
 * lose the focus and the keys of whoever has begun.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openPage, startBrowser } from '../../support/browser.ts'
import type { TestService } from '../../support/service.ts'
import { startAdminService } from './an-admin-service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
})

// React hides by the style what waits for something to be loaded.
const watchHidden = `globalThis.hidden = []
new MutationObserver((records) => {
  for (const { target } of records)
    if (target.style.display === 'none') hidden.push(target.tagName + '.' + target.className)
}).observe(document, { subtree: true, attributeFilter: ['style'] })`

const paths = [
  ...['', '/order', '/order/1', '/order/new', '/customer', '/user/2'],
  ...['/-/inbox', '/-/approvals', '/-/tasks', '/-/changes', '/-/search?q=o', '/-/settings'],
  ...['/-/admin/deliveries', '/-/admin/jobs', '/-/admin/explain', '/-/admin/mail'],
  ...['/-/admin/definitions', '/-/admin/definitions/order'],
  ...['/-/admin/roles', '/-/admin/roles/clerk'],
]

test('no page is hidden again', async () => {
  const { page } = await openPage(browser, service, '/health')
  await page.addInitScript(watchHidden)
  for (const path of paths) {
    await page.goto(`${service.url}/console${path}`)
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.deepEqual(await page.evaluate('hidden'), [], path)
  }
})
