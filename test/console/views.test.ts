/** Saved views of lists in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { orderProject } from './an-order-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  for (let n = 1; n <= 5; n++)
    await service.ask('POST', '/order', {
      body: { number: `O-${n}`, customer_id: 1, total: `${n * 100}.00` },
    })
})

const where = encodeURIComponent(JSON.stringify({ total: { $gte: '300.00' } }))

const choose = async (
  page: Page,
  name: string,
  role: 'menuitem' | 'menuitemcheckbox' = 'menuitem',
) => {
  await page.locator('.list-head [aria-haspopup=menu]').click()
  await page.getByRole(role, { name }).click()
}

const saveAs = async (page: Page, name: string) => {
  await choose(page, 'Save as a new view …')
  const dialog = page.getByRole('dialog', { name: 'Save this list as a view' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
}

describe('saved views', () => {
  test('a list is saved, opened by its link, changed, and gone back to', async () => {
    const { page, reports } = await openPage(browser, service, `/console/order?w=${where}`)
    await page.getByText('3 records').waitFor()
    await saveAs(page, 'Large ones')
    await page.waitForURL(/view=\d+/)
    const id = new URL(page.url()).searchParams.get('view')
    await page.goto(`${service.url}/console/order?view=${id}`)
    await page.getByText('3 records').waitFor()
    await page.getByRole('button', { name: 'Remove the filter Total is at least 300.00' }).click()
    await page.getByText('5 records').waitFor()
    await page.getByText('changed', { exact: true }).waitFor()
    await choose(page, 'Back to the saved view')
    await page.getByText('3 records').waitFor()
    assert.deepEqual(reports, [])
  })

  test('changes of a view are saved, and without a view all records are shown', async () => {
    const { page } = await openPage(browser, service, `/console/order?w=${where}`)
    await page.getByText('3 records').waitFor()
    await saveAs(page, 'Another one')
    await page.waitForURL(/view=\d+/)
    await page.getByRole('columnheader', { name: 'Total' }).getByRole('button').first().click()
    await page.getByText('changed', { exact: true }).waitFor()
    await choose(page, 'Save the changes')
    await page.getByText('changed', { exact: true }).waitFor({ state: 'detached' })
    await choose(page, 'No view')
    await page.getByText('5 records').waitFor()
    await choose(page, 'Another one', 'menuitemcheckbox')
    await page.getByText('3 records').waitFor()
    assert.match(decodeURIComponent(page.url()), /s=\["total"\]/)
    await choose(page, 'Remove the view Another one')
    await page.getByText('5 records').waitFor()
    const { data } = (
      await service.ask('POST', '/saved_view/search', { body: { $where: { name: 'Another one' } } })
    ).json()
    assert.deepEqual(data, [])
  })
})
