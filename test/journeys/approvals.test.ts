/** The queue of approvals in a real browser: decisions by keys alone and by mouse, on one record and on several at once. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage } from '../support/browser.ts'
import { approverEmail, startShop } from './a-shop-project.ts'

const service = await startShop()

const act = (entity: string, id: number, action: string, more = {}) =>
  service.ask('POST', `/${entity}/${id}/proceedToStep`, { body: { action, ...more } })

const submit = async (entity: string, body: object): Promise<number> => {
  const { id } = (await service.ask('POST', `/${entity}`, { body })).json(201)
  assert.equal((await act(entity, id, 'submit')).status, 200)
  return id
}

let number = 0
const submitOrder = () => {
  number += 1
  return submit('order', { number: `Q-${number}`, customer_id: 1, total: '1204.50' })
}

const submitRequests = async (...titles: readonly string[]): Promise<number[]> => {
  const ids: number[] = []
  for (const title of titles) ids.push(await submit('request', { title }))
  return ids
}

// Each test begins with an empty queue.
beforeEach(async () => {
  const { data } = (await service.ask('GET', '/api/approvals?limit=1000')).json()
  for (const { entity, id } of data)
    await act(entity, id, 'approve', entity === 'order' ? { values: { approved_by_id: 1 } } : {})
})

const openQueue = (as: string) => openPage(service, '/console/-/approvals', { as })

const queueOf = (page: Page) => page.getByRole('list', { name: 'Waiting for a decision' })
const isEmpty = (page: Page) => page.getByText('Nothing is waiting for your decision.').waitFor()

/** Waits until a record of the queue is shown, and can be decided on. */
const isShown = async (page: Page, name: string) => {
  const record = page.getByRole('region', { name: 'Record to decide on' })
  await record.getByRole('heading', { name, exact: true }).waitFor()
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
}

const readyToSend = (page: Page) => page.locator('[type=submit]:focus').waitFor()

const stepsOf = (entity: string, ids: readonly number[]): Promise<string[]> =>
  Promise.all(ids.map(async (id) => (await service.ask('GET', `/${entity}/${id}`)).json()._step))

