/** What a role meets on pages that it uses every day, when it presses every button. (All pages and roles: `long/crawl`.) */
import { before, describe, test } from 'node:test'
import { crawlAs, startRoles } from '../support/console/a-roles-service.ts'
import type { TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await startRoles()
})

describe('every button is one that the role may press, and shows nothing hidden', () => {
  for (const [role, path] of [
    ['auditor', '/console/order'],
    ['buyer', '/console/order/2'],
  ] as const)
    test(`${role}: ${path}`, () => crawlAs(service, role, [path]))
})
