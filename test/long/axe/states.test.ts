/** Cells, tasks and the administration by axe, at three widths in both themes. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startAdminService } from '../../journeys/admin/an-admin-service.ts'
import { opened } from '../../support/afterwards.ts'
import { openPage } from '../../support/browser.ts'
import { catchMail } from '../../support/console/catch-mail.ts'
import { queueFor } from '../../support/deliveries/a-mailing.ts'
import { addJob, note } from '../../support/test-jobs.ts'
import { findViolationsInThemes, height, widths } from './look-everywhere.ts'

const service = opened(() => startAdminService())
before(async () => {
  const { pool } = service.database
  await queueFor(service, [2])
  await catchMail(service, 'ana@example.com', '<h1>O-1 waits</h1>')
  await pool.query(
    `UPDATE docket.delivery SET status = 'dead', tries = 8, last_error = '550 no such user'`,
  )
  await pool.query('DELETE FROM docket.job')
  const id = await addJob(pool, note, { name: 'one' })
  await pool.query(
    `UPDATE docket.job SET status = 'dead', tries = max_tries, last_error = 'no luck' WHERE id = $1`,
    [id],
  )
  const body = { description: 'Call', due_date: '2020-01-01T08:00:00Z', assigne_id: 1 }
  await service.ask('POST', '/order/1/task', { body })
  await service.ask('POST', '/order/1/task', { body: { description: 'Write', is_completed: true } })
})

type State = {
  readonly path: string
  readonly arrange: (page: Page) => Promise<unknown>
  /** Whether the state does not outlast another layout. */
  readonly isLoadedAgain?: boolean
}

/** The state is that this text is shown. */
const shows = (path: string, text: string): State => ({
  path,
  arrange: (page) => page.getByText(text).first().waitFor(),
})

const admin = '/console/-/admin'
const submitted = `${admin}/explain?entity=order&record=1&operation=proceedToStep&action=submit`
const jobs = `${admin}/deliveries?kind=jobs`
const cells = `/console/order?c=${encodeURIComponent('["number","total"]')}`

const editTotal = async (page: Page) => {
  await page.getByRole('gridcell').nth(2).dblclick()
  const input = page.getByLabel('Total of O-1')
  await input.waitFor()
  return input
}

const selectJob = async (page: Page) => {
  await page.getByText('no luck').last().waitFor()
  await page.getByRole('checkbox').first().check()
}

const states: Readonly<Record<string, State>> = {
  'an open cell': { path: cells, arrange: editTotal, isLoadedAgain: true },
  'a cell that another user has changed too': {
    path: cells,
    arrange: async (page) => {
      const input = await editTotal(page)
      const { total } = (await service.ask('GET', '/order/1')).json()
      await service.ask('PATCH', '/order/1', {
        body: { total: total === '3.00' ? '5.00' : '3.00' },
      })
      await input.fill('4')
      await input.press('Enter')
      await page.getByRole('button', { name: 'Save mine' }).waitFor()
    },
    isLoadedAgain: true,
  },
  'tasks of a record': {
    path: '/console/order/1#tasks',
    arrange: (page) => page.getByRole('checkbox', { name: 'Call' }).waitFor(),
  },
  'the form of a task': {
    path: '/console/order/1#tasks',
    arrange: async (page) => {
      await page.getByRole('button', { name: 'Create a task' }).click()
      await page.getByRole('dialog').waitFor()
    },
    isLoadedAgain: true,
  },
  'all definitions': shows(`${admin}/definitions`, 'A person who may call the service'),
  'fields of a definition': shows(`${admin}/definitions/order`, 'Decimal (14, 2)'),
  'the workflow of a definition': shows(
    `${admin}/definitions/order?part=workflow`,
    '(form approve)',
  ),
  'rights on records': {
    path: `${admin}/definitions/order?part=rights`,
    arrange: (page) => page.getByRole('link', { name: 'Clerk' }).waitFor(),
  },
  'hooks and files of a definition': shows(
    `${admin}/definitions/order?part=files`,
    '_sendNotificationHandler',
  ),
  'a role': shows(`${admin}/roles/clerk`, 'What it may do'),
  deliveries: shows(`${admin}/deliveries?status=dead`, '550 no such user'),
  'a delivery': {
    path: `${admin}/deliveries/1`,
    arrange: (page) => page.getByText('Not stored as sent').waitFor(),
  },
  'caught e-mails': {
    path: `${admin}/mail`,
    arrange: (page) => page.getByRole('link', { name: 'O-1 waits' }).waitFor(),
  },
  'the headers of a caught e-mail': {
    path: `${admin}/mail/2026-05-04T08-30-00.000Z_ana@example.com_0123456789abcdef.eml`,
    arrange: (page) => page.getByRole('radio', { name: 'Headers' }).check({ force: true }),
  },
  'whom an action notifies': shows(submitted, 'Not notified: the user is blocked'),
  'whether it notifies one person': shows(`${submitted}&user=3`, 'Boris Test is not notified'),
  'a selected job': { path: jobs, arrange: selectJob, isLoadedAgain: true },
  'the removal of a job': {
    path: jobs,
    arrange: async (page) => {
      await selectJob(page)
      await page.getByRole('button', { name: 'Remove …' }).click()
      await page.getByRole('dialog').waitFor()
    },
    isLoadedAgain: true,
  },
}

describe('axe finds nothing', () => {
  for (const [name, { path, arrange, isLoadedAgain = false }] of Object.entries(states))
    test(`${name}, light and dark, 320, 768 and 1440 pixels`, async () => {
      const { page } = await openPage(service, path)
      for (const [at, width] of widths.entries()) {
        await page.setViewportSize({ width, height })
        if (isLoadedAgain && at > 0) await page.reload()
        await arrange(page)
        assert.deepEqual(await findViolationsInThemes(page), [], `${width}`)
      }
    })
})
