/** What the search of the console shows of records: their main facts, and where the words are. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { createUser } from '../support/console/create-user.ts'
import { holdFiles } from '../support/page-files.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(
    await writeProject({
      ...orderProject,
      'roles/reader.json': {
        ...{ key: 'reader', name: 'Reader' },
        permissions: { order: { read: true, hiddenFields: ['total'] } },
      },
    }),
  )
  await createUser(service, 'reader')
  for (const [name, city] of [
    ['Löwe & Söhne', 'Wien'],
    ['<b>Müller</b>', 'מולר'],
  ])
    await service.ask('POST', '/customer', { body: { name, city } })
  for (const number of ['Löwe 1', 'Löwe 2'])
    await service.ask('POST', '/order', { body: { number, customer_id: 1, total: '1204.50' } })
  browser = await startBrowser()
})

const open = async (options = {}) => {
  const opened = await openPage(browser, service, '/console/order', options)
  const refused: string[] = []
  opened.page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
  })
  await opened.page.getByRole('gridcell').first().waitFor()
  return { ...opened, refused }
}

const search = async (page: Page, words: string) => {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').and(page.locator(':focus')).fill(words)
}

describe('records that the search finds', () => {
  test('show their main facts, and the words in them, by keys alone', async () => {
    const { page, reports } = await open()
    await search(page, 'lowe')
    const order = page.getByRole('option', { name: 'Löwe 2' })
    await order.getByText('Löwe & Söhne').waitFor()
    await order.getByText('1,204.50').waitFor()
    assert.deepEqual(await order.locator('mark').allTextContents(), ['Löwe'])
    const customer = page.getByRole('option', { name: 'Löwe & Söhne Customer' })
    await customer.getByText('Wien').waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Löwe', level: 1 }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('a text of people is no markup, and two letters may be one', async () => {
    const { page, reports } = await open({
      colorScheme: 'dark',
      viewport: { width: 320, height: 640 },
    })
    await search(page, 'mueller')
    const customer = page.getByRole('option', { name: '<b>Müller</b>' })
    await customer.getByText('מולר').waitFor()
    assert.deepEqual(await customer.locator('mark').allTextContents(), ['Müller'])
    assert.deepEqual(await findViolations(page), [])
    assert.deepEqual(reports, [])
  })

  test('say by which field they were found, if it is not their name', async () => {
    const { page } = await open()
    await search(page, 'reader@example.com')
    const user = page.getByRole('option', { name: /^reader User/ })
    await user.locator('mark').getByText('reader@example.com').waitFor()
    await page.keyboard.press('Escape')
    await search(page, 'wien')
    const viennese = page.getByRole('option', { name: 'Löwe & Söhne Customer City: Wien' })
    await viennese.locator('mark').getByText('Wien').waitFor()
    await page.keyboard.press('Escape')
    await search(page, '2')
    const customer = page.getByRole('option', { name: '<b>Müller</b> Customer' })
    await customer.locator('mark').getByText('2', { exact: true }).waitFor()
    assert.match((await page.getByRole('option').first().textContent()) ?? '', /^Löwe 2 /)
  })

  test('the orders of a customer are found by its name, behind it and with that name', async () => {
    const { page } = await open()
    await search(page, 'sohne')
    const order = page.getByRole('option', { name: 'Löwe 2 Order Customer: Löwe & Söhne' })
    await order.locator('mark').getByText('Söhne').waitFor()
    assert.match((await page.getByRole('option').first().textContent()) ?? '', /^Löwe & Söhne /)
    assert.deepEqual(await findViolations(page), [])
  })

  test('a role sees no fact that it may not read, and nothing is refused', async () => {
    const { page, refused, reports } = await open({ as: 'reader@example.com' })
    await search(page, 'löwe')
    await page.getByRole('option', { name: 'Löwe 2' }).waitFor()
    await page.waitForLoadState('networkidle')
    assert.equal(await page.getByText('1,204.50').count(), 0)
    assert.equal(await page.getByRole('option').getByText('Söhne').count(), 0)
    assert.deepEqual([refused, reports], [[], []])
  })

  test('a view says of which entity it is, by its name, as the list of views does, and leads to its list', async () => {
    const body = { entity_key: 'order', name: 'Vienna alone', criteria: {} }
    const { id } = (await service.ask('POST', '/saved_view', { body })).json()
    const { page } = await open()
    await search(page, 'vienna alone')
    const view = page.getByRole('option', { name: 'Vienna alone Saved view Order' })
    await view.getByText('Order', { exact: true }).waitFor()
    await view.click()
    await page.getByRole('button', { name: 'Vienna alone' }).waitFor()
    assert.match(page.url(), new RegExp(`/console/order\\?view=${id}`))
    await page.goto(`${service.url}/console/saved_view`)
    await page.getByRole('gridcell', { name: 'Order', exact: true }).waitFor()
    await service.ask('DELETE', `/saved_view/${id}`)
  })

  test('are all offered only if there are any; keys lead nowhere where nothing is', async () => {
    const { page, reports } = await open()
    await search(page, 'lowe')
    const all = page.getByRole('option', { name: 'All results' })
    await all.waitFor()
    await page.getByRole('dialog').getByRole('combobox').fill('zzzz')
    await page.getByRole('status').getByText('Nothing found.').waitFor()
    assert.equal(await all.count(), 0)
    for (const key of ['ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
    assert.deepEqual(await findViolations(page), [])
    await page.getByRole('dialog').getByRole('combobox').fill('lowe')
    await all.waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/search\?q=lowe/)
    assert.deepEqual(reports, [])
  })

  test('Enter means the words that were typed, not those that were searched for before', async () => {
    const { page, reports } = await open()
    await search(page, 'lowe')
    await page.getByRole('option', { name: 'Löwe 2 Order', selected: true }).waitFor()
    const held = Promise.withResolvers<void>()
    const lastSearch = /search\?q=l%C3%B6we(\+|%20)1&/
    await page.route(lastSearch, async (route) => {
      await held.promise
      await route.continue()
    })
    const input = page.getByRole('dialog').getByRole('combobox')
    const asked = page.waitForRequest(lastSearch)
    await input.fill('löwe 1')
    await input.press('Enter')
    await asked
    assert.equal(await page.getByRole('listbox').getAttribute('aria-busy'), 'true')
    held.resolve()
    await page.getByRole('heading', { name: 'Löwe 1', level: 1 }).waitFor()
    await search(page, 'inbox')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('the input stays where it is, however much is found, and from before it is loaded', async () => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 320, height: 640 },
    ]) {
      const { page } = await open({ viewport })
      const files = await holdFiles(page, 'palette')
      await page.getByRole('gridcell').first().waitFor()
      await page.keyboard.press('Control+k')
      await files.askedFor()
      const input = page.getByLabel('Find anything').and(page.locator('input'))
      const top = async () => Math.round((await input.boundingBox())?.y ?? -1)
      const early = await top()
      files.release()
      await page.getByRole('option', { name: 'Inbox' }).waitFor()
      const first = await top()
      assert.ok(Math.abs(early - first) <= 4, `${early} and ${first}`)
      await input.fill('zzzz')
      await page.getByRole('status').getByText('Nothing found.').waitFor()
      assert.equal(await top(), first)
      await input.fill('o')
      await page.getByRole('option', { name: 'All results' }).waitFor()
      assert.equal(await top(), first)
    }
  })

  test('is opened by its keys as soon as it was closed, and takes what is typed', async () => {
    const { page, reports } = await open()
    await search(page, 'lowe')
    await page.keyboard.press('Escape')
    for (const at of Array(30).keys()) {
      // Nothing waits in between, as for a hand that is quick.
      await page.keyboard.press('Control+k')
      await page.keyboard.type(at % 2 === 0 ? 'lo' : '')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      await page.keyboard.type(`x${at}`)
      assert.equal(await page.getByRole('combobox').inputValue(), `x${at}`)
      await page.keyboard.press('Escape')
    }
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.deepEqual(reports, [])
  })
})

test('what is typed before the search has been loaded is searched for, and the focus goes back', async () => {
  const { page, reports } = await openPage(browser, service, '/console/order/1')
  const files = await holdFiles(page, 'palette')
  const total = page.getByLabel('Total', { exact: true })
  await total.focus()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('low')
  await files.askedFor()
  files.release()
  const input = page.getByRole('dialog').getByRole('combobox')
  await input.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('e 2')
  assert.equal(await input.inputValue(), 'lowe 2')
  await page.getByRole('option', { name: 'Löwe 2' }).waitFor()
  await page.keyboard.press('Escape')
  await total.and(page.locator(':focus')).waitFor()
  assert.deepEqual(reports, [])
})
