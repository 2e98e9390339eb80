/** What somebody who may only read meets when they press every button of a list. (All pages and roles: `long/crawl`.) */
import { before, test } from 'node:test'
import { crawlAs, startRoles } from '../support/console/a-roles-service.ts'
import type { TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await startRoles()
})

test('every button of a list is one that an auditor may press, and shows nothing hidden', () =>
  crawlAs(service, 'auditor', ['/console/order']))
