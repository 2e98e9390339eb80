/** `docket check` reports conditions of permissions that name unknown fields, or could never be asked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examineProject } from '../../../src/cli/open-project.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { writeProject } from '../../support/service.ts'

const findingsOf = async (permissions: object): Promise<string[]> => {
  const directory = await writeProject({
    'entities/order.json': {
      key: 'order',
      fields: [
        { key: 'notes', type: 'text' },
        { key: 'name', type: 'string' },
        { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
      ],
    },
    'entities/supplier.json': { key: 'supplier', fields: [{ key: 'name', type: 'string' }] },
    'roles/clerk.json': { key: 'clerk', permissions },
  })
  const { findings } = await examineProject(loadConfig({ PROJECT: directory }))
  return findings.map(printFinding).map((line) => line.replace(/^roles\/clerk\.json:\d+:\d+ /, ''))
}

const orders = (condition: object) => ({
  order: { update: true, conditions: { update: condition } },
})
const update = { update: true, conditions: { update: { id: 1 } } }
const notes = { notes: 'x' }

const rows: readonly (readonly [permissions: object, finding?: string])[] = [
  [orders({ 'supplier.name': { $ne: null }, name: 'a\tb', _created_by: { $caller: 'id' } })],
  [
    orders({ nots: 'x' }),
    'order.conditions.update $where.nots: "nots" is not a field of order; did you mean "notes"?',
  ],
  [
    orders({ notes: { $lt: { $caller: 'is_blocked' } } }),
    'order.conditions.update $where.notes.$lt: "is_blocked" of user has the type boolean, which cannot be compared with text',
  ],
  [
    { order: { read: true, conditions: { delete: notes } } },
    'order.conditions.delete has no effect, because "delete" is not granted',
  ],
  [
    { '*': update, user: { read: true } },
    '*.conditions.update needs the fields of an entity: give the entity its own entry',
  ],
  [{ task: update }, 'task.conditions.update has no effect: a task is written under its record'],
  [
    { order: { read: true, conditions: { read: notes } } },
    'order.conditions.read is not a known property',
  ],
]
for (const [permissions, finding] of rows)
  test(`${JSON.stringify(permissions)} ${finding ?? 'is valid'}`, async () => {
    const expected = finding === undefined ? [] : [`permissions.${finding}`]
    assert.deepEqual(await findingsOf(permissions), expected)
  })
