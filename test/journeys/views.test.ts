/** Saved views of lists in a real browser. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { opened } from '../support/afterwards.ts'
import { findViolations, openPage } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService } from '../support/service.ts'
import { until } from '../support/wait.ts'

const service = opened(() => startTestService(orderProject))
before(async () => {
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
  assert.deepEqual(await findViolations(page), [])
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

const sortByTotal = (page: Page) =>
  page.getByRole('columnheader', { name: 'Total' }).getByRole('button').first().click()

const changed = (page: Page) => page.getByText('changed', { exact: true })
const records = (page: Page, count: number) =>
  page.getByText(count === 1 ? '1 record' : `${count} records`, { exact: true }).waitFor()

test('the last list of an entity', async (context) => {
  const { page, reports } = await openPage(service, '/console/order')

  await context.test('is shown by the navigation of every browser, until it is reset', async () => {
    await records(page, 5)
    await page.getByRole('searchbox', { name: 'Find in this list' }).fill('O-3')
    await records(page, 1)
    await changed(page).waitFor()
    await goTo(page, 'Customer')
    await page.getByText('Adria Metal').waitFor()
    await goTo(page, 'Order')
    await records(page, 1)
    await until('the service keeps it', async () => (await settings())?.q === 'O-3')
    // What a link of another user shows is not the own choice.
    const other = await openPage(service, `/console/order?w=${where}`)
    await records(other.page, 3)
    await goTo(other.page, 'Order')
    await records(other.page, 1)
    await other.page.getByRole('button', { name: 'Reset' }).click()
    await records(other.page, 5)
    await changed(other.page).waitFor({ state: 'detached' })
    await until('the service forgets it', async () => (await settings()) === undefined)
    assert.deepEqual([...reports, ...other.reports], [])
    await other.page.close()
  })

  await context.test('is shown as its view is by then, and stays empty if emptied', async () => {
    const body = { entity_key: 'order', name: 'By size', criteria: { $orderBy: ['-total'] } }
    const { id } = (await service.ask('POST', '/saved_view', { body })).json()
    await page.goto(`${service.url}/console/order`)
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
    await records(page, 2)
    await page.getByRole('button', { name: 'Remove the filter Total' }).click()
    await records(page, 5)
    await page.reload()
    await records(page, 5)
    await changed(page).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Reset' }).click()
    await records(page, 2)
  })
})

test('a list is saved, opened by its link, changed, gone back to, and removed', async () => {
  const { page, reports } = await openPage(service, `/console/order?w=${where}`)
  await records(page, 3)
  await page.clock.install()
  await saveAs(page, 'Large ones')
  // That it was saved is said next to the ring of the focus, which is two pixels wide and one away, for some seconds.
  const button = page.locator('.views').getByRole('button').first()
  await button.focus()
  const text = await saidSaved(page).evaluate((element) => {
    const range = element.ownerDocument.createRange()
    range.selectNodeContents(element)
    return range.getBoundingClientRect().left
  })
  const box = await button.boundingBox()
  assert.ok(box && text >= box.x + box.width + 3, `${text} beside ${box?.x} + ${box?.width}`)
  await page.clock.runFor(301_000)
  await saidSaved(page).waitFor({ state: 'detached' })
  await page.waitForURL(/view=\d+/)
  const id = new URL(page.url()).searchParams.get('view')
  await page.goto(`${service.url}/console/order?view=${id}`)
  await records(page, 3)
  await page.getByRole('button', { name: 'Remove the filter Total is at least 300.00' }).click()
  await records(page, 5)
  await changed(page).waitFor()
  await choose(page, 'Back to the saved view')
  await records(page, 3)
  await sortByTotal(page)
  await changed(page).waitFor()
  await choose(page, 'Save the changes')
  await changed(page).waitFor({ state: 'detached' })
  await choose(page, 'All Order')
  await records(page, 5)
  await choose(page, 'Large ones', 'menuitemcheckbox')
  await records(page, 3)
  assert.match(decodeURIComponent(page.url()), /s=\["total"\]/)
  await choose(page, 'Remove the view Large ones')
  const asked = page.getByRole('dialog', { name: 'Remove the view Large ones?' })
  await asked.getByRole('button', { name: 'Cancel' }).press('Enter')
  await records(page, 3)
  await choose(page, 'Remove the view Large ones')
  await asked.getByRole('button', { name: 'Remove the view' }).click()
  await records(page, 5)
  const body = { $where: { name: 'Large ones' } }
  assert.deepEqual((await service.ask('POST', '/saved_view/search', { body })).json().data, [])
  assert.deepEqual(reports, [])
})
