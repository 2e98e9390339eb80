/** `docket check` reports conditions of permissions that name unknown fields, or could never be asked. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
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
  await rm(directory, { recursive: true, force: true })
  return findings.map(printFinding).map((line) => line.replace(/^roles\/clerk\.json:\d+:\d+ /, ''))
}

const orders = (condition: object) => ({
  order: { update: true, conditions: { update: condition } },
})

const rows: readonly [permissions: object, ...findings: string[]][] = [
  [orders({ 'supplier.name': { $ne: null }, name: 'a\tb', _created_by: { $caller: 'id' } })],
  [
    orders({ nots: 'x' }),
    'permissions.order.conditions.update $where.nots: "nots" is not a field of order; did you mean "notes"?',
  ],
  [
    orders({ notes: { $lt: { $caller: 'is_blocked' } } }),
    'permissions.order.conditions.update $where.notes.$lt: "is_blocked" of user has the type boolean, which cannot be compared with text',
  ],
  [
    { order: { read: true, conditions: { delete: { notes: 'x' } } } },
    'permissions.order.conditions.delete has no effect, because "delete" is not granted',
  ],
  [
    { '*': { update: true, conditions: { update: { id: 1 } } }, user: { read: true } },
    'permissions.*.conditions.update needs the fields of an entity: give the entity its own entry',
  ],
  [
    { task: { update: true, conditions: { update: { id: 1 } } } },
    'permissions.task.conditions.update has no effect: a task is written under its record',
  ],
  [
    { order: { read: true, conditions: { read: { notes: 'x' } } } },
    'permissions.order.conditions.read is not a known property',
  ],
]
for (const [permissions, ...findings] of rows)
  test(`${JSON.stringify(permissions)} ${findings[0] ?? 'is valid'}`, async () => {
    assert.deepEqual(await findingsOf(permissions), findings)
  })
