/** Descriptions of fields in a real browser: by mouse, keys, touch and screen reader, and out of the way otherwise. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { orderProject } from '../support/console/an-order-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(
    await writeProject({
      ...orderProject,
      'roles/reader.json': {
        ...{ key: 'reader', name: 'Reader', permissions: { order: { read: true } } },
      },
    }),
  )
  browser = await startBrowser()
  await createUser(service, 'reader')
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  await service.ask('POST', '/order', { body: { number: 'O-1', customer_id: 1 } })
})

const text = 'What the carrier must know.'
const signName = { name: 'What is this for?', description: 'Notes' }

const open = async (options = {}) => {
  const opened = await openPage(browser, service, '/console/order/1', options)
  const help = opened.page.getByText(text)
  const sign = opened.page.getByRole('button', signName)
  await sign.waitFor()
  return { ...opened, help, sign }
}

test('a description is not shown until it is asked for, and describes its field always', async () => {
  const { page, help, reports } = await open()
  assert.equal(await help.isVisible(), false)
  const notes = page.getByRole('textbox', { name: 'Notes', description: text })
  await notes.focus()
  await page.keyboard.press('F1')
  await help.waitFor()
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'hidden' })
  await notes.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Shift+Tab')
  await page.getByLabel('Terms').and(page.locator(':focus')).waitFor()
  assert.deepEqual(reports, [])
})

test('it is shown to a mouse that rests on the sign, stays while it is read, and once it was pressed', async () => {
  const { page, help, sign } = await open({ colorScheme: 'dark' })
  await sign.hover()
  await help.waitFor()
  await help.hover()
  await page.mouse.move(2, 2)
  await help.waitFor({ state: 'hidden' })
  await sign.hover()
  await help.waitFor()
  await sign.click()
  await page.mouse.move(2, 2)
  await page.getByLabel('Quantity').focus()
  await help.waitFor()
  await page.mouse.click(2, 2)
  await help.waitFor({ state: 'hidden' })
})

test('it is shown by touch on a phone, inside of the page', async () => {
  const viewport = { width: 320, height: 640 }
  const { page, help, sign } = await open({ viewport, hasTouch: true, isMobile: true })
  await sign.tap()
  await help.waitFor()
  const box = await help.boundingBox()
  assert.ok(box && box.x >= 0 && box.x + box.width <= viewport.width)
  assert.deepEqual(await findViolations(page), [])
})

test('of a field that is only read, the sign is reached by keys', async () => {
  const { page, help, sign } = await open({ as: 'reader@example.com' })
  await sign.press('Enter')
  await help.waitFor()
  assert.equal(await sign.getAttribute('tabindex'), '0')
  assert.deepEqual(await findViolations(page), [])
})
