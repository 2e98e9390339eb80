/** Caught e-mails, as administrators see them in a real browser. */
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { findViolationsEverywhere, openPage, startBrowser } from '../../support/browser.ts'
import type { TestService } from '../../support/service.ts'
import { mailOf, startAdminService } from './an-admin-service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
const fileName = '2026-05-04T08-30-00.000Z_ana@example.com_0123456789abcdef.eml'
const html =
  '<body><h1>O-1 waits</h1><script>document.body.append("It ran")</script><form><button>Press</button></form></body>'
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
  const folder = join(service.config.PROJECT, '.docket', 'mail')
  await mkdir(folder, { recursive: true })
  const head = 'To: ana@example.com\r\nSubject: O-1 waits\r\nMIME-Version: 1.0'
  await writeFile(
    join(folder, fileName),
    `${head}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}`,
  )
})

const path = '/console/-/admin/mail'

describe('caught e-mails', () => {
  test('are listed and read; what is in them runs nothing', async () => {
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
  })

  test('that do not exist, and lesser roles, find no page', async () => {
    const { page } = await openPage(browser, service, `${path}/none.eml`)
    await page.getByText('There is no such page.').waitFor()
    const other = await openPage(browser, service, path, { as: mailOf('Ana') })
    await other.page.getByText('There is no such page.').waitFor()
  })

  test('axe finds nothing, light and dark, 320, 768 and 1440 pixels', async () => {
    const { page } = await openPage(browser, service, path)
    const listed = page.getByRole('link', { name: 'ana@example.com' })
    assert.deepEqual(await findViolationsEverywhere(page, () => listed.waitFor()), [])
    await page.goto(`${service.url}${path}/${fileName}`)
    const showHeaders = async () => {
      await page.getByRole('heading', { name: 'O-1 waits', level: 1 }).waitFor()
      await page.getByRole('radio', { name: 'Headers' }).check({ force: true })
    }
    assert.deepEqual(await findViolationsEverywhere(page, showHeaders), [])
  })
})
