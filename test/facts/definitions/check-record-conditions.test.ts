/** `docket check` reports conditions of permissions that name unknown fields, or could never be asked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityFile } from '../../support/definitions/files.ts'
import { findingsOf } from '../../support/project-findings.ts'

const aboveCost = { price: { $gt: { $field: 'cost' } } }
const entities = {
  ...entityFile('order', { validations: [{ key: 'gain', condition: aboveCost, message: 'No.' }] }, [
    { key: 'notes', type: 'text' },
    { key: 'name', type: 'string' },
    { key: 'price', type: 'integer' },
    { key: 'cost', type: 'integer' },
    { key: 'margin', type: 'integer', formula: 'price - cost' },
    { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    { key: 'seller', type: 'manyToOne', entity: 'user' },
  ]),
  ...entityFile('supplier', [
    { key: 'name', type: 'string' },
    { key: 'main', type: 'manyToOne', entity: 'order' },
    { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'supplier' },
  ]),
}
const ofSeller = { orders: { $some: { seller: { $caller: 'id' } } } }

const orders = (condition: object) => ({
  order: { update: true, conditions: { update: condition } },
})
const update = { update: true, conditions: { update: { id: 1 } } }
const notes = { notes: 'x' }
const following = (order: object, supplier?: object) => ({
  supplier: { read: true, ...(supplier && { conditions: { read: supplier } }) },
  order: { read: true, conditions: { read: order } },
})

const byFormula =
  'order.hiddenFields[0] is read by the formula of "margin" together with "price": a user who writes that learns the value from which results do not fit'
const byTries =
  '"cost", which the role hides, with "price", which it may write: who tries values of the one learns the other'

const rows: readonly (readonly [permissions: object, ...findings: string[]])[] = [
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
    {
      order: {
        update: true,
        hiddenFields: ['cost', 'margin', 'price'],
        conditions: { update: aboveCost },
      },
    },
  ],
  [
    {
      order: {
        update: 'own',
        hiddenFields: ['cost'],
        // A role writes no calculated field.
        conditions: { update: { $or: [aboveCost, { cost: { $lt: { $field: 'margin' } } }] } },
      },
    },
    byFormula,
    `order.conditions.update compares ${byTries}`,
    `order.hiddenFields a validation compares ${byTries}`,
  ],
  [
    { order: { create: true, hiddenFields: ['cost'], conditions: { create: aboveCost } } },
    byFormula,
    `order.conditions.create compares ${byTries}`,
    `order.hiddenFields a validation compares ${byTries}`,
  ],
  [{ order: { read: true, hiddenFields: ['cost'] } }],
  [
    { '*': update, user: { read: true } },
    '*.conditions.update needs the fields of an entity: give the entity its own entry',
  ],
  [{ task: update }, 'task.conditions.update has no effect: a task is written under its record'],
  [{ order: { read: true, conditions: { read: notes } } }],
  [{ order: { read: true, conditions: { read: { _updated_by: { $caller: 'id' } } } } }],
  [following({ supplier: { $readable: true } })],
  [
    following({ supplier: { $readable: false } }),
    'order.conditions.read $where.supplier.$readable: must be true: it lets through what follows a record that the user may read',
  ],
  [
    following({ $not: { supplier: { $readable: true } } }),
    'order.conditions.read $where.$not: must not contain "$readable": more rights would show less',
  ],
  [
    following({ notes: { $readable: true } }),
    'order.conditions.read $where.notes.$readable: asks a many-to-one field or path alone',
  ],
  [
    {
      order: { ...orders({ supplier: { $readable: true } }).order, read: true },
      supplier: { read: true },
    },
    'order.conditions.update $where.supplier.$readable: is not an operator',
  ],
  [
    { order: { read: true, conditions: { read: { supplier: { $readable: true } } } } },
    'order.conditions.read follows records of "supplier", which the role may not read, so that nothing is let through',
  ],
  [
    following({ supplier: { $readable: true } }, { main: { $readable: true } }),
    'supplier.conditions.read follows records in a circle: supplier → order → supplier',
    'order.conditions.read follows records in a circle: order → supplier → order',
  ],
  [
    following({ notes: { $in: { $caller: 'groups.user_group.name' } } }),
    'order.conditions.read compares "notes" of every record with the user; give the field an index',
  ],
  [
    following({ notes: { $in: { $caller: 'group.user_group' } } }),
    'order.conditions.read $where.notes.$in: "group.user_group" must lead over a one-to-many field of user to one of its fields, such as "groups.user_group"; did you mean "groups"?',
    'order.conditions.read compares "notes" of every record with the user; give the field an index',
  ],
  [
    { supplier: { read: true, conditions: { read: ofSeller } } },
    'supplier.conditions.read compares "seller" of all "orders" with the user; give "order" an index: {"fields":["seller","supplier","_is_deleted"]}',
  ],
  [{ supplier: { read: true, conditions: { read: { orders: { $some: { name: 'x' } } } } } }],
  [
    { order: { create: true, conditions: { read: notes } } },
    'order.conditions.read has no effect, because "read" is not granted',
  ],
  [
    { task: { read: true, conditions: { read: notes } } },
    'task.conditions.read has no effect: a task is read under its record',
  ],
]
for (const [permissions, ...findings] of rows)
  test(`${JSON.stringify(permissions)} ${findings[0] ?? 'is valid'}`, async () => {
    const role = { key: 'clerk', permissions }
    const found = await findingsOf({ ...entities, 'roles/clerk.json': role })
    assert.deepEqual(
      found.map((line) => line.replace(/^\S+ (warning: )?permissions\./, '')),
      findings,
    )
  })

test('a condition names steps that the workflow has', async () => {
  const end = { key: 'end', kind: 'proceedToStep', to: 'done' }
  const steps = [
    { key: 'draft', actions: [end] },
    { key: 'done', final: true },
  ]
  const workflow = { initialStep: 'draft', steps }
  const condition = {
    $or: [
      { _step: 'darft' },
      { 'parent._step': { $in: ['done', 'open'] } },
      { parts: { $some: { _step: { $ne: 'closed' } } } },
      { _step: { $in: ['draft', 'done'] } },
      { _step: { $like: 'd%' } },
    ],
  }
  const found = await findingsOf({
    ...entityFile('job', { workflow }, [
      { key: 'parent', type: 'manyToOne', entity: 'job' },
      { key: 'parts', type: 'oneToMany', entity: 'job', mappedBy: 'parent' },
    ]),
    'roles/clerk.json': {
      key: 'clerk',
      permissions: { job: { read: true, conditions: { read: condition } } },
    },
  })
  const message = 'must be one of the steps "draft", "done"'
  assert.deepEqual(
    found.map((line) => line.replace(/^.*\$where\./, '')),
    [
      `$or[0]._step: ${message}; did you mean "draft"?`,
      `$or[1].parent._step.$in: ${message}`,
      `$or[2].parts.$some._step.$ne: ${message}`,
    ],
  )
})

test('an index of the compared field and the link serves a condition on a list', async () => {
  const { 'entities/order.json': order, ...others } = entities
  const indexed = { ...order, indexes: [{ fields: ['seller', 'supplier'] }] }
  const permissions = { supplier: { read: true, conditions: { read: ofSeller } } }
  const found = await findingsOf({
    ...others,
    'entities/order.json': indexed,
    'roles/clerk.json': { key: 'clerk', permissions },
  })
  assert.deepEqual(found, [])
})

test('conditions of reading follow records through at most five links', async () => {
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const link = (entity: string) => ({ key: 'next', type: 'manyToOne', entity })
  const chain = keys.map((key, at) => entityFile(key, keys.slice(at + 1, at + 2).map(link)))
  const files = Object.assign({}, ...chain, entityFile('g', [{ key: 'name', type: 'string' }]))
  const found = async (count: number) => {
    const followed = keys.slice(0, count).map((key) => {
      const read = { next: { $readable: true } }
      return [key, { read: true, conditions: { read } }] as const
    })
    const permissions = { '*': { read: true }, ...Object.fromEntries(followed) }
    const findings = await findingsOf({
      ...files,
      'roles/clerk.json': { key: 'clerk', permissions },
    })
    return findings.map((line) => line.replace(/^\S+ /, ''))
  }
  assert.deepEqual(await found(5), [])
  assert.deepEqual(await found(6), [
    'permissions.a.conditions.read follows records through more than 5 links: a → b → c → d → e → f → g',
  ])
})
