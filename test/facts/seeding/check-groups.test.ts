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

test('seeded members whose role may not read the entity are a warning, unless the rule says so', async () => {
  const rule = (more: object = {}) => ({
    operation: 'create',
    recipient: { userGroups: ['finance'], ...more },
  })
  const person = (name: string, role: string) => ({
    ...{ identity_provider_user_id: name, first_name: name, last_name: name, full_name: name },
    ...{ username: `${name}@example.com`, email: `${name}@example.com` },
    security_role: { key: role },
  })
  const user_group = { code: 'finance' }
  const directory = await writeProject({
    'entities/order.json': {
      key: 'order',
      fields: [{ key: 'number', type: 'string' }],
      hooks: [
        { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
      ],
      notifications: [rule(), rule({ skipRightsCheck: true })],
    },
    'roles/reader.json': { key: 'reader', permissions: { order: { read: 'own' } } },
    'roles/outsider.json': { key: 'outsider', permissions: {} },
    'seed/01-user_group.json': [{ code: 'finance', name: 'Finance' }],
    'seed/02-user.json': [
      ...['anna', 'bob'].map((name) => person(name, 'outsider')),
      person('cleo', 'reader'),
      person('dora', 'administrator'),
    ],
    'seed/03-user_group_member.json': [
      { user_group, user: { email: 'anna@example.com' } },
      { user_group, user: { identity_provider_user_id: 'bob' } },
      { user_group, user: { email: 'cleo@example.com' } },
      { user_group, user: { email: 'dora@example.com' } },
    ],
  })
  const { code, out } = await callDocket(['check', '--project', directory])
  await rm(directory, { recursive: true, force: true })
  assert.equal(code, 0)
  assert.deepEqual(
    out
      .split('\n')
      .filter((line) => line.includes('userGroups'))
      .map((line) => line.replace(/^\S+ /, '')),
    [
      'warning: notifications[0].recipient.userGroups[0] skips 2 seeded members of "finance": the role "outsider" may not read order; let it read, or set "skipRightsCheck"',
    ],
  )
})
