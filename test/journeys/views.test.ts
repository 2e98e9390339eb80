/** Saved views of lists in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

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

const settings = async () =>
  (await service.ask('GET', '/console/-/settings.json')).json()['list.order']

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
  await sayLong(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await saidSaved(page).waitFor()
}

/** That one was saved is said for five seconds, in which a busy machine may not come to look: now for five minutes. */
const sayLong = (page: Page) =>
  page.evaluate(`{
    const plain = setTimeout
    globalThis.setTimeout = (act, ms, ...rest) => plain(act, ms === 5_000 ? 300_000 : ms, ...rest)
  }`)

const saidSaved = (page: Page) => page.getByRole('status').getByText('saved', { exact: true })

/** Follows the link of the navigation. */
const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()

describe('the last list of an entity', () => {
  test('is shown when the navigation leads to it, in every browser, and is gone back from', async () => {
    const { page, reports } = await openPage(browser, service, '/console/order')
    await page.getByText('5 records').waitFor()
    await page.getByRole('searchbox', { name: 'Find in this list' }).fill('O-3')
    await page.getByText('1 record', { exact: true }).waitFor()
    await page.getByText('changed', { exact: true }).waitFor()
    await goTo(page, 'Customer')
    await page.getByText('Adria Metal').waitFor()
    await goTo(page, 'Order')
    await page.getByText('1 record', { exact: true }).waitFor()
    await until('the service keeps it', async () => (await settings())?.q === 'O-3')
    // What a link of somebody else shows is not the own choice.
    const other = await openPage(browser, service, `/console/order?w=${where}`)
    await other.page.getByText('3 records').waitFor()
    await goTo(other.page, 'Order')
    await other.page.getByText('1 record', { exact: true }).waitFor()
    await other.page.getByRole('button', { name: 'Reset' }).click()
    await other.page.getByText('5 records').waitFor()
    await other.page.getByText('changed', { exact: true }).waitFor({ state: 'detached' })
    await until('the service forgets it', async () => (await settings()) === undefined)
    assert.deepEqual([...reports, ...other.reports], [])
  })

  test('a view that it is, is shown as it is by then; one that was emptied stays empty', async () => {
    const body = { entity_key: 'order', name: 'By size', criteria: { $orderBy: ['-total'] } }
    const { id } = (await service.ask('POST', '/saved_view', { body })).json()
    const { page } = await openPage(browser, service, '/console/order')
    await choose(page, 'By size', 'menuitemcheckbox')
    await page.waitForURL(/-total/)
    await goTo(page, 'Customer')
    await page.getByText('Adria Metal').waitFor()
    await until('it is kept', async () => (await settings())?.view === id)
    const criteria = { $where: { total: { $lt: '250.00' } } }
    await service.ask('PATCH', `/saved_view/${id}`, { body: { criteria } })
    await page.reload()
    await page.getByText('Adria Metal').waitFor()
    await goTo(page, 'Order')
    await page.getByText('2 records').waitFor()
    await page.getByRole('button', { name: 'Remove the filter Total' }).click()
    await page.getByText('5 records').waitFor()
    await page.reload()
    await page.getByText('5 records').waitFor()
    await page.getByText('changed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Reset' }).click()
    await page.getByText('2 records').waitFor()
  })
})

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

  test('that one was saved is said beside the ring of the focus, for some seconds', async () => {
    const { page } = await openPage(browser, service, '/console/order')
    await page.getByText('5 records').waitFor()
    await page.clock.install()
    await saveAs(page, 'Said once')
    const button = page.locator('.views').getByRole('button').first()
    await button.focus()
    // The ring is two pixels wide, and one away.
    const text = await saidSaved(page).evaluate((element) => {
      const range = element.ownerDocument.createRange()
      range.selectNodeContents(element)
      return range.getBoundingClientRect().left
    })
    const box = await button.boundingBox()
    assert.ok(box && text >= box.x + box.width + 3, `${text} beside ${box?.x} + ${box?.width}`)
    await page.clock.runFor(301_000)
    await saidSaved(page).waitFor({ state: 'detached' })
    await page.getByRole('columnheader', { name: 'Total' }).getByRole('button').first().click()
    await choose(page, 'Save the changes')
    await saidSaved(page).waitFor()
    await page.clock.runFor(301_000)
    await saidSaved(page).waitFor({ state: 'detached' })
    await choose(page, 'Remove the view Said once')
    await page.getByRole('button', { name: 'Remove the view' }).last().click()
  })

  test('the way to all records is called by what they are, in each language', async () => {
    for (const [locale, all] of [
      ['en-GB', 'All Order'],
      ['de-DE', 'Alle: Order'],
      ['hr-HR', 'Sve: Order'],
    ] as const) {
      const { page } = await openPage(browser, service, `/console/order?view=1`, { locale })
      await page.locator('.list-head [aria-haspopup=menu]').click()
      await page.getByRole('menuitem', { name: all, exact: true }).waitFor()
      await page.context().close()
    }
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
    await choose(page, 'All Order')
    await page.getByText('5 records').waitFor()
    await choose(page, 'Another one', 'menuitemcheckbox')
    await page.getByText('3 records').waitFor()
    assert.match(decodeURIComponent(page.url()), /s=\["total"\]/)
    await choose(page, 'Remove the view Another one')
    const asked = page.getByRole('dialog', { name: 'Remove the view Another one?' })
    await asked.getByRole('button', { name: 'Cancel' }).press('Enter')
    await page.getByText('3 records').waitFor()
    await choose(page, 'Remove the view Another one')
    await asked.getByRole('button', { name: 'Remove the view' }).click()
    await page.getByText('5 records').waitFor()
    const { data } = (
      await service.ask('POST', '/saved_view/search', { body: { $where: { name: 'Another one' } } })
    ).json()
    assert.deepEqual(data, [])
  })
})
