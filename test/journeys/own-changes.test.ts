/** What a user has changed, on a page of its own with the way back, in a real browser. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolationsEverywhere, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { addPeople, approverEmail, sellerEmail, shopProject } from './a-shop-project.ts'
import { isKept } from './kept-drafts.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
let id = 0

const send = async (
  method: 'POST' | 'PATCH' | 'DELETE' | 'PUT',
  path: string,
  body: object = {},
  as = sellerEmail,
) => {
  const reply = await service.ask(method, path, { body, as })
  assert.equal(reply.status < 300, true, reply.text)
  return reply
}

before(async () => {
  service = await startTestService(await writeProject(shopProject))
  browser = await startBrowser()
  await addPeople(service)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  const body = { number: 'M-1', customer_id: 1, total: '12.50', notes: 'First' }
  id = (await send('POST', '/order', body)).json().id
})

const read = async () => (await service.ask('GET', `/order/${id}`)).json()

const openChanges = async (options: Parameters<typeof openPage>[3] = {}) => {
  const opened = await openPage(browser, service, '/console/-/changes', {
    as: sellerEmail,
    ...options,
  })
  const refused: string[] = []
  opened.page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  await opened.page.getByRole('listitem').filter({ hasText: 'M-1' }).first().waitFor()
  return { ...opened, refused }
}

/** The entry of a change, by what it says. */
const entry = (page: Page, text: string) =>
  page.getByRole('listitem').filter({ hasText: text }).first()

describe('my changes', () => {
  test('are found by keys, and taken back by them, also after a reload', async () => {
    await send('PATCH', `/order/${id}`, { total: '20.00' })
    await send('PATCH', `/order/${id}`, { notes: 'Second' })
    const { page, reports, refused } = await openChanges()
    await page.goto(`${service.url}/console/order`)
    await page.getByRole('gridcell', { name: 'M-1', exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find anything' }).fill('My changes')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'My changes' }).waitFor()
    await entry(page, 'Notes: First Second').getByRole('button', { name: 'Undo' }).waitFor()
    await page.reload()
    await entry(page, 'Notes: First Second').getByRole('button', { name: 'Undo' }).waitFor()
    await page.keyboard.press('z')
    await page.getByText('Taken back: M-1').waitFor()
    await entry(page, 'Notes: Second First').getByRole('button', { name: 'Undo' }).waitFor()
    await entry(page, 'Notes: First Second').getByText('Changed again since.').waitFor()
    assert.deepEqual([(await read()).notes, (await read()).total], ['First', '20.00'])
    await entry(page, 'Total: 12.50 20.00').getByRole('button', { name: 'Undo' }).click()
    await entry(page, 'Total: 20.00 12.50').waitFor()
    assert.equal((await read()).total, '12.50')
    assert.deepEqual([reports, refused], [[], []])
  })

  test('what somebody else changed meanwhile is not overwritten', async () => {
    await send('PATCH', `/order/${id}`, { notes: 'Mine' })
    const { page } = await openChanges()
    const undo = entry(page, 'Notes: First Mine').getByRole('button', { name: 'Undo' })
    await undo.waitFor()
    await service.ask('PATCH', `/order/${id}`, { body: { total: '13.00' } })
    await undo.click()
    await page.getByRole('status').getByText('Changed again since.').waitFor()
    assert.equal((await read()).notes, 'Mine')
    await undo.click()
    await until('it is taken back', async () => (await read()).notes === 'First')
    assert.equal((await read()).total, '13.00')
  })

  test('a record that was removed is restored, and a task is opened again', async () => {
    const body = { description: 'Call Boreas' }
    const task = (await send('POST', `/order/${id}/task`, body)).json()
    await send('PUT', `/order/${id}/${task.id}`, { is_completed: true })
    await send('DELETE', `/order/${id}`)
    const { page } = await openChanges()
    await entry(page, 'removed the record').getByRole('button', { name: 'Undo' }).click()
    await entry(page, 'restored the record').waitFor()
    assert.equal((await read()).number, 'M-1')
    await page.reload()
    await entry(page, 'completed a task').getByRole('button', { name: 'Undo' }).click()
    await entry(page, 'reopened a task').waitFor()
    const [open] = (await service.ask('GET', `/order/${id}/task`)).json()
    assert.equal(open.is_completed, false)
  })

  test('an action is taken back by the one that leads back, and by none if there is none', async () => {
    await send('POST', `/order/${id}/proceedToStep`, { action: 'submit' })
    const seller = await openChanges()
    await entry(seller.page, 'Draft → In review').getByText('no action leads back').waitFor()
    const administrator = await openPage(browser, service, '/console/-/inbox')
    await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'reject' } })
    await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
    const { page } = administrator
    await page.getByRole('button', { name: 'Administrator' }).click()
    await page.getByRole('menuitem', { name: 'My changes' }).click()
    const back = entry(page, 'Draft → In review').getByRole('button', { name: 'Reject' })
    await back.press('Enter')
    await page.getByRole('dialog').getByLabel('Comment').fill('Too early')
    await page.keyboard.press('Control+Enter')
    await until('the action is taken', async () => (await read())._step === 'draft')
    assert.deepEqual(administrator.reports, [])
  })

  test('what was typed and not saved is listed, and discarded', async () => {
    const { page } = await openPage(browser, service, `/console/order/${id}`, { as: sellerEmail })
    await page.getByLabel('Notes').fill('Typing')
    await page.getByText('1 change is not saved').waitFor()
    await isKept(page)
    await page.goto(`${service.url}/console/-/changes`)
    const unsaved = page.getByRole('region', { name: 'Not saved' })
    await unsaved.getByRole('link', { name: 'M-1' }).waitFor()
    await unsaved.getByRole('button', { name: 'Discard what was typed: M-1' }).click()
    await unsaved.waitFor({ state: 'detached' })
  })

  test('whoever has changed nothing is told so', async () => {
    const { page, reports } = await openPage(browser, service, '/console/-/changes', {
      as: approverEmail,
    })
    await page.getByText('You have not changed anything yet.').waitFor()
    assert.deepEqual(reports, [])
  })

  test('axe finds nothing, light and dark, 320, 768 and 1440 pixels', async () => {
    const { page } = await openChanges({ viewport: { width: 1440, height: 800 } })
    const shown = entry(page, 'created the record')
    assert.deepEqual(await findViolationsEverywhere(page, () => shown.waitFor()), [])
  })
})
