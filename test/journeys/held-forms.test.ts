/** Forms over a record that somebody else removes meanwhile, in a real browser: nothing that was typed is lost. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolations, openPage, startBrowser } from '../support/browser.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { addPeople, shopProject } from './a-shop-project.ts'

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
  const body = { number: `H-${number}`, customer_id: 1 }
  id = (await service.ask('POST', '/order', { body })).json().id
})

/** The page of the record, which hears of what others change. */
const openRecord = async (part = '') => {
  const opened = await openPage(browser, service, '/console/-/inbox', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const { page } = opened
  const watched = page.waitForResponse((response) =>
    decodeURIComponent(response.url()).includes(`watch=order/${id}`),
  )
  await page.goto(`${service.url}/console/order/${id}${part}`)
  await page.getByRole('heading', { name: `H-${number}` }).waitFor()
  await watched
  return opened
}

const remove = async () => {
  const removed = await service.ask('DELETE', `/order/${id}`)
  assert.equal(removed.status, 204, removed.text)
}

const copied = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()')

const removedNote = (page: Page) => page.getByText('This record was removed.')

describe('a record that somebody else removes', () => {
  test('the form of an action stays, says so, and what was typed can be copied', async () => {
    const { page } = await openRecord()
    await page.getByRole('button', { name: 'Submit' }).click()
    const form = page.getByRole('dialog', { name: 'Submit' })
    await form.getByLabel('Comment').fill('Agreed by phone')
    await remove()
    await form.getByText('This record was just removed').waitFor()
    assert.equal(await form.getByRole('button', { name: 'Submit' }).isDisabled(), true)
    assert.deepEqual(await findViolations(page), [])
    await form.getByRole('button', { name: 'Copy what I typed' }).press('Enter')
    await form.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await copied(page), 'Comment: Agreed by phone')
    await page.keyboard.press('Escape')
    await removedNote(page).waitFor()
  })

  test('the form of a task stays, too', async () => {
    const { page } = await openRecord('#tasks')
    await page.getByRole('button', { name: 'Create a task' }).click()
    const form = page.getByRole('dialog', { name: 'Create a task' })
    await form.getByLabel('What to do').fill('Call Boreas')
    await remove()
    await form.getByText('This record was just removed').waitFor()
    assert.equal(await form.getByLabel('What to do').inputValue(), 'Call Boreas')
    await form.getByRole('button', { name: 'Copy what I typed' }).click()
    await form.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await copied(page), 'What to do: Call Boreas')
    await form.getByRole('button', { name: 'Cancel' }).click()
    await removedNote(page).waitFor()
  })

  test('changed fields stay until they are discarded, and are saved when it was restored', async () => {
    const { page } = await openRecord()
    await page.getByLabel('Notes').fill('Leave at the gate')
    await remove()
    await page.getByText('This record was just removed').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Save' }).isDisabled(), true)
    await page.getByRole('button', { name: 'Copy what I typed' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await copied(page), 'Notes: Leave at the gate')
    assert.equal((await service.ask('POST', `/order/${id}/restore`)).status, 200)
    await page.getByText('This record was just removed').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Save again to keep both.').waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    assert.equal((await service.ask('GET', `/order/${id}`)).json().notes, 'Leave at the gate')
    await page.getByLabel('Notes').fill('Not needed')
    await remove()
    await page.getByText('This record was just removed').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await removedNote(page).waitFor()
  })
})

test('a form that is cancelled gives the focus back to what opened it', async () => {
  const { page, reports } = await openRecord()
  const opener = page.getByRole('button', { name: 'Submit' })
  await opener.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await opener.and(page.locator(':focus')).waitFor()
  await page.getByRole('button', { name: 'More actions' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Remove …' }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.getByRole('button', { name: 'More actions' }).and(page.locator(':focus')).waitFor()
  assert.deepEqual(reports, [])
})
