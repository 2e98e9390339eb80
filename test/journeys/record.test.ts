/** A record in a real browser: changes, conflicts, actions, history. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { createApiKey } from '../../src/auth/callers/api-keys.ts'
import { openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
let id = 0
let number = 0

const read = async () => (await service.ask('GET', `/order/${id}`)).json()

before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  for (const name of ['Adria Metal', 'Bode & Söhne', '北京钢铁'])
    await service.ask('POST', '/customer', { body: { name } })
})

beforeEach(async () => {
  number += 1
  const body = {
    ...{
      number: `O-${number}`,
      customer_id: 1,
      total: '12.50',
      status: 'open',
      notes: 'Ring twice',
    },
    ...{ sent_at: '2026-05-04T08:30:00.123Z', serial: '9223372036854775807', quantity: 3 },
    terms: { discount: '0.5' },
  }
  const created = await service.ask('POST', '/order', { body })
  assert.equal(created.status, 201, created.text)
  id = created.json().id
})

const openRecord = async () => {
  const opened = await openPage(browser, service, `/console/order/${id}`)
  await opened.page.getByRole('heading', { name: `O-${number}` }).waitFor()
  return opened
}

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
}

describe('the page of a record', () => {
  test('a change is saved with what was changed alone, and the history shows it', async () => {
    const { page, reports } = await openRecord()
    // A change back to the old value is no change.
    await page.getByLabel('Total').fill('1')
    await page.getByText('1 change is not saved').waitFor()
    await page.getByLabel('Total').fill('12.50')
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    await page.getByLabel('Total').fill('99.95')
    await page.getByLabel('Ordered on').fill('2026-03-01')
    await page.getByText('2 changes are not saved').waitFor()
    await save(page)
    const saved = await read()
    assert.deepEqual(
      [saved.total, saved.ordered_on, saved.serial],
      ['99.95', '2026-03-01', '9223372036854775807'],
    )
    const history = page.getByRole('complementary', { name: 'History' })
    await history.getByText('Total: 12.50 99.95').waitFor()
    assert.deepEqual(reports, [])
  })

  test('what is refused is said at its field, to which the bar leads, and nothing typed is lost', async () => {
    const { page } = await openRecord()
    await page.setViewportSize({ width: 1024, height: 420 })
    await page.getByLabel('Total').fill('1234567890123')
    await page.getByLabel('Quantity').fill('a few')
    await page.getByLabel('Notes').fill('Ring three times')
    // Saved by its key, from the end of the form; what cannot be read is not sent.
    await page.keyboard.press('Control+s')
    await page.getByText('Enter a whole number, such as 1,250.').waitFor()
    await page.getByLabel('Quantity').and(page.locator(':focus')).waitFor()
    await page.getByText('1 field needs your attention: Quantity').waitFor()
    await page.getByLabel('Quantity').fill('4')
    await page.getByLabel('Notes').focus()
    await page.keyboard.press('Control+s')
    await page.getByText('Enter at most 12 digits before the decimal mark.').waitFor()
    const total = page.getByLabel('Total')
    await total.and(page.locator(':focus')).waitFor()
    assert.equal(await total.getAttribute('aria-invalid'), 'true')
    await page.getByLabel('Notes').focus()
    const bar = page.getByText('1 field needs your attention:')
    await bar.getByRole('button', { name: 'Total' }).click()
    await total.and(page.locator(':focus')).waitFor()
    const [field, cover] = [await total.boundingBox(), await bar.boundingBox()]
    assert.ok(field && cover && field.y + field.height < cover.y)
    assert.equal(await page.getByLabel('Notes').inputValue(), 'Ring three times')
    assert.equal((await read()).notes, 'Ring twice')
  })

  test('changes of different fields by two users are both kept', async () => {
    const { page } = await openRecord()
    await page.getByLabel('Notes').fill('Mine')
    await service.ask('PATCH', `/order/${id}`, { body: { total: '7.00' } })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Total').and(page.locator('[value="7.00"]')).waitFor()
    await save(page)
    const saved = await read()
    assert.deepEqual([saved.total, saved.notes], ['7.00', 'Mine'])
  })

  test('a field that two users changed is decided by the second one', async () => {
    const { page } = await openRecord()
    for (const [choice, mine, theirs, expected] of [
      ['Keep mine', 'Mine', 'Theirs', 'Mine'],
      ['Take theirs', 'Mine too', 'Theirs too', 'Theirs too'],
    ] as const) {
      const { quantity } = await read()
      await page.getByLabel('Notes').fill(mine)
      await page.getByLabel('Quantity').fill(`${quantity + 1}`)
      await service.ask('PATCH', `/order/${id}`, { body: { notes: theirs } })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText(`Saved by somebody else: ${theirs}`).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
      assert.equal((await read()).quantity, quantity)
      await page.getByRole('button', { name: choice }).click()
      await save(page)
      const saved = await read()
      assert.deepEqual([saved.notes, saved.quantity], [expected, quantity + 1])
    }
  })

  test('a link is found by words and chosen by keys, and times are those of the zone of the project, to the millisecond', async () => {
    const { page } = await openRecord()
    const customer = page.getByRole('combobox', { name: 'Customer' })
    assert.equal(await customer.inputValue(), 'Adria Metal')
    await customer.fill('söhne')
    await page.getByRole('option', { name: 'Bode & Söhne' }).waitFor()
    await page.keyboard.press('Enter')
    assert.equal(await customer.inputValue(), 'Bode & Söhne')
    const sent = page.getByLabel('Sent at')
    assert.equal(await sent.inputValue(), '4 May 2026, 10:30:00.123')
    await sent.fill('2026-10-25T02:30:00.5')
    await save(page)
    const { customer_id, sent_at } = await read()
    assert.deepEqual([customer_id, sent_at], [2, '2026-10-25T00:30:00.500Z'])
  })

  test('an action says whom it would notify, asks for its form, fills in who acts, and leads to the next step', async () => {
    const { page } = await openRecord()
    await page.getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('dialog').getByText('Notifies Administrator (you) · 1 e-mail').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve: ' })
    await dialog.getByLabel('Approver').getByText('Administrator (you)').waitFor()
    assert.equal(await dialog.getByRole('combobox').count(), 0)
    await dialog.getByLabel('Comment').fill('Within budget')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await page.locator('li[aria-current=step]', { hasText: 'Approved' }).waitFor()
    const history = page.getByRole('complementary', { name: 'History' })
    await history.getByText('In review → Approved').waitFor()
    await history.getByText('Within budget').waitFor()
    assert.equal((await read()).approver_id, 1)
  })

  test('an action that somebody else took first is refused with the reason', async () => {
    const { page } = await openRecord()
    await page.getByRole('button', { name: 'Submit' }).click()
    await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Submit' }).click()
    await dialog.getByRole('alert').waitFor()
    assert.equal((await read())._step, 'review')
  })

  test('a session that ends while somebody types costs nothing that was typed', async () => {
    const { page } = await openRecord()
    await page.getByLabel('Notes').fill('Typed before')
    const signOut = await page.context().request.delete(`${service.url}/console/-/session`, {
      headers: { Origin: service.url },
    })
    assert.equal(signOut.status(), 204)
    // Whatever else the page asks for may have opened the dialog, which covers the button.
    await page.getByRole('button', { name: 'Save' }).dispatchEvent('click')
    const dialog = page.getByRole('dialog', { name: 'Sign in to Shop' })
    const { key } = await createApiKey(service.database.pool, { userId: 1, name: 'test' })
    await dialog.getByLabel('API key').fill(key)
    await dialog.getByRole('button', { name: 'Sign in with the key' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Notes').inputValue(), 'Typed before')
    await save(page)
    assert.equal((await read()).notes, 'Typed before')
  })
})

describe('a new record', () => {
  test('it is created with what was given, and opens', async () => {
    const { page, reports } = await openPage(browser, service, '/console/order')
    await page.getByRole('link', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'New: Order' }).waitFor()
    // What is missing is said at its field, and nothing typed is lost.
    await page.getByLabel('Notes').fill('Typed')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').getByText('Enter a value.').first().waitFor()
    const number = page.getByRole('textbox', { name: 'Number', exact: true })
    assert.equal(await number.getAttribute('aria-invalid'), 'true')
    await number.fill('N-1')
    await page.getByRole('combobox', { name: 'Customer' }).fill('北京')
    await page.getByRole('option', { name: '北京钢铁' }).click()
    await page.getByLabel('Total').fill('0.10')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'N-1' }).waitFor()
    const created = (
      await service.ask('GET', new URL(page.url()).pathname.slice('/console'.length))
    ).json()
    const { customer_id, total, _step, notes } = created
    assert.deepEqual([customer_id, total, _step, notes], [3, '0.10', 'draft', 'Typed'])
    assert.deepEqual(
      reports.filter((text) => !text.includes('status of 422')),
      [],
    )
  })
})
