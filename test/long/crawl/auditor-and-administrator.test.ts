/** Every button of every page of the console, as an auditor and as an administrator. */
import { test } from 'node:test'
import { crawlAs, startRoles } from '../../support/console/a-roles-service.ts'

for (const role of ['auditor', 'administrator'] as const)
  test(`no answer to the ${role} is 403 or 405, and the browser reports no error`, async () => {
    await crawlAs(await startRoles(), role)
  })
