/**
 * A day of work with the example: a reminder in the morning, an offer that is dropped on an order, a question before it is approved, a
 * delivery with a photo from a phone, and what the history says in the evening.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sweepDates } from '../../src/notify/due-dates.ts'
import { openSeededExample } from '../support/a-seeded-example.ts'
import { opened } from '../support/afterwards.ts'
import { findViolations, openPage } from '../support/browser.ts'
import { startTestService } from '../support/service.ts'
import { startTestWorker } from '../support/worker.ts'

const service = opened(async () => {
  const { directory, database } = await openSeededExample()
  return startTestService(directory, {}, database)
})
before(() => startTestWorker(service))

const [anna, boris, edo] = ['anna@example.com', 'boris@example.com', 'edo@example.com']
/** A draft for the site of Edo. */
const order = { path: '/purchase_order/2993', number: 'PO-2026-01218' }
const seedFile = (name: string) =>
  readFileSync(new URL(`../../example/seed/files/${name}`, import.meta.url))

const isAccessible = async (page: Page) => assert.deepEqual(await findViolations(page), [])
const go = (page: Page, path: string) => page.goto(`${service.url}/console${path}`)
const inboxOf = (page: Page) =>
  page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: /^Inbox/ })
const isSaved = (page: Page) =>
  page.getByText('not saved yet').first().waitFor({ state: 'detached' })
const phone = { viewport: { width: 390, height: 760 }, hasTouch: true, isMobile: true }

/** Days from today. */
const dayIn = (days: number) => Temporal.Now.plainDateISO('Europe/Zagreb').add({ days })

