/** The inbox in three tabs over one connection, while the process of the service is killed twenty times. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openPage } from '../../support/browser.ts'
import { orderProject } from '../../support/console/an-order-project.ts'
import { administrator, type DocketProcess, startDocket } from '../../support/docket-process.ts'
import { until } from '../../support/wait.ts'

const kills = 20
/** After so many kills each a notification is read. */
const readsEach = 4

const openInboxes = async ({ url, pool }: DocketProcess): Promise<readonly Page[]> => {
  const service = { url, config: { ADMIN_EMAIL: 'admin@example.com' }, database: { pool } }
  const first = await openPage(service, '/console/-/inbox')
  const context = first.page.context()
  const others = await Promise.all([context.newPage(), context.newPage()])
  for (const tab of others) await tab.goto(`${url}/console/-/inbox`)
  const tabs = [first.page, ...others]
  for (const tab of tabs) await tab.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  return tabs
}

/** Tells the user of a new order; the service is killed while it does so. */
const tell = async ({ ask }: DocketProcess, number: string) => {
  const body = { number, customer_id: 1 }
  const { id } = (await ask(administrator, 'POST', '/order', body)).json(201)
  const path = `/order/${id}/proceedToStep`
  assert.equal((await ask(administrator, 'POST', path, { action: 'submit' })).status, 200)
}

const readOne = async (tab: Page) => {
  const marked = tab.waitForResponse((one) => one.url().endsWith('/mark') && one.ok())
  await tab.getByRole('button', { name: 'Unread:' }).last().click()
  await marked
}

const countOf = async ({ ask }: DocketProcess, status: string): Promise<number> =>
  (await ask(administrator, 'GET', `/api/notifications/count?status=${status}`)).json().count

test('tabs have the numbers of the service, and nothing is missing or doubled', async () => {
  const docket = await startDocket({ files: orderProject, users: {} })
  await docket.ask(administrator, 'POST', '/customer', { name: 'Adria Metal' })
  const tabs = await openInboxes(docket)
  const streaming = new Set<Page>()
  for (const tab of tabs)
    tab.on('request', (one) => {
      if (one.url().includes('/notifications/stream')) streaming.add(tab)
    })
  for (let round = 1; round <= kills; round += 1) {
    await tell(docket, `K-${round}`)
    await docket.kill()
    await docket.startAgain()
    // One that is read in a tab must not come back in another.
    const tab = tabs[round % tabs.length]
    if (tab && round % readsEach === 0) await readOne(tab)
  }
  await until('all were told', async () => (await countOf(docket, 'all')) === kills)
  const unread = await countOf(docket, 'unseen')
  assert.ok(unread < kills)
  for (const tab of tabs) {
    const navigation = tab.getByRole('navigation', { name: 'Main navigation' })
    await navigation.getByRole('link', { name: `Inbox ${unread}` }).waitFor()
    await tab.getByText('All', { exact: true }).click()
    const rows = tab.getByRole('main').getByRole('listitem').filter({ hasText: 'moved on' })
    await until('all are listed', async () => (await rows.count()) === kills)
    const titles = await rows.getByText(/moved on/).allTextContents()
    assert.equal(new Set(titles).size, kills)
    // The rows that a tab has kept are shown until they are read again.
    const unreadRows = rows.getByRole('button', { name: 'Unread:' })
    await until(
      'what is read is read in each tab',
      async () => (await unreadRows.count()) === unread,
    )
  }
  assert.equal(streaming.size, 1, 'One of the tabs has the connection.')
})
