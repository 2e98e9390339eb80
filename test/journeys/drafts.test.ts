/** What was typed and not saved survives: a reload, a crash of the page, an ended session, and leaving. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { opened } from '../support/afterwards.ts'
import { findViolations, openPage, signIn } from '../support/browser.ts'
import { orderProject } from '../support/console/an-order-project.ts'
import { startTestService } from '../support/service.ts'
import { until } from '../support/wait.ts'

const service = opened(() => startTestService(orderProject))
before(async () => {
  for (const name of ['Adria Metal', 'Boreas', 'Coral'])
    await service.ask('POST', '/customer', { body: { name, city: 'Zadar' } })
})

const read = async (path: string) => (await service.ask('GET', path)).json()
const cityOf = async (id: number) => (await read(`/customer/${id}`)).city

const createOrder = async (number: string): Promise<number> => {
  const body = { number, customer_id: 1, notes: 'Ring twice' }
  return (await service.ask('POST', '/order', { body })).json().id
}

const restored = 'Restored: what you typed before was not saved.'
const leaving = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
}

/** How many drafts a browser has kept. */
const keptIn = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    const open = indexedDB.open('docket')
    open.onsuccess = () => {
      const { result } = open
      if (!result.objectStoreNames.contains('drafts')) return resolve(0)
      const count = result.transaction('drafts').objectStore('drafts').count()
      count.onsuccess = () => { result.close(); resolve(count.result) }
    }
  })`)

/** Waits until the browser has kept so many drafts. */
const isKept = (page: Page, count = 1) =>
  until(`the browser has kept ${count}`, async () => (await keptIn(page)) === count)

/** Types into a field, and waits until the browser has kept it. */
const type = async (page: Page, label: string, text: string) => {
  await page.getByLabel(label).fill(text)
  await isKept(page)
}

/** Sends requests to an address, and loses their answers. */
const loseAnswers = (page: Page, address: string) =>
  page.route(address, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await route.fetch()
    await route.abort()
  })

describe('changes of a record', () => {
  test('are there again after a reload and a crash, with what others saved, and are saved', async () => {
    const { page, reports } = await openPage(service, '/console/customer/1')
    await type(page, 'City', 'Rijeka')
    await page.reload()
    await page.getByText(restored).waitFor()
    assert.equal(await page.getByLabel('City').inputValue(), 'Rijeka')
    await save(page)
    assert.equal(await cityOf(1), 'Rijeka')
    await isKept(page, 0)
    await type(page, 'City', 'Split')
    const context = page.context()
    await page.close()
    await service.ask('PATCH', '/customer/1', { body: { city: 'Pula' } })
    const again = await context.newPage()
    await again.goto(`${service.url}/console/customer/1`)
    await again.getByText('Saved by another user: Pula').waitFor()
    await again.getByRole('button', { name: 'Keep mine' }).click()
    await save(again)
    assert.equal(await cityOf(1), 'Split')
    assert.deepEqual(reports, [])
  })

  test('leaving asks: stay, keep, or discard; what is kept outlasts a session, and is for nobody else', async () => {
    const { page, reports } = await openPage(service, '/console/customer/2')
    const leave = () => page.getByRole('link', { name: 'Order', exact: true }).click()
    const isLeft = () => page.getByText('There are no records yet.').waitFor()
    await page.getByLabel('City').fill('Rijeka')
    await leave()
    await leaving(page).waitFor()
    assert.deepEqual(await findViolations(page), [])
    await page.keyboard.press('Escape')
    await leaving(page).waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('City').inputValue(), 'Rijeka')
    await leave()
    await leaving(page).getByRole('button', { name: 'Keep and leave' }).click()
    await isLeft()
    await page.goBack()
    await page.getByText(restored).waitFor()
    await leave()
    await leaving(page).getByRole('button', { name: 'Discard' }).click()
    await isLeft()
    await isKept(page, 0)
    await page.goBack()
    await page.getByLabel('City').waitFor()
    assert.equal(await page.getByLabel('City').inputValue(), 'Zadar')
    assert.deepEqual(reports, [])
    await type(page, 'City', 'Rijeka')
    await service.database.pool.query('DELETE FROM docket.session')
    await page.context().clearCookies()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
    await signIn(page.context(), service)
    await page.reload()
    await page.getByText(restored).waitFor()
    await page.getByRole('button', { name: 'Administrator' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Shop' }).waitFor()
    await isKept(page, 0)
    assert.equal(await cityOf(2), 'Zadar')
  })

  test('that are typed while a save is on its way are kept, and saved by the next one', async () => {
    const { page } = await openPage(service, '/console/customer/3')
    const held = Promise.withResolvers<void>()
    await page.route('**/customer/3', async (route) => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    await page.getByLabel('City').fill('Rijeka')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Name').fill('Coral Nova')
    await page.getByLabel('City').fill('Zadar')
    held.resolve()
    await page.getByText('2 changes are not saved').waitFor()
    assert.equal(await cityOf(3), 'Rijeka')
    await save(page)
    const { name, city } = await read('/customer/3')
    assert.deepEqual([name, city], ['Coral Nova', 'Zadar'])
  })
})

test('a new record is there again after a reload, discarded or created once, though the answer was lost', async () => {
  const path = '/console/customer/new'
  const { page, reports } = await openPage(service, path)
  await type(page, 'Name', 'Hrast')
  await page.reload()
  await page.getByRole('button', { name: 'Discard' }).click()
  assert.equal(await page.getByLabel('Name').inputValue(), '')
  await page.getByLabel('Name').fill('Igalo')
  await page.getByRole('link', { name: 'Cancel' }).click()
  await leaving(page).getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('gridcell', { name: 'Adria Metal', exact: true }).waitFor()
  await isKept(page, 0)
  await page.getByRole('link', { name: 'Create' }).click()
  await type(page, 'Name', 'Galeb')
  assert.deepEqual(reports, [])
  await loseAnswers(page, '**/customer')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('alert').waitFor()
  await page.unroute('**/customer')
  await page.reload()
  await page.getByText(restored).waitFor()
  assert.equal(await page.getByLabel('Name').inputValue(), 'Galeb')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'Galeb' }).waitFor()
  await isKept(page, 0)
  const body = { $where: { name: 'Galeb' } }
  const { data } = (await service.ask('POST', '/customer/search', { body })).json()
  assert.equal(data.length, 1)
})

test('the forms of an action and of a task have what was typed, until it is sent once or discarded', async () => {
  const id = await createOrder('K-1')
  const { page, reports } = await openPage(service, `/console/order/${id}`)
  const action = page.getByRole('dialog', { name: 'Submit' })
  const comment = action.getByLabel('Comment')
  const openAction = () => page.getByRole('button', { name: 'Submit' }).press('Enter')
  await openAction()
  await comment.fill('Agreed')
  await isKept(page)
  await page.keyboard.press('Escape')
  await openAction()
  await action.getByRole('button', { name: 'Discard' }).press('Enter')
  assert.equal(await comment.inputValue(), '')
  await isKept(page, 0)
  await comment.fill('Agreed by phone')
  await isKept(page)
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: 'Tasks' }).click()
  const task = page.getByRole('dialog', { name: 'Create a task' })
  const openTask = () => page.getByRole('button', { name: 'Create a task' }).click()
  await openTask()
  await task.getByLabel('What to do').fill('Call Boreas')
  await task.getByLabel('Due').fill('2026-12-01T09:30')
  await isKept(page, 2)
  assert.deepEqual(reports, [])
  await page.reload()
  await openTask()
  await task.getByText(restored).waitFor()
  assert.equal(await task.getByLabel('Due').inputValue(), '1 Dec 2026, 09:30')
  await loseAnswers(page, '**/task')
  await task.getByRole('button', { name: 'Create a task' }).click()
  await task.getByRole('alert').waitFor()
  await page.unroute('**/task')
  await page.reload()
  await openTask()
  await task.getByText(restored).waitFor()
  await task.getByRole('button', { name: 'Create a task' }).click()
  await page.getByRole('checkbox', { name: 'Call Boreas' }).waitFor()
  assert.equal((await read(`/order/${id}/task`)).length, 1)
  await isKept(page, 1)
  await openAction()
  await action.getByText(restored).waitFor()
  assert.equal(await comment.inputValue(), 'Agreed by phone')
  assert.deepEqual(await findViolations(page), [])
  await page.keyboard.press('Control+Enter')
  await action.waitFor({ state: 'detached' })
  await isKept(page, 0)
  assert.equal((await read(`/order/${id}`))._step, 'review')
  assert.equal((await read(`/order/${id}/history`)).data[0].comment, 'Agreed by phone')
  assert.equal(reports.length, 1, 'only the request that was broken is reported')
})

test('a change of many records has its field and value, and a cell what was typed into it by keys alone', async () => {
  const id = await createOrder('K-2')
  const search = new URLSearchParams({ w: JSON.stringify({ id }), c: '["number","notes"]' })
  const { page, reports } = await openPage(service, `/console/order?${search}`)
  const notes = async () => (await read(`/order/${id}`)).notes
  const form = page.getByRole('dialog', { name: 'Change a field' })
  const openForm = async () => {
    await page.getByRole('checkbox', { name: 'Select K-2', exact: true }).check()
    await page.getByRole('button', { name: 'Change a field …' }).click()
  }
  await openForm()
  await form.getByLabel('Field').selectOption('Notes')
  await form.getByLabel('Notes').fill('At the gate')
  await isKept(page)
  await page.reload()
  await openForm()
  await form.getByText(restored).waitFor()
  assert.equal(await form.getByLabel('Notes').inputValue(), 'At the gate')
  assert.deepEqual(await findViolations(page), [])
  await form.getByRole('button', { name: 'Check' }).click()
  await form.getByRole('button', { name: 'Change 1 record' }).click()
  await form.getByText('Done: 1 record.').waitFor()
  await isKept(page, 0)
  assert.equal(await notes(), 'At the gate')
  const input = page.getByLabel('Notes of K-2')
  const cell = page.getByRole('gridcell', { name: 'At the gate' })
  /** Types into the cell, and leaves the page as a crash would. */
  const typeAndReload = async (text: string) => {
    await page.keyboard.press('F2')
    await input.fill(text)
    await isKept(page)
    await page.reload()
    await cell.waitFor()
    await page.getByRole('grid').focus()
    await page.keyboard.press('ArrowRight')
    await page.getByText(restored).waitFor()
    await page.getByRole('definition').getByText(text, { exact: true }).waitFor()
  }
  await page.keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await cell.click()
  await typeAndReload('Ring')
  await page.getByRole('button', { name: 'Discard' }).press('Enter')
  await isKept(page, 0)
  assert.equal(await notes(), 'At the gate')
  await page.getByRole('grid').focus()
  await typeAndReload('Ring three times')
  await page.keyboard.press('F2')
  assert.equal(await input.inputValue(), 'Ring three times')
  await input.press('Enter')
  await until('the cell is saved', async () => (await notes()) === 'Ring three times')
  await isKept(page, 0)
  assert.deepEqual(reports, [])
})
