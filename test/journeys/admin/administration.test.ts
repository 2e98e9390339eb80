/** What administrators do in a real browser: they invite users, see the console as one of them, and read caught e-mails. */
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import {
  findViolations,
  findViolationsEverywhere,
  openPage,
  startBrowser,
} from '../../support/browser.ts'
import type { TestService } from '../../support/service.ts'
import { mailOf, startAdminService } from './an-admin-service.ts'

const mailPath = '/console/-/admin/mail'
const fileName = '2026-05-04T08-30-00.000Z_ana@example.com_0123456789abcdef.eml'
const html =
  '<body><h1>O-1 waits</h1><script>document.body.append("It ran")</script><form><button>Press</button></form></body>'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
  const folder = join(service.config.PROJECT, '.docket', 'mail')
  await mkdir(folder, { recursive: true })
  const head = 'To: ana@example.com\r\nSubject: O-1 waits\r\nMIME-Version: 1.0'
  const type = 'Content-Type: text/html; charset=utf-8'
  await writeFile(join(folder, fileName), `${head}\r\n${type}\r\n\r\n${html}`)
})

const findUser = async (email: string) => {
  const $select = ['username', 'full_name', 'identity_provider_user_id', 'security_role.key']
  const found = await service.ask('POST', '/user/search', { body: { $where: { email }, $select } })
  return found.json().data
}

test('the users of a role', async (context) => {
  const { page, reports } = await openPage(browser, service, '/console/-/admin/roles/clerk')
  const dialog = page.getByRole('dialog', { name: 'Invite a user' })
  const invite = page.getByRole('button', { name: 'Invite' })

  await context.test('are invited by keys alone, and it is said how they sign in', async () => {
    await invite.press('Enter')
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
    assert.partialDeepStrictEqual(await findUser('cedo@example.com'), [
      {
        ...{ username: 'cedo@example.com', full_name: 'Čedo Novak' },
        ...{ identity_provider_user_id: 'cedo@example.com', security_role: { key: 'clerk' } },
      },
    ])
    assert.deepEqual(reports, [])
  })

  await context.test('with the address of somebody else are refused, then corrected', async () => {
    await page.emulateMedia({ colorScheme: 'dark' })
    await invite.click()
    for (const [label, text] of [
      ['First name', 'Another'],
      ['Last name', 'Ana'],
      ['E-mail', mailOf('Ana')],
      ['Identity provider user ID', 'sub-17'],
    ] as const)
      await dialog.getByLabel(label).fill(text)
    await dialog.getByRole('button', { name: 'Create the user' }).click()
    await dialog.getByRole('alert').waitFor()
    assert.deepEqual(await findViolations(page), [])
    await dialog.getByLabel('E-mail').fill('another@example.com')
    await dialog.getByRole('button', { name: 'Create the user' }).click()
    await page.getByRole('dialog', { name: 'Another Ana can sign in' }).waitFor()
    await page.keyboard.press('Enter')
    const [{ identity_provider_user_id: id }] = await findUser('another@example.com')
    assert.equal(id, 'sub-17')
  })

  await context.test('are acted as, which every page says with the way back', async () => {
    await page.setViewportSize({ width: 1024, height: 480 })
    // However long the navigation is.
    const user = page.getByRole('button', { name: 'Administrator' })
    const { y = 480, height = 0 } = (await user.boundingBox()) ?? {}
    assert.ok(y + height <= 480)
    const row = page.getByRole('row', { name: 'Ana Test' })
    await row.getByRole('button', { name: 'Act as this user' }).click()
    const navigation = page.getByRole('navigation')
    await navigation.getByText('Ana Test').waitFor()
    assert.equal(await page.getByText('Administration').count(), 0)
    const said = page.getByRole('region', { name: 'Acting as somebody else' })
    await said.getByText('You act as Ana Test').waitFor()
    await navigation.getByRole('link', { name: 'Customer' }).click()
    await page.getByRole('grid').waitFor()
    await said.waitFor()
    assert.deepEqual(await findViolations(page), [])
    // Lesser roles find no caught e-mails.
    await page.goto(`${service.url}${mailPath}`)
    await page.getByText('There is no such page.').waitFor()
    await said.getByRole('button', { name: 'Back to Administrator' }).press('Enter')
    await user.waitFor()
    await page.getByText('Administration').waitFor()
    assert.equal(await said.count(), 0)
  })
})

test('caught e-mails are listed and read; what is in them runs nothing, and others do not exist', async () => {
  const { page } = await openPage(browser, service, '/console')
  await page.getByText('Administration').click()
  await page.getByRole('link', { name: 'Caught e-mails' }).click()
  await page.getByRole('link', { name: 'ana@example.com' }).press('Enter')
  await page.getByRole('heading', { name: 'O-1 waits', level: 1 }).waitFor()
  const frame = page.frameLocator('iframe')
  await frame.getByRole('heading', { name: 'O-1 waits' }).waitFor()
  assert.equal(await frame.getByText('It ran').count(), 0)
  await page.getByRole('radio', { name: 'Headers' }).check({ force: true })
  await page.getByText('Subject: O-1 waits').waitFor()
  await page.goto(`${service.url}${mailPath}/none.eml`)
  await page.getByText('There is no such page.').waitFor()
})

test('an action for many records says whom it would notify', async () => {
  for (let n = 1; n <= 6; n++)
    await service.ask('POST', '/order', { body: { number: `B-${n}`, customer_id: 1 } })
  const where = encodeURIComponent(JSON.stringify({ number: { $startsWith: 'B-' } }))
  const { page, reports } = await openPage(browser, service, `/console/order?w=${where}`)
  await page.getByRole('checkbox', { name: 'Select all that match' }).check()
  await page.getByRole('button', { name: 'Submit …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Submit: 6 records' })
  await dialog.getByRole('button', { name: 'Check' }).click()
  await dialog.getByText('Possible for 6 records.').waitFor()
  await dialog.getByText(/^Notifies Ana Test.* about 6 records/).waitFor()
  assert.deepEqual(reports, [])
})

describe('axe finds nothing', () => {
  test('in caught e-mails, light and dark, 320, 768 and 1440 pixels', async () => {
    const { page } = await openPage(browser, service, mailPath)
    const listed = page.getByRole('link', { name: 'ana@example.com' })
    assert.deepEqual(await findViolationsEverywhere(page, () => listed.waitFor()), [])
    await listed.click()
    const showHeaders = async () => {
      await page.getByRole('heading', { name: 'O-1 waits', level: 1 }).waitFor()
      await page.getByRole('radio', { name: 'Headers' }).check({ force: true })
    }
    assert.deepEqual(await findViolationsEverywhere(page, showHeaders), [])
  })
})
