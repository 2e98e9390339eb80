/** Every button of every page of the console, as an administrator. */
import { test } from 'node:test'
import { crawlAs, startRoles } from '../../support/console/a-roles-service.ts'

test('no answer is 403 or 405, and the browser reports no error', async () => {
  await crawlAs(await startRoles(), 'administrator')
})