test('the queue of approvals', async (context) => {
  const { page, reports } = await openQueue(approverEmail)
  await isEmpty(page)

  await context.test('says of each what it is about, how much, since when, by whom', async () => {
    await submitOrder()
    const item = queueOf(page).getByRole('listitem')
    for (const text of ['1,204.50', 'Adria Metal', 'Order · In review', 'Administrator'])
      await item.getByText(text, { exact: true }).waitFor()
  })

  await context.test('shows a document, to which the list gives way by a kept choice', async () => {
    await submitOrder()
    await page.setViewportSize({ width: 1366, height: 768 })
    const documents = page.getByRole('complementary', { name: 'Documents' })
    const picture = documents.getByRole('img', { name: 'Confirmation' })
    const widthOf = async () => (await picture.boundingBox())?.width ?? 0
    await picture.waitFor()
    assert.ok((await widthOf()) > 480)
    await page.getByRole('button', { name: 'Hide the list' }).press('Enter')
    const show = page.getByRole('button', { name: 'Show the list' })
    await page.getByRole('button', { name: 'Show the list', expanded: false }).waitFor()
    await queueOf(page).waitFor({ state: 'hidden' })
    assert.ok((await widthOf()) > 640)
    assert.deepEqual(await findViolations(page), [])
    await page.reload()
    await picture.waitFor()
    assert.equal(await queueOf(page).count(), 0)
    await show.click()
    await queueOf(page).waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  await context.test('records are approved by keys alone, two for each, and by mouse', async () => {
    const ids = [await submitOrder(), await submitOrder(), await submitOrder()]
    for (const at of [2, 1]) {
      await isShown(page, `Q-${number - at}`)
      await page.keyboard.press('a')
      const dialog = page.getByRole('dialog', { name: 'Approve: ' })
      await dialog.getByLabel('Approved by').getByText('(you)').waitFor()
      await readyToSend(page)
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
    }
    await isShown(page, `Q-${number}`)
    const navigation = page.getByRole('navigation')
    await navigation.getByRole('link', { name: 'Approvals 1' }).waitFor()
    await page.getByText(`Q-${number - 1} → Approved`).waitFor()
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await isEmpty(page)
    assert.deepEqual(await stepsOf('order', ids), ['approved', 'approved', 'draft'])
  })

  await context.test('a rejection asks for its reason first, and Ctrl+Enter sends it', async () => {
    const [id = 0] = await submitRequests('A new desk')
    await isShown(page, 'A new desk')
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog', { name: 'Reject: A new desk' })
    await dialog.getByRole('textbox', { name: 'Reason' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Too dear')
    await page.keyboard.press('Control+Enter')
    await isEmpty(page)
    assert.equal((await service.ask('GET', `/request/${id}`)).json().reason, 'Too dear')
  })

  await context.test('loses what another user decides, but no open form', async () => {
    const ids = await submitRequests('Taken', 'Contested')
    await isShown(page, 'Taken')
    await act('request', ids[0] ?? 0, 'approve')
    await isShown(page, 'Contested')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Reject' })
    await form.getByLabel('Reason').fill('Too dear')
    const counted = page.waitForResponse((answer) => answer.url().endsWith('/api/approvals/count'))
    await act('request', ids[1] ?? 0, 'approve')
    await counted
    await form.getByRole('button', { name: 'Reject' }).click()
    await form.getByRole('alert').first().waitFor()
    assert.equal(await form.getByLabel('Reason').inputValue(), 'Too dear')
    await page.keyboard.press('Escape')
    await isEmpty(page)
  })

  await context.test('several are approved by keys, and it says which it cannot', async () => {
    const ids = await submitRequests('One', 'Two', 'Three')
    await page.reload()
    await isShown(page, 'One')
    await queueOf(page).getByRole('checkbox').nth(2).waitFor()
    for (const key of ['x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Approve 3' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Approve: 3 records' })
    await dialog.getByText('One, Two, Three').waitFor()
    await readyToSend(page)
    await service.ask('PATCH', `/request/${ids[1]}`, { body: { reason: 'Changed' } })
    await page.keyboard.press('Enter')
    await dialog.getByText('Possible for 2 records.').waitFor()
    await dialog.getByText('One, Three').waitFor()
    const refused = dialog.getByRole('listitem').filter({ hasText: 'Two' })
    await refused.getByText('was changed by another user in the meantime').waitFor()
    assert.deepEqual(await stepsOf('request', ids), ['review', 'review', 'review'])
    assert.deepEqual(await findViolations(page), [])
    const confirm = dialog.getByRole('button', { name: 'Approve: 2 records' })
    await confirm.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByText('Done: 2 records.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('1 selected').waitFor()
    assert.deepEqual(await stepsOf('request', ids), ['approved', 'review', 'approved'])
  })

  await context.test('records of different entities are not decided together', async () => {
    await submitRequests('Desk')
    await submitOrder()
    await page.reload()
    await queueOf(page).getByRole('checkbox').nth(1).waitFor()
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await page.getByText('Select records of one kind to decide on all of them at once.').waitFor()
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await page.getByText('2 selected').waitFor({ state: 'detached' })
  })

  await context.test('J and K move, Enter opens, the next one follows a decision', async () => {
    await submitRequests('First', 'Second', 'Third', 'Fourth')
    await page.reload()
    await queueOf(page).getByRole('checkbox').nth(3).waitFor()
    await isShown(page, 'First')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await isShown(page, 'Third')
    await page.keyboard.press('k')
    await isShown(page, 'Second')
    await page.keyboard.press('a')
    await readyToSend(page)
    await page.keyboard.press('Enter')
    await isShown(page, 'Third')
    const said = page.getByRole('status').filter({ hasText: 'Second → Approved' })
    await said.getByRole('link', { name: 'Second' }).waitFor()
    await page.locator('.work-item:focus', { hasText: 'Third' }).waitFor()
    assert.deepEqual(
      reports.filter((text) => !/status of (409|412|422)/.test(text)),
      [],
    )
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/console\/request\/\d+$/)
    await page.getByRole('heading', { name: 'Third' }).waitFor()
  })
})

test('what only some of the selected can is offered for those; the others stay selected', async () => {
  for (const title of ['Lease', 'Loan']) await submit('contract', { title })
  await act('contract', await submit('contract', { title: 'Licence' }), 'approve')
  const { page, reports } = await openQueue(service.config.ADMIN_EMAIL)
  await queueOf(page).getByRole('checkbox').nth(2).waitFor()
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  for (const name of ['Approve (2 of 3)', 'Reject 3', 'Sign (1 of 3)'])
    await page.getByRole('button', { name, exact: true }).waitFor()
  await page.getByRole('button', { name: 'Approve (2 of 3)' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Approve: 2 records' })
  await readyToSend(page)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('1 selected').waitFor()
  await page.getByRole('checkbox', { name: 'Select Licence', checked: true }).waitFor()
  await page.getByRole('button', { name: 'Sign 1' }).waitFor()
  assert.deepEqual(reports, [])
})
