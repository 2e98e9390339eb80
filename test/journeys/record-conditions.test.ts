/** Conditions of permissions in a real browser: what may be changed in one step is read-only in the next. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Route } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { createUser } from '../support/console/create-user.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

const orderIsDraft = { 'order._step': 'draft' }

const project = {
  'docket.json': { name: 'Shop', locale: 'en' },
  'entities/order.json': {
    key: 'order',
    name: 'Order',
    displayField: 'number',
    fields: [
      { key: 'number', name: 'Number', type: 'string', required: true },
      { key: 'total', name: 'Total', type: 'decimal', precision: 14, scale: 2, unit: 'EUR' },
      { key: 'lines', name: 'Lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        {
          ...{ key: 'draft', name: 'Draft' },
          actions: [{ key: 'submit', name: 'Submit', kind: 'proceedToStep', to: 'review' }],
        },
        { key: 'review', name: 'In review', final: true },
      ],
    },
  },
  'entities/line.json': {
    key: 'line',
    name: 'Line',
    displayField: 'article',
    fields: [
      { key: 'article', name: 'Article', type: 'string' },
      { key: 'order', name: 'Order', type: 'manyToOne', entity: 'order' },
    ],
  },
  'roles/buyer.json': {
    ...{ key: 'buyer', name: 'Buyer' },
    permissions: {
      order: {
        ...{ create: true, read: true, update: true, delete: true, actions: ['submit'] },
        conditions: { update: { _step: 'draft' }, delete: { _step: 'draft' } },
      },
      line: {
        ...{ create: true, read: true, update: true },
        conditions: { create: orderIsDraft, update: orderIsDraft },
      },
    },
  },
}
const as = 'buyer@example.com'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startTestService(await writeProject(project))
  browser = await startBrowser()
  await createUser(service, 'buyer')
  for (const number of ['O-1', 'O-2', 'O-3']) {
    const order = await service.ask('POST', '/order', { body: { number, total: '50.00' } })
    await service.ask('POST', '/line', { body: { article: 'Bolt', order_id: order.json().id } })
  }
})

test('a record is read-only from the step in which the role may not change it, and the page says why', async () => {
  const { page, reports } = await openPage(browser, service, '/console/order/1', { as })
  await page.getByLabel('Total').fill('60')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('tab', { name: 'Lines' }).click()
  await page.getByRole('link', { name: 'New: Line' }).waitFor()
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('link', { name: 'New: Line' }).waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: 'Fields' }).click()
  await page
    .getByText('You may neither change nor remove this record now. It depends on “Step”.')
    .waitFor()
  assert.equal(
    await page
      .getByLabel('Total')
      .isEditable()
      .catch(() => false),
    false,
  )
  assert.deepEqual(await findViolations(page), [])
  await page.getByRole('tab', { name: 'Lines' }).click()
  await page.getByRole('link', { name: 'Bolt' }).click()
  await page
    .getByText('You may not change this record now. It depends on “Order › Step”.')
    .waitFor()
  assert.deepEqual(reports, [])
})

test('in a list its cells are not edited, and of several records it is left out with the reason', async () => {
  const { page, reports } = await openPage(browser, service, '/console/order', { as })
  const total = (number: string) =>
    page.getByRole('row', { name: number }).getByRole('gridcell', { name: '.00' })
  await total('O-1').dblclick()
  await page.getByText('Total cannot be changed here.').waitFor()
  for (const number of ['O-1', 'O-2']) await page.getByRole('checkbox', { name: number }).check()
  await page.getByRole('button', { name: 'Remove …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove: 2 records' })
  await dialog.getByText('a rule of your role does not allow it in its present state').waitFor()
  await dialog.getByRole('button', { name: 'Remove 1 record' }).click()
  await dialog.getByText('Done: 1 record.').waitFor()
  assert.deepEqual(reports, [])
})

test('administrators read the condition in words', async () => {
  const path = '/console/-/admin/definitions/line?part=rights'
  const { page, reports } = await openPage(browser, service, path)
  await page.getByText('only if Order › Step is Draft').first().waitFor()
  assert.deepEqual(await findViolations(page), [])
  assert.deepEqual(reports, [])
})

test('a filter on the step of a linked record has the names of its steps', async () => {
  const where = encodeURIComponent('{"order._step":"draft"}')
  const { page } = await openPage(browser, service, `/console/line?w=${where}`)
  await page.getByRole('button', { name: 'Order › Step is Draft' }).first().click()
  await page.getByRole('dialog').getByText('In review').waitFor({ state: 'attached' })
})

test('no action is taken while changes are not saved', async () => {
  const { page } = await openPage(browser, service, '/console/order/3', { as })
  await page.getByLabel('Total').fill('70')
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('alert').getByText('Save your changes first').waitFor()
  assert.equal(await page.getByRole('dialog').count(), 0)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Save your changes first').waitFor({ state: 'detached' })
  await page.getByLabel('Total').fill('75')
  await page.getByRole('button', { name: 'Discard' }).waitFor()
  assert.equal(await page.getByText('Save your changes first').count(), 0)
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click()
  await page.getByText('You may neither change nor remove this record now.').waitFor()
  const { total, _step } = (await service.ask('GET', '/order/3')).json()
  assert.deepEqual([total, _step], ['70.00', 'review'])
})

describe('an action that is chosen while changes are being saved', () => {
  const saveAndSubmit = async (answer: (route: Route) => Promise<void>) => {
    const body = { number: 'O-4', total: '50.00' }
    const { id } = (await service.ask('POST', '/order', { body })).json()
    const { page, reports } = await openPage(browser, service, `/console/order/${id}`, { as })
    const held = Promise.withResolvers<void>()
    await page.route(`**/order/${id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      await held.promise
      await answer(route)
    })
    await page.getByLabel('Total').fill('80')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Submit' }).click()
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.equal(await page.getByText('Save your changes first').count(), 0)
    held.resolve()
    return { page, reports, id }
  }

  test('is offered when they are saved', async () => {
    const { page, reports, id } = await saveAndSubmit((route) => route.continue())
    await page.getByRole('dialog').getByRole('button', { name: 'Submit' }).click()
    await page.getByText('You may neither change nor remove this record now.').waitFor()
    const { total, _step } = (await service.ask('GET', `/order/${id}`)).json()
    assert.deepEqual([total, _step], ['80.00', 'review'])
    assert.deepEqual(reports, [])
  })

  test('is not offered when they cannot be saved', async () => {
    const { page } = await saveAndSubmit((route) => route.abort())
    await page.getByRole('alert').getByText('Save your changes first').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
  })
})
