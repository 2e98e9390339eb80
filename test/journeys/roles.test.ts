/** What a user who may only read meets when they press every button of a list. (All pages and roles: `long/crawl`.) */
import { test } from 'node:test'
import { opened } from '../support/afterwards.ts'
import { crawlAs, startRoles } from '../support/console/a-roles-service.ts'

const service = opened(() => startRoles())

test('every button of a list is one that an auditor may press, and shows nothing hidden', () =>
  crawlAs(service, 'auditor', ['/console/order']))
