/** The connection of the console for what others do: one at a time, and whole after it was refused. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Route } from 'playwright-core'
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
})

const streams = '**/api/notifications/stream?*'

describe('the stream of a page', () => {
  test('ends all that were opened before it, also those that are not there yet', async () => {
    const { page } = await openPage(browser, service, '/console/-/inbox')
    const held = Promise.withResolvers<void>()
    const open = new Set<string>()
    page.on('request', (request) => request.url().includes('/stream?') && open.add(request.url()))
    page.on('requestfailed', (request) => open.delete(request.url()))
    await page.route(streams, async (route) => {
      if (route.request().url().includes('watch=customer')) await held.promise
      await route.continue().catch(() => undefined)
    })
    await page.reload()
    await until('a stream is open', () => open.size === 1)
    await page.getByRole('link', { name: 'Customer', exact: true }).click()
    await until('another one is asked for', () => open.size === 2)
    await page.getByRole('link', { name: 'Order', exact: true }).click()
    await until('only the last one is left', () => open.size === 1)
    assert.match([...open].join(), /watch=order/)
    held.resolve()
  })

  test('that was refused for a while is followed by everything that was missed', async () => {
    const other = await openPage(browser, service, '/console/customer')
    const { page } = await openPage(browser, service, '/console/-/approvals')
    await page.getByText('Nothing is waiting for your decision.').waitFor()
    await page.clock.install()
    let refused = 0
    await page.route(streams, (route) => {
      refused += 1
      return route.fulfill({ status: 503, body: '{}' })
    })
    await page.reload()
    await until('the stream was refused', () => refused > 0)
    await page.getByText('Nothing is waiting for your decision.').waitFor()
    const body = { number: 'L-1', customer_id: 1 }
    const { id } = (await service.ask('POST', '/order', { body })).json()
    await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
    // The service has told of it by now.
    await other.page.getByRole('link', { name: 'Approvals 1' }).waitFor()
    await page.unroute(streams)
    await page.clock.fastForward(10_000)
    await page.getByRole('heading', { name: 'L-1' }).waitFor()
  })

  test('is followed by what somebody decided before it was there', async () => {
    const other = await openPage(browser, service, '/console/customer')
    await other.page.getByRole('link', { name: 'Approvals 1' }).waitFor()
    const { page } = await openPage(browser, service, '/console/-/settings')
    const held = Promise.withResolvers<void>()
    await page.route(streams, async (route) => {
      await held.promise
      await route.continue().catch(() => undefined)
    })
    await page.goto(`${service.url}/console/-/approvals`)
    await page.getByRole('heading', { name: 'L-1' }).waitFor()
    const body = { action: 'approve' }
    assert.equal((await service.ask('POST', '/order/1/proceedToStep', { body })).status, 200)
    // The service has told of it by now.
    await other.page.getByRole('link', { name: 'Approvals', exact: true }).waitFor()
    held.resolve()
    await page.getByText('Nothing is waiting for your decision.').waitFor()
  })

  test('makes the page read again what is on its way when something is decided', async () => {
    const { page } = await openPage(browser, service, '/console/-/settings')
    const body = { number: 'L-9', customer_id: 1 }
    const { id } = (await service.ask('POST', '/order', { body })).json()
    await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
    await page.getByRole('link', { name: 'Approvals 1' }).waitFor()
    const answerLate = async (route: Route) => {
      const response = await route.fetch()
      const told = page.waitForResponse((answer) => answer.url().endsWith('/api/approvals/count'))
      await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'approve' } })
      await told
      await route.fulfill({ response })
    }
    await page.route('**/api/approvals?*', answerLate, { times: 1 })
    await page.getByRole('link', { name: 'Approvals 1' }).click()
    await page.getByText('Nothing is waiting for your decision.').waitFor()
  })

  test('reads a record once, and anew only if it was changed before the stream was there', async () => {
    const { id } = (
      await service.ask('POST', '/order', { body: { number: 'L-2', customer_id: 1 } })
    ).json()
    const { page } = await openPage(browser, service, '/console/-/inbox')
    const versions: (string | undefined)[] = []
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (pathname === `/order/${id}`) versions.push(response.headers().etag)
    })
    const held = Promise.withResolvers<void>()
    await page.route(streams, async (route) => {
      if (decodeURIComponent(route.request().url()).includes('watch=order')) await held.promise
      await route.continue().catch(() => undefined)
    })
    const asked = page.waitForRequest((request) =>
      decodeURIComponent(request.url()).includes(`watch=order/${id}:1`),
    )
    await page.goto(`${service.url}/console/order/${id}`)
    await page.getByRole('heading', { name: 'L-2' }).waitFor()
    await asked
    await service.ask('PATCH', `/order/${id}`, { body: { number: 'L-3' } })
    held.resolve()
    await page.getByRole('heading', { name: 'L-3' }).waitFor()
    await page.unroute(streams)
    // What the page before it asked for may be answered late.
    page.on('domcontentloaded', () => {
      versions.length = 0
    })
    const opened = page.waitForResponse((response) =>
      decodeURIComponent(response.url()).includes(`watch=order/${id}:2`),
    )
    await page.reload()
    await page.getByRole('heading', { name: 'L-3' }).waitFor()
    await opened
    // Another change comes after all that the opened stream could have made the page read.
    await service.ask('PATCH', `/order/${id}`, { body: { number: 'L-4' } })
    await page.getByRole('heading', { name: 'L-4' }).waitFor()
    // How often that change is told, and so read, depends on when it meets the begin of the stream.
    assert.equal(versions.filter((tag) => tag === '"2"').length, 1, versions.join(' '))
  })
})
