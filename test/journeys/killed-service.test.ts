/** The inbox in three tabs while the process of the service is killed. (Many times: `long/kills/inboxes`.) */
import { test } from 'node:test'
import { killBelowInboxes } from '../support/console/killed-inboxes.ts'

test('tabs have the numbers of the service after two kills, and nothing is missing or doubled', () =>
  killBelowInboxes(2, 2))
