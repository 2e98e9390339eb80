/** Orders of four roles, and what each of them meets when they press everything: nothing that the service refuses. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { openPage } from '../browser.ts'
import { namedRole } from '../definitions/files.ts'
import { startTestService, type TestService } from '../service.ts'
import { crawl } from './a-crawl.ts'
import { orderProject } from './an-order-project.ts'
import { createUser } from './create-user.ts'

const secret = '918273.64'
const readOnly = { order: { read: true, hiddenFields: ['total'] }, customer: { read: true } }

const project = {
  ...orderProject,
  ...namedRole('Buyer', {
    order: { create: true, read: true, update: 'own', delete: 'own', actions: ['submit'] },
    customer: { create: true, read: true },
    task: { create: true, read: true, update: 'own' },
  }),
  ...namedRole('Approver', {
    order: { read: true, update: true, actions: ['approve', 'reject'], takeOwnership: true },
    customer: { read: true },
    user: { read: true },
  }),
  'roles/auditor.json': { key: 'auditor', name: 'Auditor', permissions: readOnly },
}
export type Role = (typeof roles)[number] | 'administrator'

const roles = ['buyer', 'approver', 'auditor'] as const

/** Starts a service with three orders in review, each with a task. */
export const startRoles = async (): Promise<TestService> => {
  const service = await startTestService(project)
  for (const role of roles) await createUser(service, role)
  await service.ask('POST', '/customer', { body: { name: 'Adria Metal' } })
  for (const number of ['R-1', 'R-2', 'R-3']) {
    const body = { number, customer_id: 1, total: secret, approver_id: 1 }
    const { id } = (await service.ask('POST', '/order', { body })).json()
    const submitted = { body: { action: 'submit' } }
    assert.equal((await service.ask('POST', `/order/${id}/proceedToStep`, submitted)).status, 200)
    const task = { body: { description: 'Compare the offers', assigne_id: 1 } }
    assert.equal((await service.ask('POST', `/order/${id}/task`, task)).status, 201)
  }
  return service
}

/** Everything that the page shows and keeps. */
const contentOf = async (page: Page): Promise<string> => {
  const storage = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
  )
  return [page.url(), storage, await page.content()].join('\n').replaceAll(/[,\s]/g, '')
}

/**
 * Presses every button of pages as a role: no answer is 403 or 405, the browser reports no error, and an auditor finds no
 * value of a hidden field. Without paths it does so on all pages of the console.
 */
export const crawlAs = async (
  service: TestService,
  role: Role,
  paths?: readonly string[],
): Promise<void> => {
  const as = role === 'administrator' ? {} : { as: `${role}@example.com` }
  const { page, reports } = await openPage(service, '/console', as)
  const refused: string[] = []
  page.on('response', (response) => {
    if ([403, 405].includes(response.status()))
      refused.push(`${response.request().method()} ${response.url()}`)
  })
  const pages = await crawl({
    page,
    origin: service.url,
    paths,
    // Lists and records of the service's own entities have the buttons of any other.
    isOnlySeen: (path) => path.startsWith('/console/') && !/^.console.(-|order)/.test(path),
    onPage: async () => {
      const isSeen = role === 'auditor' && (await contentOf(page)).includes(secret)
      assert.equal(isSeen, false, `${page.url()} has a value of a hidden field.`)
    },
  })
  assert.ok(pages.length >= (paths?.length ?? 5), `Only ${pages.join(', ')} were found.`)
  assert.deepEqual(refused, [])
  const failedRequest = /^Failed to load resource/
  assert.deepEqual(
    reports.filter((text) => !failedRequest.test(text)),
    [],
  )
}
