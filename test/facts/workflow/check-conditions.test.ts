/** `docket check` reports conditions of actions that cannot be compared, and roles that may change what the condition of their action reads. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { examineProject } from '../../../src/cli/open-project.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { type ProjectFiles, writeProject } from '../../support/service.ts'

/** A list is one of `notBy`. */
const demandsOf = (given: object) =>
  Array.isArray(given) ? { notBy: given } : { condition: given }

/** A workflow, with what one of its steps locks. */
const lockedIn = (
  step: string,
  locks: object | undefined,
  ...definition: Parameters<typeof workflowOf>
) => {
  const workflow = workflowOf(...definition)
  const steps = workflow.steps.map((one) => (one.key === step ? { ...one, locks } : one))
  return { ...workflow, steps }
}

const orderWith = (condition: object, locks?: object) => ({
  key: 'order',
  ownership: true,
  fields: [
    { key: 'notes', type: 'text' },
    { key: 'estimate', type: 'decimal', precision: 10, scale: 0 },
    { key: 'tax', type: 'integer' },
    { key: 'gross', type: 'decimal', precision: 12, scale: 0, formula: 'estimate + tax' },
    { key: 'spent', type: 'integer', rollup: { sum: 'lines.cost' } },
    { key: 'orderer', type: 'manyToOne', entity: 'user' },
    { key: 'signer', type: 'manyToOne', entity: 'user' },
    { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
  ],
  workflow: lockedIn(
    'review',
    locks,
    {
      draft: [{ key: 'ask', kind: 'proceedToStep', to: 'review', form: 'ask' }],
      review: [
        { key: 'approve', kind: 'approveWorkflow', to: 'done', ...demandsOf(condition) },
        { key: 'estimate', kind: 'proceedToStep', to: 'review', form: 'estimate' },
        { key: 'no_tax', kind: 'proceedToStep', to: 'review', set: { tax: 0 } },
      ],
      done: [],
    },
    {
      forms: [
        { key: 'ask', fields: [], callerFields: ['orderer'] },
        { key: 'estimate', fields: ['estimate'] },
      ],
    },
  ),
})

const findingsOf = async (
  condition: object,
  roles: ProjectFiles = {},
  locks?: object,
): Promise<string[]> => {
  const directory = await writeProject({
    'entities/order.json': orderWith(condition, locks),
    'entities/supplier.json': { key: 'supplier', fields: [{ key: 'limit', type: 'integer' }] },
    ...entityFile('line', [
      { key: 'cost', type: 'integer' },
      { key: 'order', type: 'manyToOne', entity: 'order' },
    ]),
    ...roles,
  })
  const { findings } = await examineProject(loadConfig({ PROJECT: directory }))
  return findings.map(printFinding)
}

describe('a condition', () => {
  const rows: readonly [condition: object, ...issues: string[]][] = [
    [{ estimate: { $lte: '5' }, orderer: { $caller: 'id' }, notes: { $ne: { $caller: 'email' } } }],
    [{ orderer: { $caller: 'security_role' }, notes: { $caller: 'security_role.key' } }],
    [{ estimate: { $gt: { $field: 'tax' } }, orderer: { $ne: { $field: '_created_by' } } }],
    [
      { estmate: '5' },
      '$where.estmate: "estmate" is not a field of order; did you mean "estimate"?',
    ],
    [
      { notes: { $caller: 'emial' }, estimate: { $lt: { $caller: 'email' } } },
      '$where.notes: "emial" is not a field of user; did you mean "email"?',
      '$where.estimate.$lt: "email" of user has the type email, which cannot be compared with decimal',
    ],
    [
      { estimate: { $gt: { $field: 'notes' } } },
      '$where.estimate.$gt: cannot be compared with "notes", a text; compare a number with a field of the same kind',
    ],
    [
      { notes: { $in: { $caller: 'email' } }, $not: { notes: { $caller: 'email' } } },
      '$where.notes.$in: does not take "$caller"; compare by "$eq", "$ne", "$gt", "$gte", "$lt" or "$lte"',
      '$where.$not: must not contain "$caller": it would hold where that value is empty',
    ],
  ]
  for (const [condition, ...issues] of rows)
    test(`${JSON.stringify(condition)} ${issues[0] ?? 'is valid'}`, async () => {
      const place = /^entities\/order\.json:\d+:\d+ workflow\.steps\[1\]\.actions\[0\]\.condition /
      const found = await findingsOf(condition)
      assert.deepEqual(
        found.map((line) => line.replace(place, '')),
        issues,
      )
    })
})

describe('a role that takes an action may change what its condition reads', () => {
  const low = { estimate: { $lt: 5 } }
  const approve = { read: true, actions: ['approve'] }
  const change = { ...approve, update: true }
  const draftOnly = { update: { _step: 'draft' } }

  const rows: readonly (readonly [
    condition: object,
    permissions: object,
    changed?: string | undefined,
    locks?: object,
  ])[] = [
    [low, { order: approve }],
    [low, { order: change }, 'estimate'],
    [low, { order: { ...change, update: 'own' } }, 'estimate'],
    [low, { '*': { read: true }, order: change }, 'estimate'],
    [low, { order: { ...change, hiddenFields: ['estimate'] } }],
    [low, { order: { ...change, readOnlyFields: ['estimate'] } }],
    [low, { order: { ...change, conditions: draftOnly } }],
    [low, { order: { ...change, conditions: { update: { _step: { $ne: 'review' } } } } }],
    [low, { order: { ...change, conditions: { update: { $not: { _step: 'review' } } } } }],
    [
      low,
      { order: { ...change, conditions: { update: { _step: { $in: ['review'] } } } } },
      'estimate',
    ],
    [low, { order: { ...change, conditions: { update: { tax: 1 } } } }, 'estimate'],
    [low, { order: { ...approve, actions: ['approve', 'estimate'] } }, 'estimate'],
    [
      low,
      { order: { ...approve, actions: ['approve', 'estimate'], readOnlyFields: ['estimate'] } },
      'estimate',
    ],
    [{ orderer: { $ne: { $caller: 'id' } } }, { order: change }],
    [{ _created_by: { $ne: { $caller: 'id' } } }, { order: change }],
    [{ gross: { $lt: 5 } }, { order: change }, 'estimate, tax'],
    [{ 'supplier.limit': 1 }, { order: approve, supplier: { update: true } }, 'supplier.limit'],
    [{ 'supplier.limit': 1 }, { order: change, supplier: { read: true } }, 'supplier_id'],
    [{ spent: { $lt: 5 } }, { order: approve, line: { update: true } }, 'line.cost, line.order_id'],
    [
      { spent: { $lt: 5 } },
      {
        order: approve,
        line: { update: true, conditions: { update: { 'order._step': 'draft' } } },
      },
    ],
    [
      { _owned_by: { $ne: { $caller: 'id' } } },
      { order: { ...approve, takeOwnership: true } },
      '_owned_by',
    ],
    [{ tax: { $lt: { $field: 'estimate' } } }, { order: change }, 'tax, estimate'],
    [['_created_by', 'ask'], { order: change }],
    [{ tax: 0 }, { order: { ...approve, actions: ['approve', 'no_tax'] } }, 'tax'],
    [['_owned_by'], { order: { ...approve, takeOwnership: true } }, '_owned_by'],
    [['signer'], { order: change }, 'signer_id'],
    [['signer'], { order: change }, undefined, { fields: ['signer'] }],
    [low, { order: change }, undefined, { fields: ['estimate'] }],
    [low, { order: change }, 'estimate', { fields: ['estimate'], except: ['clerk'] }],
    [
      low,
      { order: { ...change, actions: ['approve', 'estimate'] } },
      'estimate',
      { fields: 'all' },
    ],
    [
      { spent: { $lt: 5 } },
      { order: approve, line: { update: true } },
      undefined,
      { fields: ['lines'] },
    ],
    [
      { _owned_by: { $ne: { $caller: 'id' } } },
      { order: { ...approve, takeOwnership: true } },
      undefined,
      { fields: 'all' },
    ],
  ]
  for (const [condition, permissions, changed, locks] of rows)
    test(`${JSON.stringify(condition)} for ${JSON.stringify({ permissions, locks })}`, async () => {
      const clerk = { key: 'clerk', permissions }
      const warnings = (await findingsOf(condition, { 'roles/clerk.json': clerk }, locks))
        .filter((line) => !line.includes('hiddenFields'))
        .map((line) => /depends on \((.*?)\)/.exec(line)?.[1] ?? line)
      assert.deepEqual(warnings, changed === undefined ? [] : [changed])
    })
})
