/** New users of a role, invited by an administrator in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../../support/browser.ts'
import type { TestService } from '../../support/service.ts'
import { mailOf, startAdminService } from './an-admin-service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
})

const path = '/console/-/admin/roles/clerk'

describe('an invitation', () => {
  test('by keys alone makes a user with the role, and says how they sign in', async () => {
    const { page, reports } = await openPage(browser, service, path)
    await page.getByRole('button', { name: 'Invite' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Invite a user' })
    await dialog.getByLabel('First name').focus()
    for (const text of ['Čedo', 'Novak', 'cedo@example.com']) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.press('Enter')
    const done = page.getByRole('dialog', { name: 'Čedo Novak can sign in' })
    const line = done.getByLabel(/this command prints a link/)
    assert.equal(await line.inputValue(), 'docket login --user cedo@example.com')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: 'Čedo Novak' }).getByText('Active').waitFor()
    const where = { email: 'cedo@example.com' }
    const $select = ['username', 'full_name', 'identity_provider_user_id', 'security_role.key']
    const found = await service.ask('POST', '/user/search', { body: { $where: where, $select } })
    assert.partialDeepStrictEqual(found.json().data, [
      {
        ...{ username: 'cedo@example.com', full_name: 'Čedo Novak' },
        ...{ identity_provider_user_id: 'cedo@example.com', security_role: { key: 'clerk' } },
      },
    ])
    assert.deepEqual(reports, [])
  })

  test('of an address that somebody has already is refused, and can be corrected', async () => {
    const { page } = await openPage(browser, service, path, { colorScheme: 'dark' })
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite a user' })
    await dialog.getByLabel('First name').fill('Another')
    await dialog.getByLabel('Last name').fill('Ana')
    await dialog.getByLabel('E-mail').fill(mailOf('Ana'))
    await dialog.getByLabel('Identity provider user ID').fill('sub-17')
    await dialog.getByRole('button', { name: 'Create the user' }).click()
    await dialog.getByRole('alert').waitFor()
    assert.deepEqual(await findViolations(page), [])
    await dialog.getByLabel('E-mail').fill('another@example.com')
    await dialog.getByRole('button', { name: 'Create the user' }).click()
    await page.getByRole('dialog', { name: 'Another Ana can sign in' }).waitFor()
    const found = await service.ask('POST', '/user/search', {
      body: { $where: { email: 'another@example.com' }, $select: ['identity_provider_user_id'] },
    })
    assert.equal(found.json().data[0].identity_provider_user_id, 'sub-17')
  })
})
