/** The console in Firefox, where it differs from Chromium. `FIREFOX` names the program. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLoginCode, loginLink } from '../../../src/auth/sessions/sign-in.ts'
import { addDocuments, shopProject } from '../../journeys/a-shop-project.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { startTestWorker } from '../../support/worker.ts'
import { installed, keys, openFirefox } from './a-firefox.ts'

// Higher than Firefox lets an element be: 17.9 million pixels, at 36 for each row.
const customers = 600_000

const startShop = async (): Promise<TestService> => {
  const service = await startTestService(shopProject)
  await startTestWorker(service)
  await addDocuments(service)
  await service.database.pool.query(
    `INSERT INTO records.customer (name, _created_by, _updated_by)
     SELECT 'Customer ' || n, 1, 1 FROM generate_series(1, ${customers}) n`,
  )
  for (const number of ['O-1', 'O-2']) {
    const body = { number, customer_id: 1, total: '1.00' }
    const { id } = (await service.ask('POST', '/order', { body })).json()
    if (number === 'O-2')
      await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
  }
  return service
}

type Firefox = Awaited<ReturnType<typeof openFirefox>>

const scrollTo = (share: number) => `(() => {
  const grid = document.querySelector('[role=grid]')
  grid.scrollTop = ${share} * grid.scrollHeight
})()`

const scrollAndJump = async (firefox: Firefox, { url }: TestService) => {
  const { see, evaluate } = firefox
  await firefox.open(`${url}/console/customer?s=["id"]`)
  await see('gridcell', 'Customer 1')
  const counted = `document.querySelector('[role=grid]').ariaRowCount === '${customers + 1}'`
  await until('the rows are counted', () => evaluate<boolean>(counted), 30)
  await evaluate(scrollTo(1))
  await see('gridcell', `Customer ${customers}`)
  await evaluate(scrollTo(0.5))
  const isMiddle = `[...document.querySelectorAll('[role=gridcell]')]
    .some((cell) => Math.abs(cell.textContent.replace('Customer ', '') - ${customers / 2}) < 200)`
  await until('the rows of the middle are shown', () => evaluate<boolean>(isMiddle), 30)
  await evaluate(`document.querySelector('[role=grid]').focus()`)
  await firefox.withControl(keys.end)
  await see('gridcell', `Customer ${customers}`)
}

const edit = async (firefox: Firefox, { url, ask }: TestService) => {
  await firefox.open(`${url}/console/order?s=["id"]`)
  await firefox.click('gridcell', '1.00')
  await firefox.type(keys.f2)
  await firefox.see('textbox', 'Total of O-1')
  await firefox.withControl('a')
  await firefox.type(`12.50${keys.enter}`)
  await firefox.see('gridcell', '12.50')
  await firefox.open(`${url}/console/order/1`)
  await firefox.click('textbox', 'Notes')
  await firefox.type('Ring twice')
  await firefox.click('button', 'Save')
  const order = async () => (await ask('GET', '/order/1')).json()
  await until('it is saved', async () => (await order()).notes === 'Ring twice', 30)
  assert.equal((await order()).total, '12.50')
}

/** Firefox in English, without a region, reads days as Americans do. */
const typeDay = async (firefox: Firefox, { url, ask }: TestService) => {
  const { click, see, evaluate } = firefox
  await firefox.open(`${url}/console/order/1`)
  await click('combobox', 'Ordered on')
  // No window of a Firefox that is driven has the focus, so none of its inputs is left.
  await firefox.type('4/5/26')
  await click('button', 'Calendar')
  await see('grid', 'April 2026')
  await click('button', 'Next month')
  await click('button', 'Monday, May 4, 2026')
  const shown = `document.querySelector('[name=ordered_on]').value`
  await until('the day is shown', async () => (await evaluate(shown)) === 'May 4, 2026', 30)
  await click('button', 'Save')
  const isSaved = async () => (await ask('GET', '/order/1')).json().ordered_on === '2026-05-04'
  await until('it is saved', isSaved, 30)
}

/** Waits until the viewer of Firefox shows the document in its frame. */
const seeDocument = async ({ readFrame }: Firefox) => {
  const path = '/order/2/documents/confirmation'
  const text = `document.querySelector('.textLayer')?.textContent ?? ''`
  const isShown = async () => (await readFrame(path, text)).includes('Order O-2')
  await until('the viewer shows the document', isShown, 30)
}

const decide = async (firefox: Firefox, { url }: TestService) => {
  const { see, click, evaluate } = firefox
  await firefox.open(`${url}/console/-/approvals`)
  await see('heading', 'O-2')
  assert.equal(await evaluate('navigator.pdfViewerEnabled'), true)
  await seeDocument(firefox)
  await firefox.resize(390, 800)
  await firefox.open(`${url}/console/order/2#documents`)
  await seeDocument(firefox)
  await firefox.resize(1280, 800)
  await firefox.open(`${url}/console/-/approvals`)
  await click('button', 'Approve')
  await firefox.withControl(keys.enter)
  await see('heading', 'Approvals')
  await firefox.open(`${url}/console/-/inbox`)
  await see('heading', 'Inbox')
}

/** Firefox has no viewer if it is set to download PDFs. */
const seePicture = async (firefox: Firefox, { url }: TestService) => {
  await firefox.open(`${url}/console/order/2#documents`)
  const isShown = `(document.querySelector('img[alt=Confirmation]')?.naturalWidth ?? 0) > 0`
  await until('the picture is shown', () => firefox.evaluate<boolean>(isShown), 30)
}

const exportOrders = async (firefox: Firefox, { url }: TestService) => {
  await firefox.open(`${url}/console/order`)
  await firefox.click('button', 'Export')
  await firefox.click('button', 'Start the export')
  const isOffered = `document.querySelector('dialog a[download]') !== null`
  await until('the file is offered', () => firefox.evaluate<boolean>(isOffered), 30)
}

test('the console in Firefox: sign-in, a long list, edits, a day, a decision with its PDF, an export', {
  skip: installed ? false : 'Firefox is not installed (Debian: apt-get install firefox-esr).',
}, async () => {
  assert.ok(installed)
  const executable = installed
  const service = await startShop()
  const signIn = async (preferences = {}) => {
    const firefox = await openFirefox(executable, preferences)
    const link = loginLink('', await createLoginCode(service.database.pool, 1))
    await firefox.open(`${service.url}${link}`)
    await firefox.see('heading', 'My day')
    return firefox
  }
  const firefox = await signIn()
  for (const walk of [scrollAndJump, edit, typeDay, decide, exportOrders])
    await walk(firefox, service)
  await seePicture(await signIn({ 'pdfjs.disabled': true }), service)
})
