/** Which actions the names in a rule match: of a kind, a key, a form or two steps; and which can be taken. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  matchRules,
  type NotificationRule,
  type TakenAction,
} from '../../../src/definitions/notification-matching.ts'
import { engineFiles } from '../../support/notifications/an-engine-project.ts'
import { findingsOf as findingsOfProject } from '../../support/project-findings.ts'

const taken = (values: Partial<TakenAction> = {}): TakenAction => ({
  key: 'approve',
  kind: 'approveWorkflow',
  form: undefined,
  from: 'review',
  to: 'approved',
  ...values,
})
const table: readonly [action: string, taken: TakenAction, matches: boolean][] = [
  ['approveWorkflow', taken(), true],
  ['proceedToStep', taken(), false],
  ['rejectWorkflow', taken(), false],
  ['approve', taken(), true],
  ['approve', taken({ key: 'ok', form: 'approve' }), true],
  ['approve', taken({ key: 'ok' }), false],
  ['review-approved', taken(), true],
  ['approved-review', taken(), false],
  ['review', taken(), false],
  ['approved', taken(), false],
  ['undefined', taken(), false],
]
test('an action matches by its kind, its key, its form or both of its steps', () => {
  for (const [action, takenAction, matches] of table) {
    const rule = { operation: 'proceedToStep', action, recipient: {} } as const
    const definition = { key: 'x', fields: [], notifications: [rule] }
    const count = (operation: 'proceedToStep' | 'create', of: TakenAction | undefined) =>
      matchRules(definition, operation, of).length
    const message = `${action} ${JSON.stringify(takenAction)}`
    assert.deepEqual(
      [count('proceedToStep', takenAction), count('create', undefined)],
      [matches ? 1 : 0, 0],
      message,
    )
  }
})

test('docket check refuses an action that does not exist, or that leads back, as one that can be taken', async () => {
  const steps = [
    { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
    {
      key: 'review',
      actions: [
        { key: 'approve', kind: 'approveWorkflow', to: 'done' },
        { key: 'return', kind: 'returnToStep' },
      ],
    },
    { key: 'done', final: true },
  ]
  const findingsOf = async (canTake: string, workflow?: object) => {
    const recipient = { userGroups: ['x'], canTake }
    const rule: NotificationRule = { operation: 'create', recipient }
    const findings = await findingsOfProject(engineFiles([rule], { workflow }))
    return findings.flatMap((line) => line.split('notifications[0].recipient.canTake ').slice(1))
  }
  const workflow = { initialStep: 'draft', steps }
  for (const [canTake, of, ...findings] of [
    ['approve', workflow],
    [
      'aprove',
      workflow,
      '"aprove" is not the key of an action of request; did you mean "approve"?',
    ],
    [
      ...(['return', workflow] as const),
      '"return" leads back, which depends on each record; name another action of its step',
    ],
    ['approve', undefined, 'needs a workflow on request'],
  ] as const)
    assert.deepEqual(await findingsOf(canTake, of), findings)
})
