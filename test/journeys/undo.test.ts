/** Taking a change of a record back, in a real browser. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import { findViolationsEverywhere, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { addPeople, approverEmail, shopProject } from './a-shop-project.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
let id = 0
let number = 0

before(async () => {
  service = await startTestService(await writeProject(shopProject))
  browser = await startBrowser()
  await addPeople(service)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
})

beforeEach(async () => {
  number += 1
  const body = { number: `U-${number}`, customer_id: 1, total: '12.50' }
  id = (await service.ask('POST', '/order', { body })).json().id
})

const change = (body: object) => service.ask('PATCH', `/order/${id}`, { body })
const read = async () => (await service.ask('GET', `/order/${id}`)).json()

const openRecord = async (options: Parameters<typeof openPage>[3] = {}) => {
  const opened = await openPage(browser, service, `/console/order/${id}`, options)
  const history = opened.page.getByRole('complementary', { name: 'History' })
  await history.getByText('created the record').waitFor()
  return { ...opened, history }
}

describe('undo', () => {
  test('a save is taken back by a key, also after a reload, and that again', async () => {
    const { page, history, reports } = await openRecord()
    await page.getByLabel('Total').fill('99.95')
    await page.getByRole('button', { name: 'Save' }).click()
    await history.getByText('Total: 12.50 99.95').waitFor()
    await page.reload()
    await history.getByRole('button', { name: 'Undo' }).waitFor()
    await page.keyboard.press('z')
    await history.getByText('Total: 99.95 12.50').waitFor()
    assert.equal((await read()).total, '12.50')
    await history.getByRole('button', { name: 'Undo' }).click()
    await history.getByText('Total: 12.50 99.95').nth(1).waitFor()
    assert.equal((await read()).total, '99.95')
    assert.deepEqual(reports, [])
  })

  test('what was changed again since, or by an action, is not offered', async () => {
    await change({ notes: 'First' })
    await change({ notes: 'Second' })
    await service.ask('POST', `/order/${id}/proceedToStep`, { body: { action: 'submit' } })
    const { page, history } = await openRecord()
    await history.getByRole('button', { name: 'Undo' }).waitFor()
    assert.equal(await history.getByRole('button', { name: 'Undo' }).count(), 1)
    await history.getByRole('button', { name: 'Undo' }).click()
    await history.getByText('Notes: Second First').waitFor()
    const { notes, _step } = await read()
    assert.deepEqual([notes, _step], ['First', 'review'])
    await page.getByLabel('Notes').fill('Typing')
    await history.getByRole('button', { name: 'Undo' }).first().waitFor({ state: 'detached' })
  })

  test('who may not change the record is not offered it', async () => {
    await change({ notes: 'First' })
    const { history } = await openRecord({ as: approverEmail })
    await history.getByText('Notes: – First').waitFor()
    assert.equal(await history.getByRole('button', { name: 'Undo' }).count(), 0)
  })

  test('axe finds nothing, light and dark', async () => {
    await change({ notes: 'First' })
    const { page, history } = await openRecord()
    const shown = history.getByRole('button', { name: 'Undo' })
    const widths = [1280]
    assert.deepEqual(await findViolationsEverywhere(page, () => shown.waitFor(), { widths }), [])
  })
})
