/** `docket check` warns of roles that take an action and may change what its condition reads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examineProject } from '../../../src/cli/open-project.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { writeProject } from '../../support/service.ts'

const fields = [
  { key: 'estimate', type: 'integer' },
  { key: 'tax', type: 'integer' },
  { key: 'gross', type: 'integer', formula: 'estimate + tax' },
  { key: 'spent', type: 'integer', rollup: { sum: 'lines.cost' } },
  { key: 'orderer', type: 'manyToOne', entity: 'user' },
  { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
  { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
]

const orderWith = (condition: object) => ({
  ...{ key: 'order', fields, ownership: true },
  workflow: {
    initialStep: 'draft',
    steps: [
      {
        key: 'draft',
        actions: [{ key: 'ask', kind: 'proceedToStep', to: 'review', form: 'ask' }],
      },
      {
        key: 'review',
        actions: [
          { key: 'approve', kind: 'approveWorkflow', to: 'done', condition },
          { key: 'estimate', kind: 'proceedToStep', to: 'review', form: 'estimate' },
        ],
      },
      { key: 'done', final: true },
    ],
    forms: [
      { key: 'ask', fields: [], callerFields: ['orderer'] },
      { key: 'estimate', fields: ['estimate'] },
    ],
  },
})

const warningsOf = async (condition: object, permissions: object): Promise<string[]> => {
  const directory = await writeProject({
    'entities/order.json': orderWith(condition),
    'entities/supplier.json': { key: 'supplier', fields: [{ key: 'limit', type: 'integer' }] },
    'entities/line.json': {
      key: 'line',
      fields: [
        { key: 'cost', type: 'integer' },
        { key: 'order', type: 'manyToOne', entity: 'order' },
      ],
    },
    'roles/clerk.json': { key: 'clerk', permissions },
  })
  const { findings } = await examineProject(loadConfig({ PROJECT: directory }))
  return findings
    .map(printFinding)
    .filter((line) => !line.includes('hiddenFields'))
    .flatMap((line) => /reads \((.*?)\)/.exec(line)?.[1] ?? line)
}

const low = { estimate: { $lt: 5 } }
const approve = { read: true, actions: ['approve'] }
const change = { ...approve, update: true }
const draftOnly = { update: { _step: 'draft' } }

const rows: readonly (readonly [condition: object, permissions: object, changed?: string])[] = [
  [low, { order: approve }],
  [low, { order: change }, 'estimate'],
  [low, { order: { ...change, update: 'own' } }, 'estimate'],
  [low, { '*': { read: true }, order: change }, 'estimate'],
  [low, { order: { ...change, hiddenFields: ['estimate'] } }],
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
  [{ orderer: { $ne: { $caller: 'id' } } }, { order: change }],
  [{ _created_by: { $ne: { $caller: 'id' } } }, { order: change }],
  [{ gross: { $lt: 5 } }, { order: change }, 'estimate, tax'],
  [{ 'supplier.limit': 1 }, { order: approve, supplier: { update: true } }, 'supplier.limit'],
  [{ 'supplier.limit': 1 }, { order: change, supplier: { read: true } }, 'supplier_id'],
  [{ spent: { $lt: 5 } }, { order: approve, line: { update: true } }, 'line.cost, line.order_id'],
  [
    { spent: { $lt: 5 } },
    { order: approve, line: { update: true, conditions: { update: { 'order._step': 'draft' } } } },
  ],
  [
    { _owned_by: { $ne: { $caller: 'id' } } },
    { order: { ...approve, takeOwnership: true } },
    '_owned_by',
  ],
  [{ tax: { $lt: { $field: 'estimate' } } }, { order: change }, 'tax, estimate'],
]
for (const [condition, permissions, changed] of rows)
  test(`${JSON.stringify(condition)} for ${JSON.stringify(permissions)}`, async () => {
    assert.deepEqual(
      await warningsOf(condition, permissions),
      changed === undefined ? [] : [changed],
    )
  })
