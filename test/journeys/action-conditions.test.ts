/** Actions with a condition in a real browser: what is above the limit of a user is offered to nobody but others. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { openPage, startBrowser } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'

const approve = {
  ...{ key: 'approve', kind: 'approveWorkflow', to: 'approved' },
  condition: { total: { $lte: { $caller: 'approval_limit' } } },
}

const project = {
  'docket.json': { name: 'Shop', locale: 'en' },
  'entities/user.json': {
    extends: 'native',
    key: 'user',
    fields: [{ key: 'approval_limit', type: 'decimal', default: '100', unit: 'EUR' }],
  },
  'entities/order.json': {
    key: 'order',
    name: 'Order',
    displayField: 'number',
    fields: [
      { key: 'number', name: 'Number', type: 'string', required: true },
      { key: 'total', name: 'Total', type: 'decimal', precision: 14, scale: 2, unit: 'EUR' },
    ],
    workflow: {
      initialStep: 'review',
      steps: [
        { key: 'review', name: 'In review', actions: [approve] },
        { key: 'approved', name: 'Approved', final: true },
      ],
    },
  },
  'roles/approver.json': {
    ...{ key: 'approver', name: 'Approver' },
    permissions: { order: { read: true, actions: ['approve'] }, user: { read: true } },
  },
}
const as = 'approver@example.com'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(project))
  browser = await startBrowser()
  await createUser(service, 'approver')
  for (const [at, total] of ['50.00', '99.00', '500.00'].entries())
    await service.ask('POST', '/order', { body: { number: `O-${at + 1}`, total } })
})

test('the approvals have what the user may decide on, and a record above the limit offers nothing', async () => {
  const { page, reports } = await openPage(browser, service, '/console/-/approvals', { as })
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
  assert.equal(await page.getByText('O-3').count(), 0)
  await page.getByRole('link', { name: /Approvals.*2/ }).waitFor()
  await page.goto(`${service.url}/console/order/3`)
  await page.getByRole('listitem').getByText('In review').waitFor()
  await page.getByRole('heading', { name: 'O-3' }).waitFor()
  await page
    .getByText(
      'Approve is not open to you here. It depends on “Total” and your “Approval limit” (EUR 100).',
    )
    .waitFor()
  assert.equal(await page.getByRole('button', { name: 'Approve', exact: true }).count(), 0)
  assert.deepEqual(reports, [])
})

/** Opens the list with a switch for the answers to the question for open actions, and the requests that ended early. */
const openHeld = async () => {
  const { page, reports } = await openPage(browser, service, '/console/order', { as })
  const held = Promise.withResolvers<void>()
  const asked: number[][] = []
  const cancelled: number[][] = []
  await page.route('**/order/actions', async (route) => {
    asked.push(route.request().postDataJSON().ids)
    await held.promise
    await route.continue().catch(() => undefined)
  })
  page.on('requestfailed', (request) => {
    if (request.url().endsWith('/order/actions')) cancelled.push(request.postDataJSON().ids)
  })
  const box = (number: string) =>
    page.getByRole('checkbox', { name: `Select ${number}`, exact: true })
  const offer = (name: string) => page.getByRole('button', { name, exact: true })
  return { page, reports, box, offer, asked, cancelled, release: () => held.resolve() }
}

test('an action says how many records it may fit, and how many it fits when the service has said so', async () => {
  const { reports, box, offer, release } = await openHeld()
  for (const number of ['O-2', 'O-3']) await box(number).check()
  await offer('Approve (up to 2) …').waitFor()
  release()
  await offer('Approve (1 of 2) …').waitFor()
  await box('O-3').uncheck()
  await offer('Approve …').waitFor()
  assert.deepEqual(reports, [])
})

test('an action whose condition holds for none of the records is not offered', async () => {
  const { page, box, offer, release } = await openHeld()
  await box('O-3').check()
  await offer('Approve (up to 1) …').waitFor()
  release()
  await offer('Approve (up to 1) …').waitFor({ state: 'detached' })
  await page.getByText('1 selected').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Approve .*…/ }).count(), 0)
})

test('the question of an earlier selection is cancelled', async () => {
  const { page, box, offer, asked, cancelled, release } = await openHeld()
  await box('O-3').check()
  await offer('Approve (up to 1) …').waitFor()
  await until('the first question', () => asked.length === 1)
  await box('O-2').check()
  await until('the second question', () => asked.length === 2)
  release()
  await offer('Approve (1 of 2) …').waitFor()
  await page.getByText('2 selected').waitFor()
  assert.deepEqual([asked, cancelled], [[[3], [2, 3]], [[3]]])
})

test('of all that match, it says how many it may fit', async () => {
  const { page, offer, asked } = await openHeld()
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await offer('Approve (up to 3) …').waitFor()
  assert.deepEqual(asked, [])
})

test('of several records, those above the limit are left out with the reason', async () => {
  const { page } = await openPage(browser, service, '/console/order', { as })
  for (const number of ['O-2', 'O-3']) await page.getByRole('checkbox', { name: number }).check()
  await page.getByRole('button', { name: 'Approve (1 of 2) …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Approve: 2 records' })
  await dialog.getByRole('button', { name: 'Check' }).click()
  await dialog.getByText('Possible for 1 record.').waitFor()
  const refused = dialog.getByRole('listitem').filter({ hasText: 'O-3' })
  await refused.getByText('a condition of the action is not met for you').waitFor()
  await dialog.getByRole('button', { name: 'Approve: 1 record' }).click()
  await dialog.getByText('Done: 1 record.').waitFor()
  const steps = (await service.ask('GET', '/order?sort=id')).json().data
  assert.deepEqual(
    steps.slice(1).map(({ _step }: { _step: string }) => _step),
    ['approved', 'review'],
  )
})

test('administrators read the condition in words', async () => {
  const path = '/console/-/admin/definitions/order?part=workflow'
  const { page, reports } = await openPage(browser, service, path)
  await page.getByText('only if Total is at most Approval limit of the user').waitFor()
  assert.deepEqual(reports, [])
})
