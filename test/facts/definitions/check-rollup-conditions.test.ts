/** Conditions of rollups are criteria on the record that counts, and `docket check` names what such a record does not decide. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examineProject } from '../../../src/cli/open-project.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import {
  calculationInputs,
  enteredInputs,
  inOrderOfCalculation,
} from '../../../src/definitions/calculations/calculation-order.ts'
import { namesInWhere } from '../../../src/definitions/calculations/rollups.ts'
import { type Finding, printFinding } from '../../../src/definitions/source-file.ts'
import { fieldsIn } from '../../../src/query/criteria/criteria.ts'
import { parseWhere } from '../../../src/query/criteria/parse-criteria.ts'
import { findingsOf } from '../../support/definitions/a-project.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { writeProject } from '../../support/service.ts'

const examine = async (wheres: readonly unknown[], more: readonly object[] = []) => {
  const files = {
    ...entityFile('order', [
      { key: 'open', type: 'boolean' },
      { key: 'line', type: 'manyToOne', entity: 'line' },
      { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'order' },
      ...wheres.map((where, at) => ({
        key: `r${at}`,
        type: 'integer',
        rollup: { sum: 'lines.size', where },
      })),
    ]),
    'entities/line.json': {
      key: 'line',
      ownership: true,
      fields: [
        { key: 'order', type: 'manyToOne', entity: 'order' },
        { key: 'size', type: 'integer' },
        { key: 'least', type: 'integer' },
        { key: 'status', type: 'enum', values: ['open', 'ready', 'cancelled'] },
        { key: 'note', type: 'text' },
        { key: 'day', type: 'date' },
        { key: 'more', type: 'json' },
        { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'line' },
        { key: 'twice', type: 'integer', formula: 'size * 2' },
        ...more,
      ],
      workflow: workflowOf({ draft: [], done: [] }),
    },
    ...entityFile('part', [{ key: 'line', type: 'manyToOne', entity: 'line' }]),
  }
  return examineProject(loadConfig({ PROJECT: await writeProject(files), DATABASE_URL: '' }))
}

/** With the place of each, without those that are about something else. */
const messagesOf = (findings: readonly Finding[]) =>
  findings.map(printFinding).flatMap((line) => line.match(/fields\[\d+\]\.rollup.*$/)?.[0] ?? [])

test('a condition compares fields of the record that counts, of any kind and by every operator', async () => {
  const { project, findings } = await examine([
    { status: { $ne: 'cancelled' } },
    { status: { $gt: 'open' }, size: { $gte: { $field: 'least' } } },
    { $or: [{ note: { $ilike: '%x%' } }, { $not: { day: { $lt: '2026-01-01' } } }] },
    { _step: ['draft', 'done'], _created_at: { $gte: '2026-01-01' }, _owned_by: { $null: false } },
    { order: { $gt: 3 }, more: { $contains: { $today: 1 } }, twice: 8, id: { $nin: [1] } },
    {},
  ])
  assert.deepEqual(messagesOf(findings), [])
  assert.ok(project)
})

test('what changes without a write of that record is refused, with its place and what to do', async () => {
  const refused: readonly [where: object, message: string | RegExp][] = [
    [
      { 'order.open': true },
      '$where: "order.open" leads to another record, but the result does not follow its changes: name fields of line itself',
    ],
    [{ size: { $lt: { $field: 'order.id' } } }, /"order\.id" leads to another record/],
    [
      { _owned_by: { $caller: 'id' } },
      '$where: names the caller, but the result is stored once for everybody: compare with a value or with another field of line',
    ],
    [
      { order: { $readable: true } },
      /^\$where\.order\.\$readable: asks for the caller, but the result is stored once/,
    ],
    [
      { $or: [{ parts: { $none: {} } }] },
      '$where.$or[0].parts.$none: asks the records of "parts", but the result does not follow their changes: keep what it asks in a rollup of line',
    ],
    [{ parts: { $some: { id: 1 } } }, /\$some: asks the records of "parts"/],
    [
      { day: { $lt: { $today: 0 } } },
      '$where.day.$lt: moves with the clock, but the result is stored: compare with a value or with another field of line',
    ],
    [{ _created_at: [{ $now: '-1 day' }, null] }, /^\$where\._created_at: moves with the clock/],
    [
      { _is_deleted: false },
      '$where: names "_is_deleted", but records that are removed never count: leave it out',
    ],
    [{ $search: 'x' }, '$where.$search: is not an operator'],
    [{ statu: 'open' }, '$where.statu: "statu" is not a field of line; did you mean "status"?'],
    [{ size: { $gt: 'much' } }, /^\$where\.size\.\$gt: must be/],
    [{ more: { $gt: 1 } }, /a field of type json does not take \$gt/],
  ]
  const { project, findings } = await examine(refused.map(([where]) => where))
  assert.equal(project, undefined)
  const found = messagesOf(findings)
  assert.equal(found.length, refused.length, found.join('\n'))
  for (const [at, [, expected]] of refused.entries()) {
    const start = `fields[${at + 3}].rollup.where `
    const line = found[at] ?? ''
    assert.ok(line.startsWith(start), line)
    const message = line.slice(start.length)
    if (typeof expected === 'string') assert.equal(message, expected)
    else assert.match(message, expected)
  }
  assert.match(findings.map(printFinding).join('\n'), /^entities\/order\.json:\d+:\d+ fields/m)
  const shapes = await examine(['open', [{ status: 'open' }]])
  assert.deepEqual(messagesOf(shapes.findings), [
    'fields[3].rollup.where must be an object, not a string',
    'fields[4].rollup.where must be an object, not an array',
  ])
})

