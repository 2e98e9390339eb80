/** Every button of every page of the console, as a buyer and as an approver. */
import { test } from 'node:test'
import { crawlAs, startRoles } from '../../support/console/a-roles-service.ts'

for (const role of ['buyer', 'approver'] as const)
  test(`no answer to the ${role} is 403 or 405, and the browser reports no error`, async () => {
    await crawlAs(await startRoles(), role)
  })
