/** The tasks of a record on its page, in a real browser. */
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
import { addPeople, approverEmail, sellerEmail, shopProject } from './a-shop-project.ts'

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
  const body = { number: `T-${number}`, customer_id: 1 }
  id = (await service.ask('POST', '/order', { body })).json().id
})

const openTasks = async (options: Parameters<typeof openPage>[3] = {}) => {
  const opened = await openPage(browser, service, `/console/order/${id}#tasks`, options)
  await opened.page.getByRole('tab', { name: 'Tasks', selected: true }).waitFor()
  return opened
}

const addTask = async (description: string, more: object = {}) => {
  const reply = await service.ask('POST', `/order/${id}/task`, { body: { description, ...more } })
  assert.equal(reply.status, 201, reply.text)
}

const tasks = async () => (await service.ask('GET', `/order/${id}/task`)).json()

const box = (page: Page, name: string) => page.getByRole('checkbox', { name })

describe('tasks of a record', () => {
  test('one is created for somebody else, by keys alone, in the zone of the project', async () => {
    const { page, reports } = await openTasks({ as: sellerEmail })
    await page.getByText('No tasks yet.').waitFor()
    await page.getByRole('button', { name: 'Create a task' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Create a task' })
    await dialog.getByRole('textbox', { name: 'What to do' }).focus()
    await page.keyboard.type('Compare the offers')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('boris')
    await dialog.getByRole('option', { name: 'Boris Šimić' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Due').fill('2036-02-01T09:00')
    await dialog.getByRole('button', { name: 'Create a task' }).press('Enter')
    await box(page, 'Compare the offers').waitFor()
    await page.getByText('Boris Šimić').waitFor()
    await page.getByRole('tab', { name: 'Tasks 1' }).waitFor()
    const [task] = await tasks()
    assert.deepEqual(
      [task.description, task.due_date, task.is_completed],
      ['Compare the offers', '2036-02-01T08:00:00.000Z', false],
    )
    assert.deepEqual(reports, [])
  })

  test('one is completed at once, and taken back by a key', async () => {
    await addTask('Call')
    const { page } = await openTasks()
    await box(page, 'Call').click()
    await page.getByText('Done: Call').waitFor()
    await page.getByText('Done 1').waitFor()
    assert.equal((await tasks())[0].is_completed, true)
    await page.keyboard.press('z')
    await page.getByText('Done 1').waitFor({ state: 'detached' })
    assert.equal((await tasks())[0].is_completed, false)
    await page
      .getByRole('complementary', { name: 'History' })
      .getByText('reopened a task')
      .waitFor()
  })

  test('one is changed and removed', async () => {
    await addTask('Call', { due_date: '2020-01-01T08:00:00Z' })
    const { page } = await openTasks()
    await page.getByText('Overdue: ').waitFor()
    await page.getByRole('button', { name: 'Menu of the task Call' }).click()
    await page.getByRole('menuitem', { name: 'Change the task' }).click()
    await page.getByRole('textbox', { name: 'What to do' }).fill('Write')
    await page.getByRole('button', { name: 'Save' }).click()
    await box(page, 'Write').waitFor()
    await page.getByRole('button', { name: 'Menu of the task Write' }).click()
    await page.getByRole('menuitem', { name: 'Remove the task' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the task' }).click()
    await page.getByText('No tasks yet.').waitFor()
    assert.deepEqual(await tasks(), [])
  })

  test('what others changed meanwhile stays, and of the same field one of both is chosen', async () => {
    await addTask('Call')
    const [{ id: taskId }] = await tasks()
    const { page } = await openTasks()
    await page.getByRole('button', { name: 'Menu of the task Call' }).click()
    await page.getByRole('menuitem', { name: 'Change the task' }).click()
    await page.getByRole('textbox', { name: 'What to do' }).fill('Write')
    const theirs = { description: 'Visit', due_date: '2036-02-01T08:00:00Z' }
    await service.ask('PUT', `/order/${id}/${taskId}`, { body: theirs })
    const dialog = page.getByRole('dialog', { name: 'Change the task' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').getByText('Saved by somebody else: Visit').waitFor()
    assert.equal(await page.getByRole('textbox', { name: 'What to do' }).inputValue(), 'Write')
    assert.deepEqual(await findViolations(page), [])
    await dialog.getByRole('button', { name: 'Keep mine' }).press('Enter')
    await dialog.getByRole('button', { name: 'Save' }).press('Enter')
    await box(page, 'Write').waitFor()
    const [task] = await tasks()
    assert.deepEqual([task.description, task.due_date], ['Write', '2036-02-01T08:00:00.000Z'])
    // What was typed and not sent does not win over what others save before the form is opened again.
    await page.getByRole('button', { name: 'Menu of the task Write' }).click()
    await page.getByRole('menuitem', { name: 'Change the task' }).click()
    await page.getByRole('textbox', { name: 'What to do' }).fill('Send a letter')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await service.ask('PUT', `/order/${id}/${taskId}`, { body: { description: 'Invite' } })
    await page.reload()
    await page.getByRole('button', { name: 'Menu of the task Invite' }).click()
    await page.getByRole('menuitem', { name: 'Change the task' }).click()
    await dialog.getByRole('alert').getByText('Saved by somebody else: Invite').waitFor()
    await dialog.getByRole('button', { name: 'Take theirs' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await tasks())[0].description, 'Invite')
  })

  test('what the service refuses is said, and nothing typed is lost', async () => {
    const { page } = await openTasks()
    await page.getByRole('button', { name: 'Create a task' }).click()
    const text = page.getByRole('textbox', { name: 'What to do' })
    await text.fill('Call')
    const json = { title: 'The record is invalid.', detail: 'Too many tasks.', status: 422 }
    await page.route(`**/order/${id}/task`, (route) => route.fulfill({ status: 422, json }))
    await page.getByRole('dialog').getByRole('button', { name: 'Create a task' }).click()
    await page.getByRole('dialog').getByRole('alert').getByText('Too many tasks.').waitFor()
    assert.equal(await text.inputValue(), 'Call')
  })

  test('who may not see the tasks of a record is neither shown nor refused them', async () => {
    const path = `/console/order/${id}`
    const { page } = await openPage(browser, service, path, { as: approverEmail })
    const refused: string[] = []
    page.on('response', (one) => void (one.status() === 403 && refused.push(one.url())))
    await page.reload()
    await page.getByRole('heading', { name: `T-${number}` }).waitFor()
    assert.equal(await page.getByRole('tab', { name: 'Tasks' }).count(), 0)
    assert.deepEqual(refused, [])
  })
})

describe('axe finds nothing', () => {
  const states: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'tasks of a record': async (page) => {
      await page.getByText('Done 1').click()
      await box(page, 'Call').waitFor()
    },
    'the form of a task': async (page) => {
      await page.getByText('Done 1').click()
      await page.getByRole('button', { name: 'Create a task' }).click()
      await page.getByRole('dialog').waitFor()
    },
  }
  for (const [name, arrange] of Object.entries(states))
    test(`${name}, light and dark, 320, 768 and 1440 pixels`, async () => {
      await addTask('Call', { due_date: '2020-01-01T08:00:00Z', assigne_id: 1 })
      const { page } = await openTasks({ viewport: { width: 320, height: 800 } })
      await box(page, 'Call').click()
      const options = { isLoadedAgain: true }
      assert.deepEqual(await findViolationsEverywhere(page, () => arrange(page), options), [])
    })
})