test('a day of work', async (context) => {
  const { page: buyer, reports } = await openPage(service, '/console', { as: anna })
  const approver = await openPage(service, '/console', { as: boris })

  await context.test('begins with what is due soon, and leads to it', async () => {
    const body = { needed_by: `${dayIn(5)}` }
    assert.equal((await service.ask('PATCH', '/purchase_order/2947', { body })).status, 200)
    const { pool } = service.database
    const { catalog } = service.project
    const due = dayIn(2).toZonedDateTime({ timeZone: 'Europe/Zagreb', plainTime: '08:00' })
    const deps = { pool, catalog, timeZone: 'Europe/Zagreb', observe: () => undefined }
    await sweepDates(deps, new Date(due.epochMilliseconds))
    const reminder = buyer.getByRole('link', { name: /^PO-2026-01172 is needed in three days/ })
    await reminder.waitFor()
    await isAccessible(buyer)
    await reminder.click()
    await buyer.getByRole('heading', { name: 'PO-2026-01172' }).waitFor()
  })

  await context.test('an offer is dropped on an order, and saved with it', async () => {
    await go(buyer, order.path)
    await buyer.getByLabel('Offer').waitFor({ state: 'attached' })
    await buyer.evaluate(
      `const data = new DataTransfer();
       data.items.add(new File([new Uint8Array(${JSON.stringify([...seedFile('offer-cinar.pdf')])})], 'Ponuda.pdf'));
       const drop = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
       document.querySelector('.files-input').dispatchEvent(drop);`,
    )
    await buyer.getByText('not saved yet').waitFor()
    await isAccessible(buyer)
    await buyer.keyboard.press('Control+s')
    await isSaved(buyer)
    const { offer } = (await service.ask('GET', order.path)).json()
    assert.deepEqual([offer.filename, offer.mimetype], ['Ponuda.pdf', 'application/pdf'])
    await buyer.getByRole('button', { name: 'Submit' }).click()
    await buyer.getByRole('dialog').getByRole('button', { name: 'Submit' }).click()
    await buyer.getByRole('dialog').waitFor({ state: 'detached' })
  })

  await context.test('a question is asked, answered, and the order approved by keys', async () => {
    await buyer.getByRole('textbox', { name: 'Write a comment' }).fill('Is this in the budget, ')
    await buyer.keyboard.press('End')
    await buyer.keyboard.type('@bor')
    await buyer.getByRole('option', { name: 'Boris Šimić' }).waitFor()
    await buyer.keyboard.press('Enter')
    await buyer.keyboard.press('Control+Enter')
    const { page } = approver
    await inboxOf(page).click()
    await page.getByRole('button', { name: /mentioned you/ }).click()
    await page.getByRole('link', { name: 'Open the comment' }).click()
    const question = page.getByRole('article').filter({ hasText: 'Is this in the budget, @Boris' })
    await question.and(page.locator(':focus')).waitFor()
    await page.getByRole('link', { name: /^Ponuda\.pdf 21/ }).waitFor()
    await isAccessible(page)
    await page.getByRole('button', { name: 'Reply' }).press('Enter')
    await page.keyboard.type('Yes, until the end of the year.')
    await page.keyboard.press('Control+Enter')
    await buyer.getByRole('list', { name: 'Replies' }).getByText('Yes, until').waitFor()
    await isAccessible(buyer)
    await page.getByRole('button', { name: 'Approve', exact: true }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Approve' })
    await dialog.locator('[type=submit]:focus').waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await buyer.getByRole('button', { name: 'Place order' }).waitFor()
  })

  await context.test('the delivery is received with a photo, on a phone', async () => {
    const values = { ordered_at: '2026-11-02 09:00:00' }
    const placed = { body: { action: 'place_order', values }, as: anna }
    assert.equal((await service.ask('POST', `${order.path}/proceedToStep`, placed)).status, 200)
    const { page } = await openPage(service, '/console/goods_receipt/new', { as: edo, ...phone })
    await page.getByRole('textbox', { name: 'Number' }).fill('GR-2026-01284')
    await page.getByRole('combobox', { name: 'Order' }).fill(order.number)
    await page.getByRole('option', { name: order.number }).click()
    await page.getByRole('combobox', { name: 'Received at' }).fill('2026-11-10 10:00')
    await page.getByRole('combobox', { name: 'State' }).selectOption('Damaged')
    const chosen = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Take a photo' }).click()
    const buffer = seedFile('crushed-corner.jpg')
    await (await chosen).setFiles({ name: 'IMG_1.jpg', mimeType: 'image/jpeg', buffer })
    await page.getByText('not saved yet').waitFor()
    await isAccessible(page)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { name: 'GR-2026-01284' }).waitFor()
    await isAccessible(page)
    // What suppliers offer is not for the site.
    await go(page, order.path)
    await page.getByRole('heading', { name: order.number }).waitFor()
    assert.equal(await page.getByText('Ponuda.pdf').count(), 0)
  })

  await context.test('who was told of the damage looks at it, and at the history', async () => {
    const { page } = approver
    await inboxOf(page).click()
    await page.getByRole('button', { name: /arrived damaged/ }).click()
    await page.getByRole('link', { name: 'Open the record' }).click()
    await page
      .getByRole('button', { name: /^IMG_1\.jpg/ })
      .first()
      .click()
    const viewer = page.getByRole('dialog', { name: 'IMG_1.jpg' })
    await viewer.getByRole('img').waitFor()
    await isAccessible(page)
    await page.keyboard.press('Escape')
    await viewer.waitFor({ state: 'detached' })
    await go(buyer, order.path)
    const history = buyer.getByRole('complementary', { name: 'Comments and history' })
    for (const entry of [
      /Ponuda\.pdf/,
      /Draft\W+In review/,
      /In review\W+Approved/,
      /Approved\W+Ordered/,
    ])
      await history.getByRole('listitem').filter({ hasText: entry }).first().waitFor()
    await isAccessible(buyer)
  })
  // Where no program makes thumbnails, a picture has none.
  const others = [...reports, ...approver.reports].filter((text) => !text.includes('of 404'))
  assert.deepEqual(others, [])
})
