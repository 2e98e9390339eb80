/** `docket check` checks the user groups of notification rules. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { writeProject } from '../../support/service.ts'

test('a user group that no seed has is a warning with its place', async () => {
  const directory = await writeProject({
    'entities/order.json': {
      key: 'order',
      fields: [{ key: 'number', type: 'string' }],
      hooks: [
        { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
      ],
      notifications: [
        { operation: 'create', recipient: { userGroups: ['finance', 'finanse', 'other'] } },
      ],
    },
    'seed/01-user_group.json': [{ code: 'finance', name: 'Finance' }],
  })
  const { code, out } = await callDocket(['check', '--project', directory])
  await rm(directory, { recursive: true, force: true })
  const lines = out.trimEnd().split('\n')
  const at = (position: number) =>
    `entities/order.json warning: notifications[0].recipient.userGroups[${position}]`
  assert.equal(code, 0)
  assert.deepEqual(
    lines.slice(0, 2).map((line) => line.replace(/order\.json:\d+:\d+/, 'order.json')),
    [
      `${at(1)} no seed has the user group "finanse"; did you mean "finance"?`,
      `${at(2)} no seed has the user group "other"; until it is created, it has no recipients`,
    ],
  )
})
