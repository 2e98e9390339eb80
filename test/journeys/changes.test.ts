/** What others change while a list or a record is open, in a real browser: it is shown without being asked for. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { within } from '../support/wait.ts'
import { addPeople, approverEmail, sellerEmail, shopProject } from './a-shop-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(shopProject))
  browser = await startBrowser()
  await addPeople(service)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
})

// Of each test, so that none sees what another one changed.
let batch = 0
let ids: readonly number[] = []

const create = async (name: string): Promise<number> => {
  const body = { number: `C${batch}-${name}`, customer_id: 1, total: '1.00', status: 'open' }
  const created = await service.ask('POST', '/order', { body, as: sellerEmail })
  assert.equal(created.status, 201, created.text)
  return created.json().id
}

/** Somebody else changes the record of a place in the list. */
const change = async (n: number, body: object) => {
  const changed = await service.ask('PATCH', `/order/${ids[n - 1]}`, { body, as: sellerEmail })
  assert.equal(changed.status, 200, changed.text)
}

beforeEach(async () => {
  batch += 1
  ids = [await create('1'), await create('2'), await create('3')]
})

const watches = (page: Page, name: string) =>
  page.waitForResponse((response) => decodeURIComponent(response.url()).includes(`watch=${name}`))

const openList = async (as?: string) => {
  const where = { number: { $startsWith: `C${batch}-` }, status: 'open' }
  const search = new URLSearchParams({
    ...{ w: JSON.stringify(where), s: '["number"]', c: '["number","total","status"]' },
  })
  const { page, reports } = await openPage(browser, service, '/console/-/inbox', {
    ...(as !== undefined && { as }),
  })
  const watched = watches(page, 'order')
  await page.goto(`${service.url}/console/order?${search}`)
  await page.getByRole('gridcell', { name: `C${batch}-1`, exact: true }).waitFor()
  await watched
  return { page, reports }
}

const rowAt = (page: Page, row: number) => page.getByRole('row').nth(row)

