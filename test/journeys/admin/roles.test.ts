/** A role as administrators see it through the eyes of one of its users, in a real browser. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../../support/browser.ts'
import type { TestService } from '../../support/service.ts'
import { startAdminService } from './an-admin-service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
})

test('a role is seen as one of its users during development, which every page says with the way back', async () => {
  const { page } = await openPage(browser, service, '/console/-/admin/roles/clerk', {
    viewport: { width: 1024, height: 480 },
  })
  // However long the navigation is.
  const user = page.getByRole('button', { name: 'Administrator' })
  const { y = 480, height = 0 } = (await user.boundingBox()) ?? {}
  assert.ok(y + height <= 480)
  await page
    .getByRole('row', { name: 'Ana Test' })
    .getByRole('button', { name: 'Act as this user' })
    .click()
  await page.getByRole('navigation').getByText('Ana Test').waitFor()
  assert.equal(await page.getByText('Administration').count(), 0)
  const said = page.getByRole('region', { name: 'Acting as somebody else' })
  await said.getByText('You act as Ana Test').waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Customer' }).click()
  await page.getByRole('grid').waitFor()
  await said.waitFor()
  assert.deepEqual(await findViolations(page), [])
  await said.getByRole('button', { name: 'Back to Administrator' }).press('Enter')
  await user.waitFor()
  await page.getByText('Administration').waitFor()
  assert.equal(await said.count(), 0)
})
