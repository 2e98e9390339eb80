/** The page with what the search finds in all entities, and the words in lists that it leads to. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(
    await writeProject({
      ...orderProject,
      'roles/reader.json': {
        ...{ key: 'reader', name: 'Reader' },
        permissions: {
          order: { create: true, read: true, hiddenFields: ['total'] },
          customer: { create: true },
        },
      },
    }),
  )
  await createUser(service, 'reader')
  await service.ask('POST', '/customer', { body: { name: 'Löwe & Söhne', city: 'Wien' } })
  for (const at of Array(12).keys())
    await service.ask('POST', '/order', {
      body: { number: `Löwe ${at + 1}`, customer_id: 1, total: '1204.50' },
    })
  browser = await startBrowser()
})

const isFocused = (page: Page, locator: ReturnType<Page['getByRole']>) =>
  locator.and(page.locator(':focus')).waitFor()

const words = (page: Page) => page.getByRole('searchbox', { name: 'Find anything' })

describe('the page of the search', () => {
  test('is opened from the search by keys, leads to records and to their lists', async () => {
    const { page, reports } = await openPage(browser, service, '/console/order')
    await page.getByRole('gridcell').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').and(page.locator(':focus')).fill('lowe')
    await page.getByRole('option', { name: 'Löwe 12' }).waitFor()
    await page.keyboard.press('ArrowUp')
    await page.getByRole('option', { name: 'All results', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await isFocused(page, words(page))
    assert.equal(new URL(page.url()).search, '?q=lowe')
    const orders = page.getByRole('region', { name: 'Order' })
    await orders.getByRole('link', { name: 'Löwe 12' }).waitFor()
    assert.equal(await orders.getByRole('listitem').count(), 10)
    await orders.getByText('1,204.50').first().waitFor()
    assert.equal(await orders.locator('mark').first().textContent(), 'Löwe')
    await page.getByRole('region', { name: 'Customer' }).getByText('Wien').waitFor()
    await page.keyboard.press('ArrowDown')
    await isFocused(page, orders.getByRole('link', { name: 'Löwe 9' }))
    await page.keyboard.press('ArrowUp')
    await isFocused(page, words(page))
    await orders.getByRole('link', { name: 'Show more: Order' }).click()
    await page.getByRole('status').getByText('12 records').waitFor()
    const row = page.getByRole('row').filter({ hasText: 'Löwe 12' })
    await row.locator('mark').nth(1).waitFor()
    assert.deepEqual(await row.locator('mark').allTextContents(), ['Löwe', 'Löwe'])
    // A number is what was looked for, or it is not.
    await page.getByRole('searchbox', { name: 'Find in this list' }).fill('1204.5 söhne')
    await row.locator('mark').getByText('1,204.50').waitFor()
    assert.deepEqual(reports, [])
  })

  test('says what it finds, offers lists where it finds nothing, and reads at any width', async () => {
    for (const [width, colorScheme] of [
      [320, 'dark'],
      [1440, 'light'],
    ] as const) {
      const { page, reports } = await openPage(browser, service, '/console/-/search', {
        ...{ colorScheme, viewport: { width, height: 800 } },
      })
      await page.getByText('Finds records by their names').waitFor()
      assert.deepEqual(await findViolations(page), [])
      await words(page).fill('löwe')
      await page.getByRole('region', { name: 'Order' }).getByText('1,204.50').first().waitFor()
      assert.deepEqual(await findViolations(page), [])
      await words(page).fill('vienna')
      await page.getByRole('heading', { name: 'No name, title or id has “vienna”.' }).waitFor()
      assert.deepEqual(await findViolations(page), [])
      await page.getByRole('link', { name: 'Customer' }).and(page.locator('main *')).click()
      await page.getByRole('searchbox', { name: 'Find in this list' }).waitFor()
      assert.equal(new URL(page.url()).search, '?q=vienna')
      assert.deepEqual(reports, [])
    }
  })

  test('shows a role nothing that it may not read, asks for nothing that is refused, and says what is wrong', async () => {
    const { page, reports } = await openPage(browser, service, '/console/-/search?q=12', {
      as: 'reader@example.com',
    })
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
    })
    await page.getByRole('link', { name: 'Löwe 12' }).waitFor()
    await words(page).fill('löwe')
    await page.getByRole('link', { name: 'Löwe 3' }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(await page.getByText('1,204.50').count(), 0)
    assert.equal(await page.getByText('Söhne').count(), 0)
    assert.equal(await page.getByText('Customer').count(), 0)
    // No record of an entity that it may not read is offered in a link.
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').and(page.locator(':focus')).fill('order')
    await page.getByRole('option', { name: 'Order', exact: true }).click()
    await page.getByRole('link', { name: 'Create' }).click()
    await page.getByRole('textbox', { name: 'Number', exact: true }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(await page.getByRole('combobox', { name: 'Customer' }).count(), 0)
    assert.deepEqual([refused, reports], [[], []])
    await page.goto(`${service.url}/console/-/search`)
    await words(page).fill('a b c d e f g h i j k')
    await page.getByRole('alert').waitFor()
  })
})
