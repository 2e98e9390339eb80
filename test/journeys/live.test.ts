/** What others do, as the console hears of it: over one connection for all tabs, and whole after it was refused or cut. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { opened } from '../support/afterwards.ts'
import { findViolations, openPage } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { changeInTwoBrowsers } from '../support/console/cells-of-two.ts'
import { startRelay } from '../support/relay.ts'
import { startTestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { startTestWorker } from '../support/worker.ts'

const service = opened(() => startTestService(orderProject))
before(async () => {
  await startTestWorker(service)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
})

const createOrder = async (number: string): Promise<number> => {
  const body = { number, customer_id: 1, total: '1.00' }
  return (await service.ask('POST', '/order', { body })).json().id
}

const act = async (id: number, action: string) => {
  const acted = await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action } })
  assert.equal(acted.status, 200, acted.text)
}

const change = (id: number, body: object) => service.ask('PATCH', `/order/${id}`, { body })

const linkOf = (page: Page, name: string, exact = false) =>
  page.getByRole('navigation').getByRole('link', { name, exact })

/** The answer to a question for a stream that watches something, such as `order/1`. */
const streamOf = (page: Page, watched: string) =>
  page.waitForResponse((response) =>
    decodeURIComponent(response.url()).includes(`watch=${watched}`),
  )

const streams = '**/api/notifications/stream?*'

test('the stream of a page', async (context) => {
  // Says when the service has told of something.
  const { page: other } = await openPage(service, '/console/customer')
  const { page } = await openPage(service, '/console/-/inbox')
  const goTo = (path: string) => page.goto(`${service.url}/console/${path}`)
  const isEmpty = () => page.getByText('Nothing is waiting for your decision.').waitFor()
  const isShown = (name: string) => page.getByRole('heading', { name }).waitFor()
  let first = 0

  /** Streams that a test chooses are opened when it says so. */
  const holdStreams = async (isHeld: (url: string) => boolean = () => true) => {
    const held = Promise.withResolvers<void>()
    await page.route(streams, async (route) => {
      if (isHeld(decodeURIComponent(route.request().url()))) await held.promise
      await route.continue().catch(() => undefined)
    })
    return held.resolve
  }

  await context.test('ends all before it, also those that are not there yet', async () => {
    const open = new Set<string>()
    page.on('request', (request) => request.url().includes('/stream?') && open.add(request.url()))
    page.on('requestfailed', (request) => open.delete(request.url()))
    const release = await holdStreams((url) => url.includes('watch=customer'))
    await page.reload()
    await until('a stream is open', () => open.size === 1)
    await linkOf(page, 'Customer', true).click()
    await until('another one is asked for', () => open.size === 2)
    await linkOf(page, 'Order', true).click()
    await until('only the last one is left', () => open.size === 1)
    assert.match([...open].join(), /watch=order/)
    release()
    await page.unroute(streams)
  })

  await context.test('reads a record again only if it was changed before it came', async () => {
    const id = await createOrder('L-2')
    const versions: (string | undefined)[] = []
    page.on('response', (response) => {
      const { pathname } = new URL(response.url())
      if (pathname === `/order/${id}`) versions.push(response.headers().etag)
    })
    const release = await holdStreams((url) => url.includes('watch=order'))
    const asked = page.waitForRequest((request) =>
      decodeURIComponent(request.url()).includes(`watch=order/${id}:1`),
    )
    await goTo(`order/${id}`)
    await isShown('L-2')
    await asked
    await change(id, { number: 'L-3' })
    release()
    await isShown('L-3')
    await page.unroute(streams)
    // What the page before it asked for may be answered late.
    page.on('domcontentloaded', () => {
      versions.length = 0
    })
    const opened = streamOf(page, `order/${id}:2`)
    await page.reload()
    await isShown('L-3')
    await opened
    // Another change comes after all that the opened stream could have made the page read.
    await change(id, { number: 'L-4' })
    await isShown('L-4')
    // How often that change is told, and so read, depends on when it meets the begin of the stream.
    assert.equal(versions.filter((tag) => tag === '"2"').length, 1, versions.join(' '))
  })

  await context.test('makes the page read again what is on its way by then', async () => {
    const id = await createOrder('L-9')
    await act(id, 'submit')
    await linkOf(page, 'Approvals 1').waitFor()
    const answerLate = async (route: Route) => {
      const response = await route.fetch()
      const told = page.waitForResponse((answer) => answer.url().endsWith('/api/approvals/count'))
      await act(id, 'approve')
      await told
      await route.fulfill({ response })
    }
    await page.route('**/api/approvals?*', answerLate, { times: 1 })
    await linkOf(page, 'Approvals 1').click()
    await isEmpty()
  })

  await context.test('that was refused is followed by everything that was missed', async () => {
    await page.clock.install()
    let refused = 0
    await page.route(streams, (route) => {
      refused += 1
      return route.fulfill({ status: 503, body: '{}' })
    })
    await page.reload()
    await until('the stream was refused', () => refused > 0)
    await isEmpty()
    first = await createOrder('L-1')
    await act(first, 'submit')
    await linkOf(other, 'Approvals 1').waitFor()
    await page.unroute(streams)
    await page.clock.fastForward(10_000)
    await isShown('L-1')
  })

  await context.test('is followed by what a user decided before it was there', async () => {
    const release = await holdStreams()
    await page.reload()
    await isShown('L-1')
    await act(first, 'approve')
    await linkOf(other, 'Approvals', true).waitFor()
    release()
    await isEmpty()
  })
})

