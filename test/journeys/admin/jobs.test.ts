/** Jobs as administrators see them in a real browser. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findViolationsEverywhere, openPage, startBrowser } from '../../support/browser.ts'
import type { TestService } from '../../support/service.ts'
import { addJob, note } from '../../support/test-jobs.ts'
import { mailOf, startAdminService } from './an-admin-service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  service = await startAdminService()
  browser = await startBrowser()
})

const add = async (name: string, state: string): Promise<void> => {
  const { pool } = service.database
  const id = await addJob(pool, note, { name })
  await pool.query(`UPDATE graphile_worker._private_jobs SET ${state} WHERE id = $1`, [id])
}

const counts = async () => (await service.ask('GET', '/api/jobs/count')).json()

beforeEach(async () => {
  await service.database.pool.query('DELETE FROM graphile_worker._private_jobs')
  await add('one', `attempts = max_attempts, last_error = 'no luck'`)
  await add('two', `attempts = max_attempts, last_error = 'none at all'`)
  await add('three', `locked_at = now(), locked_by = 'someone'`)
})

const path = '/console/-/admin/jobs'

describe('jobs', () => {
  test('that failed are shown with their input, and run again together', async () => {
    const { page, reports } = await openPage(browser, service, '/console')
    await page.getByText('Administration').click()
    await page.getByRole('link', { name: 'Jobs' }).click()
    await page.getByRole('radio', { name: 'Given up 2' }).check({ force: true })
    await page.getByText('no luck').last().waitFor()
    await page.getByText('test.note').first().click()
    await page.getByText('"name": "two"').waitFor()
    await page.getByRole('button', { name: 'Try all 2 again now' }).click()
    await page.getByText('2 will be tried again.').waitFor()
    await page.getByText('There are no such jobs.').waitFor()
    assert.deepEqual([(await counts()).dead, (await counts()).waiting], [0, 2])
    assert.deepEqual(reports, [])
  })

  test('are selected by keys, and removed after a question', async () => {
    const { page } = await openPage(browser, service, path)
    await page.getByRole('checkbox').first().focus()
    assert.equal(await page.getByRole('checkbox').count(), 2, 'A running one cannot be selected.')
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Remove …' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Remove 2 jobs?' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await counts()).dead, 2)
    await page.getByRole('button', { name: 'Remove …' }).click()
    await dialog.getByRole('button', { name: 'Remove permanently' }).click()
    await page.getByText('no luck').last().waitFor({ state: 'detached' })
    assert.equal((await counts()).dead, 0)
  })

  test('that cannot be removed, because one runs now, are said so', async () => {
    const { page } = await openPage(browser, service, `${path}?status=dead`)
    await page.getByRole('checkbox').first().check()
    await service.database.pool.query(
      `UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'someone'`,
    )
    await page.getByRole('button', { name: 'Remove …' }).click()
    await page.getByRole('button', { name: 'Remove permanently' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
  })

  test('are no page for a lesser role', async () => {
    const { page } = await openPage(browser, service, path, { as: mailOf('Ana') })
    await page.getByText('There is no such page.').waitFor()
  })

  test('are none when all are done', async () => {
    await service.database.pool.query('DELETE FROM graphile_worker._private_jobs')
    const { page } = await openPage(browser, service, path)
    await page.getByText('Nothing is waiting: every job is done.').waitFor()
  })
})

describe('axe finds nothing', () => {
  const select = async (page: Page) => {
    await page.getByText('no luck').last().waitFor()
    await page.getByRole('checkbox').first().check()
  }
  const states: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    'a selected job': select,
    'the removal of a job': async (page) => {
      await select(page)
      await page.getByRole('button', { name: 'Remove …' }).click()
      await page.getByRole('dialog').waitFor()
    },
  }
  for (const [name, arrange] of Object.entries(states))
    test(`${name}, light and dark, 320, 768 and 1440 pixels`, async () => {
      const { page } = await openPage(browser, service, path, {
        viewport: { width: 320, height: 800 },
      })
      const options = { isLoadedAgain: true }
      assert.deepEqual(await findViolationsEverywhere(page, () => arrange(page), options), [])
    })
})
