/** A record in a real browser: changes, conflicts with what others change, actions and history. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { createApiKey } from '../../src/auth/callers/api-keys.ts'
import { openPage } from '../support/browser.ts'
import { startShop } from './a-shop-project.ts'

const service = await startShop()

const createOrder = async (number: string): Promise<number> => {
  const body = {
    number,
    customer_id: 1,
    total: '12.50',
    status: 'open',
    notes: 'Ring twice',
    sent_at: '2026-05-04T08:30:00.123Z',
    serial: '9223372036854775807',
    quantity: 3,
    terms: { discount: '0.5' },
  }
  return (await service.ask('POST', '/order', { body })).json(201).id
}

/** What is read and changed by others. */
const accessTo = (id: number) => ({
  read: async () => (await service.ask('GET', `/order/${id}`)).json(),
  change: async (body: object) => {
    const changed = await service.ask('PATCH', `/order/${id}`, { body })
    assert.equal(changed.status, 200, changed.text)
  },
})

const saveButton = (page: Page) => page.getByRole('button', { name: 'Save' })

const save = async (page: Page) => {
  await saveButton(page).click()
  await saveButton(page).waitFor({ state: 'detached' })
}

const hasFocus = (page: Page, label: string) =>
  page.getByLabel(label).and(page.locator(':focus')).waitFor()

test('the fields of a record', async (context) => {
  const id = await createOrder('O-1')
  const { read, change } = accessTo(id)
  const { page, reports } = await openPage(service, `/console/order/${id}`)
  await page.getByRole('heading', { name: 'O-1' }).waitFor()
  const notes = page.getByLabel('Notes')
  const total = page.getByLabel('Total')

  await context.test('what was changed alone is saved, and the history shows it', async () => {
    // A change back to the old value is no change.
    await total.fill('1')
    await page.getByText('1 change is not saved').waitFor()
    await total.fill('12.50')
    await saveButton(page).waitFor({ state: 'detached' })
    await total.fill('99.95')
    await page.getByLabel('Ordered on').fill('2026-03-01')
    await page.getByText('2 changes are not saved').waitFor()
    await save(page)
    const { total: saved, ordered_on, serial } = await read()
    assert.deepEqual([saved, ordered_on, serial], ['99.95', '2026-03-01', '9223372036854775807'])
    const history = page.getByRole('complementary', { name: 'History' })
    await history.getByText('Total: 12.50 99.95').waitFor()
    assert.deepEqual(reports, [])
  })

  await context.test('what is refused is said at its field, to which the bar leads', async () => {
    await page.setViewportSize({ width: 1024, height: 420 })
    await total.fill('1234567890123')
    // Saved by its key, from the end of the form; nothing is sent.
    await notes.fill('Ring three times')
    await page.keyboard.press('Control+s')
    await page.getByText('Enter at most 12 digits before the decimal mark.').waitFor()
    await hasFocus(page, 'Total')
    assert.equal(await total.getAttribute('aria-invalid'), 'true')
    await notes.focus()
    const bar = page.getByText('1 field needs your attention:')
    await bar.getByRole('button', { name: 'Total' }).click()
    await hasFocus(page, 'Total')
    const [field, cover] = [await total.boundingBox(), await bar.boundingBox()]
    assert.ok(field && cover && field.y + field.height < cover.y)
    assert.equal(await notes.inputValue(), 'Ring three times')
    assert.equal((await read()).notes, 'Ring twice')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Discard' }).click()
    await saveButton(page).waitFor({ state: 'detached' })
  })

  await context.test('links are found by words, times are of the zone of the project', async () => {
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

  await context.test('changes of different fields by two users are both kept', async () => {
    await notes.fill('Mine')
    await change({ total: '7.00' })
    await saveButton(page).click()
    await total.and(page.locator('[value="7.00"]')).waitFor()
    await save(page)
    const saved = await read()
    assert.deepEqual([saved.total, saved.notes], ['7.00', 'Mine'])
  })

  await context.test('a field that two users changed is decided by the second one', async () => {
    for (const [choice, mine, theirs, expected] of [
      ['Keep mine', 'Mine again', 'Theirs', 'Mine again'],
      ['Take theirs', 'Mine too', 'Theirs too', 'Theirs too'],
    ] as const) {
      const { quantity } = await read()
      await notes.fill(mine)
      await page.getByLabel('Quantity').fill(`${quantity + 1}`)
      await change({ notes: theirs })
      await saveButton(page).click()
      await page.getByText(`Saved by another user: ${theirs}`).waitFor()
      assert.equal(await saveButton(page).isDisabled(), true)
      assert.equal((await read()).quantity, quantity)
      await page.getByRole('button', { name: choice }).click()
      await save(page)
      const saved = await read()
      assert.deepEqual([saved.notes, saved.quantity], [expected, quantity + 1])
    }
  })

  await context.test('a session that ends costs nothing that was typed', async () => {
    await notes.fill('Typed before')
    const signOut = await page.context().request.delete(`${service.url}/console/-/session`, {
      headers: { Origin: service.url },
    })
    assert.equal(signOut.status(), 204)
    // Whatever else the page asks for may have opened the dialog, which covers the button.
    await saveButton(page).dispatchEvent('click')
    const dialog = page.getByRole('dialog', { name: 'Sign in to Shop' })
    const { key } = await createApiKey(service.database.pool, { userId: 1, name: 'test' })
    await dialog.getByLabel('API key').fill(key)
    await dialog.getByRole('button', { name: 'Sign in with the key' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await notes.inputValue(), 'Typed before')
    await save(page)
    assert.equal((await read()).notes, 'Typed before')
  })
})

test('an action says whom it would notify, is refused if another user took it first, and leads to the next step', async () => {
  const id = await createOrder('O-2')
  const { page } = await openPage(service, `/console/order/${id}`)
  const opener = page.getByRole('button', { name: 'Submit' })
  await opener.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // A form that is cancelled gives the focus back to what opened it.
  await opener.and(page.locator(':focus')).waitFor()
  await opener.click()
  const submitted = page.getByRole('dialog', { name: 'Submit' })
  await submitted.getByText('Notifies Administrator (you) · 1 e-mail').waitFor()
  await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
  await submitted.getByRole('button', { name: 'Submit' }).click()
  await submitted.getByRole('alert').waitFor()
  const { read } = accessTo(id)
  assert.equal((await read())._step, 'review')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Approve' }).click()
  const dialog = page.getByRole('dialog', { name: 'Approve: ' })
  // The form fills in who acts.
  await dialog.getByLabel('Approved by').getByText('Administrator (you)').waitFor()
  assert.equal(await dialog.getByRole('combobox').count(), 0)
  await dialog.getByLabel('Comment').fill('Within budget')
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await page.locator('li[aria-current=step]', { hasText: 'Approved' }).waitFor()
  const history = page.getByRole('complementary', { name: 'History' })
  await history.getByText('In review → Approved').waitFor()
  await history.getByText('Within budget').waitFor()
  assert.equal((await read()).approved_by_id, 1)
})