describe('a list that others change', () => {
  test('a changed row is shown in its place, for roles that only read too', async () => {
    for (const as of [undefined, approverEmail]) {
      const { page, reports } = await openList(as)
      const total = as === undefined ? '77.00' : '78.00'
      await change(2, { total })
      await rowAt(page, 2).getByText(total).waitFor()
      assert.deepEqual(reports, [])
    }
  })

  test('a row that does not match any more, and one that was removed, stay and say so', async () => {
    const { page } = await openList()
    await change(1, { status: 'paid' })
    await rowAt(page, 1).getByText('no longer matches').waitFor()
    await service.ask('DELETE', `/order/${ids[1]}`)
    await rowAt(page, 2).getByText('removed').waitFor()
    await page.getByText('1 record', { exact: true }).waitFor()
    await rowAt(page, 3).getByText(`C${batch}-3`).waitFor()
    assert.deepEqual(await findViolations(page), [])
    await change(1, { status: 'open' })
    await rowAt(page, 1).getByText('no longer matches').waitFor({ state: 'detached' })
  })

  test('new records are announced, and come when the user wants them', async () => {
    const { page } = await openList()
    await create('0')
    await create('4')
    await page.getByRole('status').getByText('2 new records').waitFor()
    await rowAt(page, 1).getByText(`C${batch}-1`).waitFor()
    assert.deepEqual(await findViolations(page), [])
    // By keys, from the head of the list.
    await page.getByRole('button', { name: 'Show them' }).press('Enter')
    await rowAt(page, 1).getByText(`C${batch}-0`).waitFor()
    await rowAt(page, 5).getByText(`C${batch}-4`).waitFor()
    await page.getByRole('grid').and(page.locator(':focus')).waitFor()
    await page.getByText('2 new records').waitFor({ state: 'detached' })
  })

  test('new records are all counted, also those that come while others are counted', async () => {
    const { page } = await openList()
    const asked = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    let counted = 0
    await page.route('**/order/search?*', async (route) => {
      const isOfNew = route.request().postData()?.includes('"$in"') && ++counted === 1
      if (!isOfNew) return route.continue()
      const response = await route.fetch()
      asked.resolve()
      await held.promise
      await route.fulfill({ response })
    })
    await create('6')
    await within('the first one is counted', asked.promise)
    await create('7')
    // Time for another answer to come first.
    await delay(500)
    held.resolve()
    await page.getByRole('status').getByText('2 new records').waitFor()
  })

  test('a new record that the filter does not match is not announced', async () => {
    const { page } = await openList()
    const other = { number: `C${batch}-paid`, customer_id: 1, status: 'paid' }
    await service.ask('POST', '/order', { body: other, as: sellerEmail })
    await create('5')
    await page.getByRole('status').getByText('1 new record', { exact: true }).waitFor()
  })

  test('the first record comes into an empty list by itself', async () => {
    const where = encodeURIComponent(JSON.stringify({ number: `C${batch}-first` }))
    const { page } = await openPage(browser, service, '/console/-/inbox')
    const watched = watches(page, 'order')
    await page.goto(`${service.url}/console/order?w=${where}`)
    await page.getByText('No record matches the filter.').waitFor()
    await watched
    await create('first')
    await page.getByRole('gridcell', { name: `C${batch}-first`, exact: true }).waitFor()
  })

  test('an open cell keeps what is typed while its row changes', async () => {
    const { page } = await openList()
    await rowAt(page, 1).getByRole('gridcell').nth(2).dblclick()
    const input = page.getByLabel(`Total of C${batch}-1`)
    await input.fill('5.00')
    await change(1, { status: 'paid', total: '9.00' })
    await rowAt(page, 1).getByText('no longer matches').waitFor()
    assert.equal(await input.inputValue(), '5.00')
    await input.press('Enter')
    await page.getByRole('button', { name: 'Save mine' }).waitFor()
  })

  test('several tabs share one connection, whichever of them shows the list', async () => {
    const { page } = await openPage(browser, service, '/console/-/inbox')
    await page.waitForFunction(async () => (await navigator.locks.query()).held?.length === 1)
    const other = await page.context().newPage()
    const streams: string[] = []
    other.on('request', (request) => {
      if (request.url().includes('/stream')) streams.push(request.url())
    })
    const watched = watches(page, 'order')
    const where = encodeURIComponent(JSON.stringify({ number: `C${batch}-1` }))
    await other.goto(`${service.url}/console/order?w=${where}`)
    await other.getByRole('gridcell', { name: `C${batch}-1`, exact: true }).waitFor()
    await watched
    await change(1, { total: '55.00' })
    await other.getByText('55.00').waitFor()
    assert.deepEqual(streams, [])
  })
})

describe('a record that others change', () => {
  const openRecord = async () => {
    const { page, reports } = await openPage(browser, service, '/console/-/inbox')
    const watched = watches(page, `order/${ids[0]}`)
    await page.goto(`${service.url}/console/order/${ids[0]}`)
    await page.getByRole('heading', { name: `C${batch}-1` }).waitFor()
    await watched
    return { page, reports }
  }

  test('the change is shown, with who made it', async () => {
    const { page, reports } = await openRecord()
    await change(1, { total: '66.00' })
    await page.getByText('Sale Horvat has just changed this record.').waitFor()
    await page.getByLabel('Total').and(page.locator('[value="66.00"]')).waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.getByRole('button', { name: 'Close' }).press('Enter')
    await page.getByText('Sale Horvat has just changed').waitFor({ state: 'detached' })
    assert.deepEqual(reports, [])
  })

  test('what is being typed is kept', async () => {
    const { page } = await openRecord()
    await page.getByLabel('Notes').fill('Mine')
    await change(1, { total: '67.00' })
    await page.getByText('Your changes are kept').waitFor()
    assert.equal(await page.getByLabel('Notes').inputValue(), 'Mine')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Total').and(page.locator('[value="67.00"]')).waitFor()
    assert.equal(await page.getByLabel('Notes').inputValue(), 'Mine')
  })

  test('what the user saves alone is not announced', async () => {
    const { page } = await openRecord()
    await page.getByLabel('Notes').fill('Mine')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    await change(1, { total: '68.00' })
    await page.getByText('Sale Horvat has just changed this record.').waitFor()
    assert.equal(await page.getByText('has just changed this record').count(), 1)
  })
})
