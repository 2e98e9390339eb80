/** `docket check` reports conditions on records of one-to-many fields that no statement could decide, or that nothing would keep. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityFile, link, many, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { findingsOf } from '../../support/project-findings.ts'

type Conditions = {
  readonly rule?: object
  readonly validation?: object
  readonly action?: object
  readonly update?: object
  readonly reading?: object
  /** Whether who takes the action may change lines. */
  readonly writesLines?: boolean
}

const read = { read: true }

const found = async ({
  rule,
  validation,
  action,
  update,
  reading,
  writesLines = false,
}: Conditions) => {
  const proceed = { key: 'end', kind: 'proceedToStep', to: 'done', condition: action }
  const findings = await findingsOf({
    'entities/order.json': {
      key: 'order',
      ownership: true,
      hooks,
      fields: [
        { key: 'number', type: 'string' },
        link('order'),
        many('lines', 'line', 'order'),
        many('parts', 'order', 'order'),
        many('readers', 'user', 'order'),
        { key: 'count', type: 'integer', rollup: { count: 'lines' } },
        { key: 'twice', type: 'integer', formula: 'count * 2' },
      ],
      notifications: [
        { operation: 'takeOwnership', recipient: { userFields: ['_created_by'] }, condition: rule },
      ],
      ...(validation && { validations: [{ key: 'v', message: 'No.', condition: validation }] }),
      workflow: workflowOf({ draft: [proceed], done: [] }),
    },
    ...entityFile('line', [
      link('order'),
      link('article'),
      { key: 'amount', type: 'integer' },
      { key: 'cost', type: 'integer' },
      many('parcels', 'parcel', 'line'),
    ]),
    'entities/parcel.json': { key: 'parcel', fields: [link('line')] },
    'entities/article.json': { key: 'article', fields: [{ key: 'name', type: 'string' }] },
    'entities/user.json': { key: 'user', extends: 'native', fields: [link('order')] },
    ...roleFile('clerk', {
      order: {
        ...read,
        update: true,
        conditions: { ...(update && { update }), ...(reading && { read: reading }) },
      },
      line: { ...read, hiddenFields: ['cost'] },
      article: read,
      parcel: read,
      user: read,
    }),
    ...roleFile('taker', {
      order: { ...read, actions: ['end'] },
      line: { ...read, update: writesLines },
      article: read,
      parcel: read,
      user: read,
    }),
  })
  return findings.map((line) => line.replace(/^\S+ /, ''))
}

const some = (condition: object, list = 'lines') => ({ [list]: { $some: condition } })
const action = 'workflow.steps[0].actions[0].condition $where: '
const rows: readonly [what: string, conditions: Conditions, ...findings: readonly string[]][] = [
  [
    'nothing about what the records have themselves',
    {
      action: { parts: { $none: { number: 'x' } }, 'order.parts': { $some: {} } },
      update: {
        $or: [some({ amount: { $gt: 1 }, article: 5 }), some({ _created_by: { $caller: 'id' } })],
      },
      rule: some({ 'article.name': 'x', parcels: { $none: {} } }),
    },
  ],
  [
    'an action that follows a link of the records',
    { action: { $or: [some({ 'article.name': 'x' }, 'order.lines')] } },
    `${action}"order.lines.article.name" leads on from "order.lines": a condition of a write compares only fields of these records themselves, as others are not locked; keep what it asks in a field of line`,
  ],
  [
    'a permission that asks further records of the records',
    { update: { lines: { $none: { parcels: { $some: {} } } } } },
    'permissions.order.conditions.update $where: "lines.parcels.id" leads on from "lines": a condition of a write compares only fields of these records themselves, as others are not locked; keep what it asks in a field of line',
  ],
  [
    'an action that asks records of a native entity',
    { action: some({}, 'readers') },
    `${action}"readers" has records of user, which is native: a condition of a write asks only entities of the project`,
  ],
  [
    'a condition of reading that asks whether a link of the records is readable, and nothing else of it',
    { reading: { $or: [some({ 'article.name': 'x' }), some({ article: { $readable: true } })] } },
    'permissions.order.conditions.read $where.$or[1].lines.$some.article.$readable: must not be inside of "$some" or "$none"',
  ],
  [
    'a validation, which no change of the records would ask',
    { validation: { $not: some({ amount: 1 }) } },
    'validations[0].condition "lines" follows from other records, and a change of these does not ask the validations of this one',
  ],
  [
    'a validation of a value that follows from them',
    { validation: { twice: { $lte: 4 } } },
    'validations[0].condition "twice" follows from other records, and a change of these does not ask the validations of this one',
  ],
  [
    'an unknown field of the records',
    { rule: some({ amuont: 1 }) },
    'notifications[0].condition $where.lines.$some.amuont: "amuont" is not a field of line; did you mean "amount"?',
  ],
  [
    'a field that has no records',
    { update: some({}, 'number') },
    'permissions.order.conditions.update $where.number.$some: "number" is not a one-to-many field of order',
  ],
  [
    'a rule that reveals a hidden field of the records',
    { rule: some({ cost: 1, amount: 1 }) },
    'warning: notifications[0].condition "lines.cost" decides whether users with the role "clerk" are notified, who may not read it: a notification reveals that the condition holds',
  ],
]
for (const [what, conditions, ...findings] of rows)
  test(`it reports ${what}`, async () => {
    assert.deepEqual(await found(conditions), findings)
  })

test('it warns of a role that takes an action and writes the records that its condition asks', async () => {
  const [warning = '', ...more] = await found({ action: some({ amount: 1 }), writesLines: true })
  assert.deepEqual(more, [])
  assert.match(
    warning,
    /^warning: .* may change there what it depends on \(line.order_id, line.amount\)/,
  )
})
