/** Rows of a list that take a moment, and a search that takes too long. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage } from '../../support/browser.ts'
import { startOrderList } from './an-order-list.ts'

let list: Awaited<ReturnType<typeof startOrderList>>
before(async () => {
  list = await startOrderList()
})
const openList = (search?: string) => list.openList(search)

/** Whether places of rows were empty at any time from now on. */
const watchEmptyPlaces = async (page: Page) => {
  await page.evaluate(`globalThis.emptyPlaces = 0
    new MutationObserver(() => {
      emptyPlaces += document.querySelectorAll('[role=row][aria-busy]').length
    }).observe(document.querySelector('[role=grid]').parentElement, {
      subtree: true, childList: true, attributes: true,
    })`)
  return async () => (await page.evaluate<number>('emptyPlaces')) > 0
}

/** Rows are late after 300 ms, which a busy machine needs for any: from now on after as many seconds. */
const waitLongForRows = (page: Page) =>
  page.evaluate(`{
    const plain = setTimeout
    globalThis.setTimeout = (act, ms, ...rest) => plain(act, ms === 300 ? 300_000 : ms, ...rest)
  }`)

/** Rows are not counted from now on until the result is called. */
const holdCount = async (page: Page) => {
  const counted = Promise.withResolvers<void>()
  await page.route(
    ({ search }) => search === '?limit=1',
    async (route) => {
      await counted.promise
      await route.continue()
    },
  )
  return counted.resolve
}

describe('what takes a moment', () => {
  test('the rows stay until those of a new filter are there, also while they are counted', async () => {
    const { page } = await openList('?s=["id"]')
    await page.getByText('30,000 records').waitFor()
    await waitLongForRows(page)
    const wereEmpty = await watchEmptyPlaces(page)
    const count = await holdCount(page)
    await page.getByRole('searchbox', { name: 'Find in this list' }).fill('O-02999 paid')
    await page.getByRole('gridcell', { name: 'O-029991', exact: true }).waitFor()
    assert.equal(await page.getByText('5 records').count(), 0)
    assert.equal(await page.getByRole('gridcell', { name: 'O-000001', exact: true }).count(), 0)
    assert.equal(await wereEmpty(), false)
    count()
    await page.getByText('5 records').waitFor()
    assert.equal(await wereEmpty(), false)
  })

  test('the end of the list is reached though it is asked for before the rows are counted', async () => {
    const { page } = await openPage(list.browser, list.service, '/console')
    const count = await holdCount(page)
    await page.goto(`${list.service.url}/console/order?s=["id"]`)
    await page.getByRole('gridcell', { name: 'O-000001', exact: true }).waitFor()
    await page.getByRole('grid').focus()
    await page.keyboard.press('Control+End')
    await page.getByRole('gridcell', { name: 'O-000100', exact: true }).waitFor()
    count()
    await page.getByRole('gridcell', { name: 'O-030000', exact: true }).waitFor()
  })

  test('rows that are late leave their places empty', async () => {
    const { page } = await openList('?s=["id"]')
    await page.getByText('30,000 records').waitFor()
    const arrive = Promise.withResolvers<void>()
    await page.route(
      ({ search }) => search.startsWith('?limit=100'),
      async (route) => {
        await arrive.promise
        await route.continue()
      },
    )
    await page.getByRole('searchbox', { name: 'Find in this list' }).fill('O-0299')
    await page.locator('[role=row][aria-busy]').first().waitFor()
    arrive.resolve()
    await page.getByRole('gridcell', { name: 'O-029900', exact: true }).waitFor()
    assert.equal(await page.locator('[role=row][aria-busy]').count(), 0)
  })
})

test('a search that takes too long offers the newest records, as a filter', async () => {
  const { page } = await openPage(list.browser, list.service, '/console/order')
  const slow = { status: 503, json: { status: 503, code: 'request.too-slow', title: 'Too slow.' } }
  await page.route('**/order/search*', (route) => {
    const body = route.request().postDataJSON()
    // There are not so many records here.
    if (route.request().url().includes('page=100000'))
      return route.fulfill({ json: { data: [{ id: 29_995 }] } })
    return body.$search && !body.$where ? route.fulfill(slow) : route.continue()
  })
  await page.getByRole('searchbox', { name: 'Find in this list' }).fill('O-02999')
  await page.getByText('Searching all records takes too long.').waitFor()
  assert.deepEqual(await findViolations(page), [])
  assert.equal(await page.getByRole('alert').count(), 1)
  await page.getByRole('button', { name: 'Search the newest 100,000 records' }).press('Enter')
  await page.getByText('5 records').waitFor()
  await page
    .getByRole('button', { name: /is at least 29,?995/ })
    .first()
    .waitFor()
})