test('all tabs of a browser', async (context) => {
  const relay = await startRelay(service.url)
  const path = '/console/-/inbox'
  const { page, reports } = await openPage({ ...service, url: relay.url }, path)
  // It has the stream before there is another tab; a lock may still be that of a page before.
  const begun = page.waitForResponse((response) => response.url().includes('/stream'))
  await page.reload()
  await begun
  const tab = await page.context().newPage()
  const unread = async (): Promise<number> =>
    (await service.ask('GET', '/api/notifications/count?status=unseen')).json().count

  await context.test('share one connection, whichever of them shows a list', async () => {
    const id = await createOrder('C-1')
    const opened: string[] = []
    tab.on('request', (request) => {
      if (request.url().includes('/stream')) opened.push(request.url())
    })
    const watched = streamOf(page, 'order')
    await tab.goto(`${relay.url}/console/order`)
    await tab.getByRole('gridcell', { name: 'C-1', exact: true }).waitFor()
    await watched
    await change(id, { total: '55.00' })
    await tab.getByText('55.00').waitFor()
    assert.deepEqual(opened, [])
  })

  await context.test('show a notification by itself, and its number', async () => {
    const before = await unread()
    await act(await createOrder('I-1'), 'submit')
    await linkOf(tab, `Inbox ${before + 1}`).waitFor()
    await linkOf(page, `Inbox ${before + 1}`).waitFor()
    assert.equal(await tab.title(), `(${before + 1}) Order · Shop`)
    await page.getByRole('button', { name: 'Unread: I-1 moved on' }).click()
    // It stays where it was, as read, next to what it says and what it is about.
    await page.getByRole('button', { name: /^I-1 moved on/ }).waitFor()
    const opened = page.getByRole('region', { name: 'Notification' })
    await opened.getByRole('link', { name: 'Adria Metal' }).waitFor()
    assert.deepEqual(await findViolations(page), [])
    await linkOf(tab, before === 0 ? 'Inbox' : `Inbox ${before}`).waitFor()
    await page.getByRole('link', { name: 'Open the record' }).click()
    await page.getByRole('heading', { name: 'I-1' }).waitFor()
  })
  assert.deepEqual(reports, [])

  // When the service is killed, many times: `long/kills/inboxes`.
  await context.test('have once what they were told of while the service was away', async () => {
    await linkOf(page, 'Inbox').click()
    const before = await unread()
    const id = await createOrder('I-4')
    await relay.cut()
    await act(id, 'submit')
    await until('the user is told', async () => (await unread()) === before + 1)
    await relay.resume(service.url)
    for (const one of [page, tab]) await linkOf(one, `Inbox ${before + 1}`).waitFor()
    const told = page.getByRole('button', { name: 'Unread: I-4 moved on' })
    await told.first().waitFor()
    assert.equal(await told.count(), 1)
  })
})

// Many changes: `long/crawl/cells-of-two`.
test('of some changes in two browsers none overwrites another one unseen, and none is lost', () =>
  changeInTwoBrowsers(service, 4))
