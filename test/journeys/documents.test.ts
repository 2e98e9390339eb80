/** The printable documents of a record, in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  findViolations,
  findViolationsEverywhere,
  openPage,
  startBrowser,
} from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { addDocuments, addPeople, approverEmail, shopProject } from './a-shop-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(shopProject))
  browser = await startBrowser()
  await addPeople(service)
  await addDocuments(service)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  const created = await service.ask('POST', '/order', { body: { number: 'D-1', customer_id: 1 } })
  assert.equal(created.status, 201, created.text)
})

const path = '/console/order/1#documents'

describe('documents of a record', () => {
  test('without a viewer of PDFs a picture is shown, also to those who may only read', async () => {
    const { page, reports } = await openPage(browser, service, path, { as: approverEmail })
    await page.getByRole('tab', { name: 'Documents 2', selected: true }).waitFor()
    const picture = page.getByRole('img', { name: 'Confirmation' })
    await until('the picture is loaded', () =>
      page.evaluate<boolean>("document.querySelector('img[alt=Confirmation]')?.naturalHeight > 0"),
    )
    const box = await picture.boundingBox()
    assert.ok(box && box.height > box.width)
    assert.deepEqual(reports, [])
  })

  test('with one it is shown in a frame, which the policies of both allow', async () => {
    const { page, reports } = await openPage(browser, service, '/console/order/1')
    await page.evaluate(() =>
      Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => true }),
    )
    const address = `${service.url}/order/1/documents/confirmation`
    const framed = page.waitForRequest((one) => one.isNavigationRequest() && one.url() === address)
    await page.getByRole('tab', { name: 'Documents 2' }).click()
    const response = await (await framed).response()
    assert.equal(response?.status(), 200)
    await page.locator('iframe[title=Confirmation]').waitFor()
    assert.deepEqual(reports, [])
  })

  test('it is saved under its name', async () => {
    const { page } = await openPage(browser, service, path)
    const saved = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    assert.equal((await saved).suggestedFilename(), 'confirmation-D-1.pdf')
    const link = page.getByRole('link', { name: 'Open in a new tab' })
    assert.equal(await link.getAttribute('href'), '/order/1/documents/confirmation')
  })

  test('an error of a template is shown with its file and line, by keys alone', async () => {
    const { page } = await openPage(browser, service, path)
    await page.getByRole('radio', { name: 'Confirmation' }).focus()
    await page.keyboard.press('ArrowRight')
    const problem = page.getByRole('alert')
    await problem.getByText(/^broken\.typ:3:\d+$/).waitFor()
    await problem.getByText('dictionary does not contain key "nothing"').first().waitFor()
  })

  test('while the service cannot print it says so', async () => {
    const { page } = await openPage(browser, service, '/console/order/1')
    await page.route('**/documents/confirmation/picture', (route) => route.abort())
    await page.clock.install()
    await page.getByRole('tab', { name: 'Documents 2' }).click()
    for (let waited = 0; waited < 20; waited++) await page.clock.runFor(1000)
    await page.getByRole('alert').getByText('The document could not be made.').waitFor()
  })

  test('a record without documents has no such part', async () => {
    const { page } = await openPage(browser, service, '/console/customer/1')
    await page.getByRole('heading', { name: 'Adria Metal' }).waitFor()
    await page.getByRole('complementary', { name: 'History' }).getByText('created').waitFor()
    assert.equal(await page.getByRole('tab', { name: 'Documents' }).count(), 0)
  })
})

describe('the document beside an approval', () => {
  test('a page can be read on a small screen, and the list gives way by a key that is remembered', async () => {
    const body = { number: 'D-2', customer_id: 1 }
    const { id } = (await service.ask('POST', '/order', { body })).json()
    await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
    const { page, reports } = await openPage(browser, service, '/console/-/approvals', {
      ...{ as: approverEmail, viewport: { width: 1366, height: 768 } },
    })
    const picture = page.getByRole('img', { name: 'Confirmation' })
    const widthOf = async () => (await picture.boundingBox())?.width ?? 0
    await picture.waitFor()
    assert.ok((await widthOf()) > 480)
    const queue = page.getByRole('list', { name: 'Waiting for a decision' })
    await queue.waitFor()
    await page.getByRole('button', { name: 'Hide the list' }).press('Enter')
    await page.getByRole('button', { name: 'Show the list', expanded: false }).waitFor()
    await queue.waitFor({ state: 'hidden' })
    assert.ok((await widthOf()) > 640)
    assert.deepEqual(await findViolations(page), [])
    await page.reload()
    await picture.waitFor()
    assert.equal(await queue.count(), 0)
    await page.getByRole('button', { name: 'Show the list' }).click()
    await queue.waitFor()
    assert.deepEqual(reports, [])
  })
})

describe('axe finds nothing', () => {
  test('documents of a record, light and dark, 320, 768 and 1440 pixels', async () => {
    const { page } = await openPage(browser, service, path, {
      viewport: { width: 1440, height: 800 },
    })
    const shown = page.getByRole('img', { name: 'Confirmation' })
    assert.deepEqual(await findViolationsEverywhere(page, () => shown.waitFor()), [])
  })
})
