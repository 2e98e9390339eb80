/** What is typed into a form or a cell, and not sent, survives a reload in a real browser. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { isKept } from './kept-drafts.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
let id = 0
let number = 0

before(async () => {
  service = await startTestService(await writeProject(orderProject))
  browser = await startBrowser()
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
})

beforeEach(async () => {
  number += 1
  const body = { number: `K-${number}`, customer_id: 1, notes: 'Ring twice' }
  id = (await service.ask('POST', '/order', { body })).json().id
})

const open = async (path: string) => openPage(browser, service, path)
const read = async () => (await service.ask('GET', `/order/${id}`)).json()

const restored = 'Restored: what you typed before was not saved.'

test('the form of an action has what was typed, until it is sent or discarded', async () => {
  const { page, reports } = await open(`/console/order/${id}`)
  const form = page.getByRole('dialog', { name: 'Submit' })
  const openForm = () => page.getByRole('button', { name: 'Submit' }).press('Enter')
  await openForm()
  await form.getByLabel('Comment').fill('Agreed')
  await isKept(page)
  await page.keyboard.press('Escape')
  await openForm()
  await form.getByRole('button', { name: 'Discard' }).press('Enter')
  assert.equal(await form.getByLabel('Comment').inputValue(), '')
  await isKept(page, 0)
  await form.getByLabel('Comment').fill('Agreed by phone')
  await isKept(page)
  await page.reload()
  await openForm()
  await form.getByText(restored).waitFor()
  assert.equal(await form.getByLabel('Comment').inputValue(), 'Agreed by phone')
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('Control+Enter')
  await form.waitFor({ state: 'detached' })
  await isKept(page, 0)
  assert.equal((await read())._step, 'review')
  const { data } = (await service.ask('GET', `/order/${id}/history`)).json()
  assert.equal(data[0].comment, 'Agreed by phone')
  assert.deepEqual(reports, [])
})

test('the form of a task has what was typed, and is created once', async () => {
  const { page, reports } = await open(`/console/order/${id}#tasks`)
  const form = page.getByRole('dialog', { name: 'Create a task' })
  const openForm = () => page.getByRole('button', { name: 'Create a task' }).click()
  await openForm()
  await form.getByLabel('What to do').fill('Call Boreas')
  await form.getByLabel('Due').fill('2026-12-01T09:30')
  await isKept(page)
  await page.reload()
  await openForm()
  await form.getByText(restored).waitFor()
  assert.equal(await form.getByLabel('Due').inputValue(), '1 Dec 2026, 09:30')
  await page.route('**/task', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    await route.abort()
  })
  await form.getByRole('button', { name: 'Create a task' }).click()
  await form.getByRole('alert').waitFor()
  await page.unroute('**/task')
  await page.reload()
  await openForm()
  await form.getByText(restored).waitFor()
  await form.getByRole('button', { name: 'Create a task' }).click()
  await page.getByRole('checkbox', { name: 'Call Boreas' }).waitFor()
  await isKept(page, 0)
  assert.equal((await service.ask('GET', `/order/${id}/task`)).json().length, 1)
  assert.equal(reports.length, 1, 'only the request that was broken is reported')
})

test('a change of many records has its field and value', async () => {
  const where = encodeURIComponent(JSON.stringify({ id }))
  const { page, reports } = await open(`/console/order?w=${where}`)
  const form = page.getByRole('dialog', { name: 'Change a field' })
  const openForm = async () => {
    await page.getByRole('checkbox', { name: `Select K-${number}`, exact: true }).check()
    await page.getByRole('button', { name: 'Change a field …' }).click()
  }
  await openForm()
  await form.getByLabel('Field').selectOption('Notes')
  await form.getByLabel('Notes').fill('Leave at the gate')
  await isKept(page)
  await page.reload()
  await openForm()
  await form.getByText(restored).waitFor()
  assert.equal(await form.getByLabel('Notes').inputValue(), 'Leave at the gate')
  await form.getByRole('button', { name: 'Check' }).click()
  await form.getByRole('button', { name: 'Change 1 record' }).click()
  await form.getByText('Done: 1 record.').waitFor()
  await isKept(page, 0)
  assert.equal((await read()).notes, 'Leave at the gate')
  assert.deepEqual(reports, [])
})

test('a cell shows what was typed into it, by keys alone, and it is saved or given up', async () => {
  const search = new URLSearchParams({ w: JSON.stringify({ id }), c: '["number","notes"]' })
  const { page, reports } = await open(`/console/order?${search}`)
  const grid = page.getByRole('grid')
  const input = page.getByLabel(`Notes of K-${number}`)
  /** Types into the cell, and leaves the page as a crash would. */
  const typeAndReload = async (text: string) => {
    await page.getByRole('gridcell', { name: 'Ring twice' }).waitFor()
    await grid.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('F2')
    await input.fill(text)
    await isKept(page)
    await page.reload()
    await page.getByRole('gridcell', { name: 'Ring twice' }).waitFor()
    await grid.focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Restored: what you typed before was not saved.').waitFor()
    await page.getByRole('definition').getByText(text, { exact: true }).waitFor()
  }
  await typeAndReload('Ring')
  await page.getByRole('button', { name: 'Discard' }).press('Enter')
  await isKept(page, 0)
  assert.equal((await read()).notes, 'Ring twice')
  await page.reload()
  await typeAndReload('Ring three times')
  await page.keyboard.press('F2')
  assert.equal(await input.inputValue(), 'Ring three times')
  await input.press('Enter')
  await until('the cell is saved', async () => (await read()).notes === 'Ring three times')
  await isKept(page, 0)
  assert.deepEqual(reports, [])
})
