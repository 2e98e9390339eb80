/**
 * A page that is shown stays: it is not hidden again while a part of it loads its texts, which would flicker, and would
 * lose the focus and the keys of whoever has begun.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { signIn, startBrowser } from '../../support/browser.ts'
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

for (const path of [
  ...['', '/order', '/order/1', '/order/new', '/customer', '/user/2'],
  ...['/-/inbox', '/-/approvals', '/-/tasks', '/-/changes', '/-/search?q=o', '/-/settings'],
  ...['/-/admin/deliveries', '/-/admin/jobs', '/-/admin/explain', '/-/admin/mail'],
  ...['/-/admin/definitions', '/-/admin/definitions/order'],
  ...['/-/admin/roles', '/-/admin/roles/clerk'],
])
  test(`/console${path} is not hidden again`, async () => {
    const context = await browser.newContext()
    await signIn(context, service)
    await context.addInitScript(watchHidden)
    const page = await context.newPage()
    await page.goto(`${service.url}/console${path}`)
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.deepEqual(await page.evaluate('hidden'), [])
    await context.close()
  })