test('what a condition names is read as the criteria read it, and belongs to the calculation', async () => {
  const where = {
    $and: [{ size: 1 }, { $not: { status: ['open', null] } }],
    $or: [{ twice: { $lt: { $field: 'least' }, $ne: 4 } }, { day: { $field: 'day' } }],
    more: { $contains: { note: 'x' } },
    _step: { $in: ['done'] },
  }
  const { condition } = parseWhere(where)
  assert.deepEqual(new Set(namesInWhere(where)), new Set(fieldsIn(condition)))
  const { project } = await examine([where])
  const order = project?.catalog.entities.get('order')
  const column = order?.columnsByName.get('r0')
  assert.ok(project && order && column)
  assert.deepEqual(
    calculationInputs(project.catalog, { entity: order, column }).map((one) => one.column.name),
    ['size', 'size', 'status', 'twice', 'least', 'day', 'more', '_step', 'order_id'],
  )
  const names = inOrderOfCalculation(project.catalog).map((one) => one.column.name)
  assert.deepEqual(names, ['twice', 'r0'])
})

test('a rollup that follows from itself by its condition is refused', async () => {
  const { findings } = await examine(
    [{ below: { $gt: 1 } }],
    [
      { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'line' },
      { key: 'below', type: 'integer', rollup: { count: 'orders', where: { r0: 1 } } },
    ],
  )
  assert.deepEqual(messagesOf(findings).toSorted().toReversed(), [
    'fields[3].rollup is calculated from itself: order.r0 from line.below from order.r0',
    'fields[10].rollup is calculated from itself: line.below from order.r0 from line.below',
  ])
})

test('a rollup of records of the same kind follows from none of the fields of its own record', async () => {
  const { project } = await examineProject(
    loadConfig({
      DATABASE_URL: '',
      PROJECT: await writeProject(
        entityFile('node', [
          { key: 'parent', type: 'manyToOne', entity: 'node' },
          { key: 'children', type: 'oneToMany', entity: 'node', mappedBy: 'parent' },
          { key: 'own', type: 'integer' },
          { key: 'is_open', type: 'boolean' },
          { key: 'rate', type: 'integer' },
          {
            key: 'below',
            type: 'bigint',
            rollup: { sum: 'children.own', where: { is_open: true } },
          },
          { key: 'rated', type: 'bigint', formula: 'below * rate' },
        ]),
      ),
    }),
  )
  const entity = project?.catalog.entities.get('node')
  const column = entity?.columnsByName.get('rated')
  assert.ok(project && entity && column)
  const inputs = enteredInputs(project.catalog, { entity, column })
  assert.deepEqual(
    inputs.map(({ name }) => name),
    ['rate'],
  )
})

test('a role that writes what the condition asks, and may not read the sum, is warned of', async () => {
  const money = { type: 'decimal', precision: 12, scale: 2 }
  const found = await findingsOf({
    ...entityFile('bill', [
      { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'bill' },
      { key: 'paid', ...money, rollup: { sum: 'parts.amount', where: { is_paid: true } } },
    ]),
    ...entityFile('part', [
      { key: 'bill', type: 'manyToOne', entity: 'bill' },
      { key: 'amount', ...money },
      { key: 'is_paid', type: 'boolean' },
    ]),
    ...roleFile('payer', { part: { read: true, update: true, readOnlyFields: ['amount'] } }),
    ...roleFile('teller', {
      part: { read: true, update: true, hiddenFields: ['amount', 'is_paid'] },
    }),
  })
  assert.deepEqual(
    found.map((line) => line.replace(/^(\S+?):\d+:\d+/, '$1')),
    [
      'roles/payer.json warning: permissions.part.update "is_paid" adds to "bill.paid", which the role may not read: a user who writes it learns the sum from which results do not fit',
    ],
  )
})
