/** The inbox in three tabs over one connection, while the process of the service is killed twenty times. */
import { test } from 'node:test'
import { killBelowInboxes } from '../../support/console/killed-inboxes.ts'

test('tabs have the numbers of the service, and nothing is missing or doubled', () =>
  killBelowInboxes(20, 4))
