/** Whom something would notify, said before it is done, to users of roles that may read more or less. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { addPeople, approverEmail, sellerEmail, shopProject } from './a-shop-project.ts'

const order = shopProject['entities/order.json']
const { user: _user, ...ofApprovers } = shopProject['roles/approver.json'].permissions

/** New orders notify their approver, a rejection who has created the order; approvers may not read users. */
const project = {
  ...shopProject,
  'entities/order.json': {
    ...order,
    notifications: [
      ...order.notifications,
      { operation: 'create', recipient: { userFields: ['approver'] } },
      { operation: 'proceedToStep', action: 'reject', recipient: { userFields: ['_created_by'] } },
      { operation: 'proceedToStep', action: 'reject', recipient: { userFields: ['approver'] } },
      { operation: 'takeOwnership', recipient: { userFields: ['_owned_by'] } },
    ],
  },
  'entities/request.json': {
    ...shopProject['entities/request.json'],
    hooks: order.hooks,
    notifications: [
      {
        ...{ operation: 'proceedToStep', action: 'reject', condition: { reason: 'Too late' } },
        recipient: { userFields: ['_created_by'] },
      },
    ],
  },
  'roles/approver.json': {
    ...shopProject['roles/approver.json'],
    permissions: { ...ofApprovers, order: { ...ofApprovers.order, hiddenFields: ['approver'] } },
  },
}

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>

before(async () => {
  service = await startTestService(await writeProject(project))
  browser = await startBrowser()
  await addPeople(service)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  for (const number of ['Q-1', 'Q-2']) {
    const body = { number, customer_id: 1 }
    const { id } = (await service.ask('POST', '/order', { body, as: sellerEmail })).json()
    await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
  }
})

test('approvals of one and of several say how many they notify, and that more may depend on hidden fields', async () => {
  const { page, reports } = await openPage(browser, service, '/console/-/approvals', {
    as: approverEmail,
  })
  const refused: string[] = []
  page.on('response', (one) => void (one.status() === 403 && refused.push(one.url())))
  const list = page.getByRole('list', { name: 'Waiting for a decision' })
  await list.getByText('Q-1').waitFor()
  // The key is there with the actions of the record beside the list.
  await page.getByRole('button', { name: 'Reject', exact: true }).waitFor()
  await page.keyboard.press('r')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Notifies 1 person · 1 e-mail').waitFor()
  await dialog.getByText('Others may be notified too').waitFor()
  await page.keyboard.press('Escape')
  for (const name of ['Q-1', 'Q-2']) await list.getByRole('checkbox', { name }).check()
  await page.getByRole('button', { name: 'Reject 2' }).click()
  await dialog.getByText('Notifies 1 person about 2 records · 2 e-mails').waitFor()
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual([refused, reports], [[], []])
})

test('a new record says whom it would notify, by what is typed so far', async () => {
  const { page, reports } = await openPage(browser, service, '/console/order/new', {
    as: sellerEmail,
    colorScheme: 'dark',
  })
  await page.getByText('Notifies nobody.').waitFor()
  const approver = page.getByRole('combobox', { name: 'Approver' })
  await approver.focus()
  await page.keyboard.type('boris')
  await page.getByRole('option', { name: 'Boris Šimić' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Notifies Boris Šimić · 1 e-mail').waitFor()
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(reports, [])
})

test('taking a record over says so too', async () => {
  const { page } = await openPage(browser, service, '/console/order/1')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Take over' }).click()
  await page.getByRole('dialog').getByText('Notifies Sale Horvat · 1 e-mail').waitFor()
})

test('the form of an action says whom it would notify, by what is typed so far', async () => {
  const { id } = (await service.ask('POST', '/request', { body: { title: 'Chairs' } })).json()
  await service.ask('POST', `/request/${id}/proceedToStep`, { body: { action: 'submit' } })
  const { page, reports } = await openPage(browser, service, `/console/request/${id}`)
  await page.getByRole('button', { name: 'Reject', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Notifies nobody.').waitFor()
  await dialog.getByLabel('Reason').fill('Too late')
  await dialog.getByText(/^Notifies .* \(you\)/).waitFor()
  assert.deepEqual(reports, [])
})
