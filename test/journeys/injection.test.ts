/** Texts of records that would be markup, scripts or templates elsewhere: the console shows them as they are. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { opened } from '../support/afterwards.ts'
import { openPage } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { goWithin } from '../support/console/go-within.ts'
import { startTestService } from '../support/service.ts'

const attacks = [
  '<script>window.injected = 1</script>',
  '<img src=x onerror="window.injected = 2">',
  '"><svg onload=window.injected=3>',
  "'-alert(1)-'",
  '{{ constructor.constructor("window.injected=4")() }}',
  '$' + '{window.injected=5}',
  '</style><style>*{display:none}</style>',
  '<iframe srcdoc="<script>parent.injected=6</script>">',
  'javascript:window.injected=7',
  '<a href="javascript:window.injected=8">link</a>',
  '<!--<script>window.injected=9//-->',
  '&lt;b&gt;&#x22;',
  '%00../../../etc/passwd',
  '=HYPERLINK("http://evil.example","x")',
]

/** All of them, as many together as a field holds. */
const joined = [0, 5, 10].map((from) => attacks.slice(from, from + 5).join(' '))

const service = opened(() => startTestService(orderProject))
before(async () => {
  for (const [at, text] of [...attacks, ...joined].entries()) {
    const customer = await service.ask('POST', '/customer', { body: { name: text, city: text } })
    assert.equal(customer.status, 201, customer.text)
    const body = { number: text, customer_id: at + 1, notes: text, terms: { [text]: text } }
    const order = await service.ask('POST', '/order', { body })
    assert.equal(order.status, 201, order.text)
    const { id } = order.json()
    const change = { notes: `${text} again` }
    assert.equal((await service.ask('PATCH', `/order/${id}`, { body: change })).status, 200)
    const comment = { body: { action: 'submit', comment: text } }
    assert.equal((await service.ask('POST', `/order/${id}/proceedToStep`, comment)).status, 200)
    const task = { description: text, due_date: '2027-02-01 09:00:00', assigne_id: 1 }
    assert.equal((await service.ask('POST', `/order/${id}/task`, { body: task })).status, 201)
    // Joined they are too many words for a search.
    if (!attacks.includes(text)) continue
    const view = { name: text, entity_key: 'order', criteria: { $search: text } }
    const saved = await service.ask('POST', '/saved_view', { body: view })
    assert.equal(saved.status, 201, saved.text)
  }
})

/** Links that a browser would run as a script. */
const scriptLinks = (page: Page): Promise<string[]> =>
  page
    .locator('[href^="javascript:" i], [src^="javascript:" i]')
    .evaluateAll((all) => all.map((one) => one.outerHTML))

const search = encodeURIComponent(JSON.stringify(['number', 'customer.name', 'notes', 'terms']))
const list = `/console/order?c=${search}`
const joinedOrder = `/console/order/${attacks.length + 1}`
const pages = [
  list,
  '/console/saved_view',
  // An address, and all of them in every field.
  '/console/order/9',
  ...[1, 2, 3].map((at) => `/console/order/${attacks.length + at}`),
  '/console/-/approvals',
  '/console/-/tasks',
  `/console/order?q=${encodeURIComponent(JSON.stringify(attacks[1]))}`,
]

/** What is seen on some of the pages. */
const shown: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  [list]: async (page) => {
    for (const text of attacks)
      await page.getByRole('gridcell', { name: text, exact: true }).first().waitFor()
  },
  [joinedOrder]: async (page) => {
    await page.getByLabel('Notes').waitFor()
    assert.equal(await page.getByLabel('Notes').inputValue(), `${joined[0]} again`)
  },
}

test('no page runs texts that would be code elsewhere, links to them, or reports an error; they are shown as they are', async () => {
  const { page, reports } = await openPage(service, '/console')
  page.on('dialog', (dialog) => assert.fail(`A dialog was opened: ${dialog.message()}`))
  const goTo = goWithin(page)
  for (const path of ['/console', ...pages]) {
    await goTo(path)
    await shown[path]?.(page)
    assert.equal(await page.evaluate('window.injected'), undefined, path)
    assert.deepEqual(await scriptLinks(page), [], path)
  }
  assert.deepEqual(reports, [])
})
