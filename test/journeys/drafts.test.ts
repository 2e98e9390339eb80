/** What was typed and not saved survives: a reload, a crash of the page, an ended session, and leaving. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, signIn, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { isKept } from './kept-drafts.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  for (const name of ['Adria Metal', 'Boreas', 'Coral', 'Dunav', 'Etna'])
    await service.ask('POST', '/customer', { body: { name, city: 'Zadar' } })
})

const cityOf = async (id: number) => (await service.ask('GET', `/customer/${id}`)).json().city

const leaving = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })

describe('changes of a record', () => {
  test('are there again after a reload, and are saved or discarded', async () => {
    const { page, reports } = await openPage(browser, service, '/console/customer/1')
    await page.getByLabel('City').fill('Rijeka')
    await isKept(page)
    await page.reload()
    await page.getByText('Restored: what you typed before was not saved.').waitFor()
    assert.equal(await page.getByLabel('City').inputValue(), 'Rijeka')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    assert.equal(await cityOf(1), 'Rijeka')
    await isKept(page, 0)
    await page.getByLabel('City').fill('Split')
    await isKept(page)
    await page.reload()
    await page.getByRole('button', { name: 'Discard' }).click()
    assert.equal(await page.getByLabel('City').inputValue(), 'Rijeka')
    await isKept(page, 0)
    assert.deepEqual(reports, [])
  })

  test('survive a crash, and meet what others saved meanwhile', async () => {
    const { page } = await openPage(browser, service, '/console/customer/2')
    await page.getByLabel('City').fill('Rijeka')
    await isKept(page)
    const context = page.context()
    await page.close()
    await service.ask('PATCH', '/customer/2', { body: { city: 'Pula' } })
    const again = await context.newPage()
    await again.goto(`${service.url}/console/customer/2`)
    await again.getByText('Saved by somebody else: Pula').waitFor()
    await again.getByRole('button', { name: 'Keep mine' }).click()
    await again.getByRole('button', { name: 'Save' }).click()
    await again.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    assert.equal(await cityOf(2), 'Rijeka')
  })

  test('are there after the session ended, and for nobody else', async () => {
    const { page } = await openPage(browser, service, '/console/customer/3')
    await page.getByLabel('City').fill('Rijeka')
    await isKept(page)
    const context = page.context()
    await service.database.pool.query('DELETE FROM docket.session')
    await context.clearCookies()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
    await signIn(context, service)
    await page.reload()
    await page.getByText('Restored:').waitFor()
    await page.getByRole('button', { name: 'Administrator' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
    await isKept(page, 0)
    assert.equal(await cityOf(3), 'Zadar')
  })

  test('that are typed while a save is on its way are kept, and saved by the next one', async () => {
    const { page } = await openPage(browser, service, '/console/customer/5')
    const held = Promise.withResolvers<void>()
    await page.route('**/customer/5', async (route) => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    await page.getByLabel('City').fill('Rijeka')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Name').fill('Etna Novi')
    await page.getByLabel('City').fill('Zadar')
    held.resolve()
    await page.getByText('2 changes are not saved').waitFor()
    assert.equal(await cityOf(5), 'Rijeka')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const { name, city } = (await service.ask('GET', '/customer/5')).json()
    assert.deepEqual([name, city], ['Etna Novi', 'Zadar'])
  })

  test('leaving asks: stay, keep, or discard', async () => {
    const { page, reports } = await openPage(browser, service, '/console/customer/4')
    const leave = () => page.getByRole('link', { name: 'Order', exact: true }).click()
    await page.getByLabel('City').fill('Rijeka')
    await leave()
    await leaving(page).waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.press('Escape')
    await leaving(page).waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('City').inputValue(), 'Rijeka')
    await leave()
    await leaving(page).getByRole('button', { name: 'Keep and leave' }).click()
    await page.getByText('There are no records yet.').waitFor()
    await page.goBack()
    await page.getByText('Restored:').waitFor()
    await leave()
    await leaving(page).getByRole('button', { name: 'Discard' }).click()
    await page.getByText('There are no records yet.').waitFor()
    await isKept(page, 0)
    await page.goBack()
    await page.getByLabel('City').waitFor()
    assert.equal(await page.getByLabel('City').inputValue(), 'Zadar')
    assert.deepEqual(reports, [])
  })
})

describe('a new record', () => {
  const path = '/console/customer/new'

  test('is there again after a reload, and is created once', async () => {
    const { page, reports } = await openPage(browser, service, path)
    await page.getByLabel('Name').fill('Feniks')
    await isKept(page)
    await page.reload()
    await page.getByText('Restored:').waitFor()
    assert.equal(await page.getByLabel('Name').inputValue(), 'Feniks')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Feniks' }).waitFor()
    await isKept(page, 0)
    assert.deepEqual(reports, [])
  })

  test('whose answer was lost with the page is not created twice', async () => {
    const { page } = await openPage(browser, service, path)
    await page.getByLabel('Name').fill('Galeb')
    await isKept(page)
    await page.route('**/customer', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').waitFor()
    await page.unroute('**/customer')
    await page.reload()
    await page.getByText('Restored:').waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Galeb' }).waitFor()
    const body = { $where: { name: 'Galeb' } }
    const { data } = (await service.ask('POST', '/customer/search', { body })).json()
    assert.equal(data.length, 1)
  })

  test('is discarded, and cancelling asks', async () => {
    const { page, reports } = await openPage(browser, service, path)
    await page.getByLabel('Name').fill('Hrast')
    await isKept(page)
    await page.reload()
    await page.getByRole('button', { name: 'Discard' }).click()
    assert.equal(await page.getByLabel('Name').inputValue(), '')
    await page.getByLabel('Name').fill('Igalo')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await leaving(page).getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
    await isKept(page, 0)
    assert.deepEqual(reports, [])
  })
})
