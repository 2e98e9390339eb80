/** The queue of approvals in a real browser: decisions by keys alone, and on several records at once. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  findViolations,
  findViolationsEverywhere,
  openPage,
  startBrowser,
} from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { contracts } from './a-contract-entity.ts'
import { addDocuments, addPeople, approverEmail, shopProject } from './a-shop-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>

before(async () => {
  service = await startTestService(await writeProject({ ...shopProject, ...contracts }))
  browser = await startBrowser()
  await addPeople(service)
  await addDocuments(service)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
})

const act = (entity: string, id: number, action: string, more = {}) =>
  service.ask('POST', `/${entity}/${id}/proceedToStep`, { body: { action, ...more } })

const submit = async (entity: string, body: object): Promise<number> => {
  const created = await service.ask('POST', `/${entity}`, { body })
  assert.equal(created.status, 201, created.text)
  const { id } = created.json()
  assert.equal((await act(entity, id, 'submit')).status, 200)
  return id
}

let number = 0
const submitOrder = () => {
  number += 1
  return submit('order', { number: `Q-${number}`, customer_id: 1, total: '1204.50' })
}

// Each test begins with an empty queue.
beforeEach(async () => {
  const { data } = (await service.ask('GET', '/api/approvals?limit=1000')).json()
  for (const { entity, id } of data)
    await act(entity, id, 'approve', entity === 'order' ? { values: { approver_id: 1 } } : {})
})

const openQueue = async (options: Parameters<typeof openPage>[3] = {}) => {
  const opened = await openPage(browser, service, '/console/-/approvals', {
    as: approverEmail,
    ...options,
  })
  await opened.page.getByRole('list', { name: 'Waiting for a decision' }).waitFor()
  return opened
}

const recordOf = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Record to decide on' }).getByRole('heading', { name })

const stepOf = async (entity: string, id: number): Promise<string> =>
  (await service.ask('GET', `/${entity}/${id}`)).json()._step

describe('the queue of approvals', () => {
  test('it says of each what it is about, how much, since when and by whom', async () => {
    await submitOrder()
    const { page, reports } = await openQueue()
    const item = page.getByRole('list', { name: 'Waiting for a decision' }).getByRole('listitem')
    for (const text of ['1,204.50', 'Adria Metal', 'Order · In review', 'Administrator'])
      await item.getByText(text, { exact: true }).waitFor()
    await page.getByRole('complementary', { name: 'Documents' }).getByRole('img').waitFor()
    assert.deepEqual(reports, [])
  })

  test('records are approved by keys alone, two for each', async () => {
    const count = 6
    const ids: number[] = []
    for (let at = 0; at < count; at++) ids.push(await submitOrder())
    const { page, reports } = await openQueue()
    for (let at = 1; at <= count; at++) {
      await recordOf(page, `Q-${number - count + at}`).waitFor()
      await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
      await page.keyboard.press('a')
      const dialog = page.getByRole('dialog', { name: 'Approve: ' })
      await dialog.getByLabel('Approver').getByText('(you)').waitFor()
      await dialog.locator('[type=submit]:focus').waitFor()
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
    }
    await page.getByText(`Q-${number} → Approved`).waitFor()
    await page.getByText('Nothing is waiting for your decision.').waitFor()
    const steps = await Promise.all(ids.map((id) => stepOf('order', id)))
    assert.deepEqual(new Set(steps), new Set(['approved']))
    assert.deepEqual(reports, [])
  })

  test('a rejection asks for its reason first, and Ctrl+Enter sends it', async () => {
    const id = await submit('request', { title: 'A new desk' })
    const { page } = await openQueue()
    await recordOf(page, 'A new desk').waitFor()
    await page.getByRole('button', { name: 'Reject', exact: true }).waitFor()
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog', { name: 'Reject: A new desk' })
    await dialog.getByRole('textbox', { name: 'Reason' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Too dear')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Nothing is waiting for your decision.').waitFor()
    const { reason } = (await service.ask('GET', `/request/${id}`)).json()
    assert.equal(reason, 'Too dear')
  })

  test('J and K move, Enter opens, and the one after a decided one comes next', async () => {
    for (const title of ['First', 'Second', 'Third', 'Fourth']) await submit('request', { title })
    const { page } = await openQueue()
    await recordOf(page, 'First').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await recordOf(page, 'Third').waitFor()
    await page.keyboard.press('k')
    await recordOf(page, 'Second').waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await page.keyboard.press('a')
    await page.locator('[type=submit]:focus').waitFor()
    await page.keyboard.press('Enter')
    await recordOf(page, 'Third').waitFor()
    const said = page.getByRole('status').filter({ hasText: 'Second → Approved' })
    await said.getByRole('link', { name: 'Second' }).waitFor()
    await page.locator('.work-item:focus', { hasText: 'Third' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/console\/request\/\d+$/)
    await page.getByRole('heading', { name: 'Third' }).waitFor()
  })

  test('what somebody else decides leaves the queue by itself', async () => {
    const id = await submit('request', { title: 'Contested' })
    const { page } = await openQueue()
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await act('request', id, 'approve')
    await page.getByText('Nothing is waiting for your decision.').waitFor()
  })

  test('what somebody else decides stays as long as a form for it is open, with what was typed', async () => {
    const id = await submit('request', { title: 'Contested' })
    const { page } = await openQueue()
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Reject' })
    await form.getByLabel('Reason').fill('Too dear')
    const counted = page.waitForResponse((response) =>
      response.url().endsWith('/api/approvals/count'),
    )
    await act('request', id, 'approve')
    await counted
    await form.getByRole('button', { name: 'Reject' }).click()
    await form.getByRole('alert').first().waitFor()
    assert.equal(await form.getByLabel('Reason').inputValue(), 'Too dear')
    await page.keyboard.press('Escape')
    await page.getByText('Nothing is waiting for your decision.').waitFor()
  })
})

describe('several at once', () => {
  test('they are approved together, by keys alone; before that it says why not those that changed', async () => {
    const ids: number[] = []
    for (const title of ['One', 'Two', 'Three']) ids.push(await submit('request', { title }))
    const { page } = await openQueue()
    await recordOf(page, 'One').waitFor()
    for (const key of ['x', 'j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Approve 3' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Approve: 3 records' })
    await dialog.getByText('One, Two, Three').waitFor()
    await dialog.locator('[type=submit]:focus').waitFor()
    await service.ask('PATCH', `/request/${ids[1]}`, { body: { reason: 'Changed' } })
    await page.keyboard.press('Enter')
    await dialog.getByText('Possible for 2 records.').waitFor()
    await dialog.getByText('One, Three').waitFor()
    const refused = dialog.getByRole('listitem').filter({ hasText: 'Two' })
    await refused.getByText('was changed by somebody else meanwhile').waitFor()
    assert.equal(await stepOf('request', ids[0] ?? 0), 'review')
    assert.deepEqual(await findViolations(page), [])
    const confirm = dialog.getByRole('button', { name: 'Approve: 2 records' })
    await confirm.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByText('Done: 2 records.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('1 selected').waitFor()
    const steps = await Promise.all(ids.map((id) => stepOf('request', id)))
    assert.deepEqual(steps, ['approved', 'review', 'approved'])
  })

  test('what only some of them can is offered for those; the others stay selected', async () => {
    const body = (title: string) => ({ title })
    for (const title of ['Lease', 'Loan']) await submit('contract', body(title))
    await act('contract', await submit('contract', body('Licence')), 'approve')
    const { page, reports } = await openQueue({ as: service.config.ADMIN_EMAIL })
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    for (const name of ['Approve (2 of 3)', 'Reject 3', 'Sign (1 of 3)'])
      await page.getByRole('button', { name, exact: true }).waitFor()
    await page.getByRole('button', { name: 'Approve (2 of 3)' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Approve: 2 records' })
    await dialog.locator('[type=submit]:focus').waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('1 selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select Licence', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Sign 1' }).waitFor()
    assert.deepEqual(reports, [])
  })

  test('records of different entities are not decided together', async () => {
    await submit('request', { title: 'Desk' })
    await submitOrder()
    const { page } = await openQueue()
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await page.getByText('Select records of one kind to decide on all of them at once.').waitFor()
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await page.getByText('2 selected').waitFor({ state: 'detached' })
  })
})

describe('axe finds nothing', () => {
  const select = async (page: Page) => {
    await page.getByRole('checkbox').check()
    await page.getByText('Adria Metal').first().waitFor()
  }
  const states: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'selected approvals': select,
    'the form of a decision': async (page) => {
      await select(page)
      await page.locator('.decide-bar').getByRole('button', { name: 'Reject' }).click()
      await page.getByRole('dialog').waitFor()
    },
  }
  for (const [name, arrange] of Object.entries(states))
    test(`${name}, light and dark, 320, 768 and 1440 pixels`, async () => {
      await submitOrder()
      const { page } = await openQueue({ viewport: { width: 320, height: 800 } })
      const options = { isLoadedAgain: true }
      assert.deepEqual(await findViolationsEverywhere(page, () => arrange(page), options), [])
    })
})
