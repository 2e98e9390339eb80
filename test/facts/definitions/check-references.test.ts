/** Names in an entity definition that refer to fields, entities, paths and actions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder, findingsOf } from '../../support/definitions/a-project.ts'

const others = {
  'entities/supplier.json': {
    key: 'supplier',
    fields: [
      { key: 'name', type: 'string' },
      { key: 'country', type: 'manyToOne', entity: 'country' },
      { key: 'manager', type: 'manyToOne', entity: 'user' },
      { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'supplier' },
    ],
  },
  'entities/country.json': { key: 'country', fields: [{ key: 'name', type: 'string' }] },
}
const fields = [
  { key: 'number', type: 'string' },
  { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
  { key: 'approver', type: 'manyToOne', entity: 'user' },
  { key: 'follow_ups', type: 'oneToMany', entity: 'order', mappedBy: 'follows' },
  { key: 'follows', type: 'manyToOne', entity: 'order' },
  { key: 'extra', type: 'json' },
]
const errors = (order: object) => errorsOfOrder({ fields, ...order }, others)

const mapped = (mappedBy: string, entity = 'order') => ({ type: 'oneToMany', entity, mappedBy })
const noLink = 'is not a many-to-one field of order that links to order'
const links: readonly [field: object, issue: string][] = [
  [
    { type: 'manyToOne', entity: 'suplier' },
    'entity there is no entity "suplier"; did you mean "supplier"?',
  ],
  [mapped('order', 'nothing'), 'entity there is no entity "nothing"'],
  [mapped('folows'), `mappedBy "folows" ${noLink}; did you mean "follows"?`],
  [mapped('supplier'), `mappedBy "supplier" ${noLink}`],
  [mapped('number'), `mappedBy "number" ${noLink}`],
  [mapped('_created_by'), 'mappedBy must match ^[a-z][a-z0-9_]*$'],
]
for (const [field, issue] of links)
  test(`the field ${JSON.stringify(field)} has the issue: ${issue}`, async () => {
    const found = await errors({ fields: [...fields, { key: 'last', ...field }] })
    assert.deepEqual(found, [`fields[6].${issue}`])
  })

const noPath = 'is not an association, so the path cannot continue through it'
const hasMany = 'is a one-to-many field: it has many records, not one value'
const validColumns =
  `id _updated_at number supplier supplier_id supplier.name supplier.country.name supplier.country
  _created_by.email follows.follows.follows.supplier.name`.split(/\s+/)
const columns: readonly (readonly [field: string, issue?: string])[] = [
  ...validColumns.map((field) => [field] as const),
  ['nummber', '"nummber" is not a field of order; did you mean "number"?'],
  ['_owned_by', '"_owned_by" is not a field of order'],
  ['supplier.nmae', '"nmae" is not a field of supplier; did you mean "name"?'],
  ['suplier.name', '"suplier" is not an association of order; did you mean "supplier"?'],
  ['number.x', `"number" of order ${noPath}`],
  ['supplier_id.name', `"supplier_id" of order ${noPath}`],
  ['follow_ups', `"follow_ups" of order ${hasMany}`],
  ['supplier.orders.number', `"orders" of supplier ${hasMany}`],
  ['supplier.', '"" is not a field of supplier'],
  ['.number', '"" is not an association of order'],
  ['constructor', '"constructor" is not a field of order'],
]
for (const [field, issue] of columns)
  test(`the export column ${JSON.stringify(field)} ${issue ? `has the issue: ${issue}` : 'is valid'}`, async () => {
    const found = await errors({ exportSettings: { columnDefs: [{ field: 'id' }, { field }] } })
    const path = 'exportSettings.columnDefs[1].field'
    assert.deepEqual(found, issue === undefined ? [] : [`${path} ${issue}`])
  })

const names: readonly [order: object, errors: string[]][] = [
  [{ displayField: 'supplier' }, []],
  [
    { displayField: 'nmber' },
    ['displayField "nmber" is not a field of order; did you mean "number"?'],
  ],
  [
    { displayField: 'follow_ups' },
    ['displayField "follow_ups" is not a field of order; did you mean "follows"?'],
  ],
  [{ indexes: [{ fields: ['supplier', '_created_at'] }, { fields: ['supplier_id'] }] }, []],
  [
    { indexes: [{ fields: ['number', 'supplir'] }] },
    ['indexes[0].fields[1] "supplir" is not a field of order; did you mean "supplier"?'],
  ],
  [
    { indexes: [{ fields: ['extra'] }] },
    ['indexes[0].fields[0] "extra" has a type that cannot be sorted'],
  ],
]
for (const [order, expected] of names)
  test(`an entity with ${JSON.stringify(order)} ${expected[0] ?? 'is valid'}`, async () => {
    assert.deepEqual(await errors(order), expected)
  })

const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]
const toApprover = { recipient: { userFields: ['approver'] } }

test('notifications without the hook are a warning, and the project loads', async () => {
  const order = { key: 'order', fields, notifications: [{ operation: 'create', ...toApprover }] }
  const handler = (functionName: string) => [{ ...hooks[0], functionName }]
  const warning =
    /^entities\/order\.json:1:\d+ warning: notifications have no effect without the hook/
  for (const incomplete of [{}, { hooks: [] }, { hooks: handler('other') }]) {
    const found = await findingsOf({
      ...others,
      'entities/order.json': { ...order, ...incomplete },
    })
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', warning)
  }
  assert.deepEqual(await errors({ ...order, hooks }), [])
})

const validPaths = [
  'approver',
  'approver_id',
  '_created_by',
  'supplier.manager',
  'supplier._updated_by',
]
const userFields: readonly (readonly [path: string, issue?: string])[] = [
  ...validPaths.map((path) => [path] as const),
  ...['supplier', 'number', 'approver.email'].map(
    (path) => [path, `"${path}" does not end at a user`] as const,
  ),
  ['_owned_by', '"_owned_by" is not a field of order'],
  ['aprover', '"aprover" is not a field of order; did you mean "approver"?'],
  ['follow_ups', `"follow_ups" of order ${hasMany}`],
]
for (const [path, issue] of userFields)
  test(`the recipient path ${path} ${issue ?? 'is valid'}`, async () => {
    const notifications = [{ operation: 'create', recipient: { userFields: [path] } }]
    const at = 'notifications[0].recipient.userFields[0]'
    assert.deepEqual(
      await errors({ hooks, notifications }),
      issue === undefined ? [] : [`${at} ${issue}`],
    )
  })

const noRecipients =
  'notifications[0].recipient has no recipients: add "userFields" or "userGroups"'
const recipients: readonly [recipient: object, issue: string | undefined][] = [
  [{}, noRecipients],
  [{ includeActor: true }, noRecipients],
  [{ userFields: [], userGroups: [] }, noRecipients],
  [{ userFields: ['approver'], userGroups: [] }, undefined],
  [{ userGroups: ['finance'], skipRightsCheck: true }, undefined],
]
for (const [recipient, issue] of recipients)
  test(`the recipient ${JSON.stringify(recipient)} ${issue ? 'has no recipients' : 'is valid'}`, async () => {
    const notifications = [{ operation: 'create', recipient }]
    assert.deepEqual(await errors({ hooks, notifications }), issue === undefined ? [] : [issue])
  })

test('a hook that is listed twice is a warning, and the project loads', async () => {
  const twice = { key: 'order', fields, hooks: [...hooks, ...hooks] }
  const found = await findingsOf({ ...others, 'entities/order.json': twice })
  assert.equal(found.length, 1)
  assert.match(
    found[0] ?? '',
    /^entities\/order\.json:1:\d+ warning: hooks\[1\]\.functionName "_sendNotificationHandler" is listed twice; it runs once/,
  )
})

test('a name that a rule lists twice is a warning that says what it does', async () => {
  const rule = {
    operation: 'create',
    recipient: { userFields: ['_created_by', '_created_by'], userGroups: ['a', 'b', 'a'] },
    attachments: {
      printableDocuments: ['letter', 'letter'],
      documentFunctions: ['native/record-json', 'native/record-json'],
    },
  }
  const order = { key: 'order', fields, hooks, notifications: [rule] }
  const found = await findingsOf({ ...others, 'entities/order.json': order })
  assert.deepEqual(
    found.map((line) => line.replace(/^\S+ warning: notifications\[0\]\./, '')),
    [
      'recipient.userFields[1] "_created_by" is listed twice; each user is notified once',
      'recipient.userGroups[2] "a" is listed twice; each user is notified once',
      'attachments.printableDocuments[1] "letter" is listed twice; it is attached twice',
      'attachments.documentFunctions[1] "native/record-json" is listed twice; it is attached twice',
    ],
  )
})

const workflow = {
  initialStep: 'draft',
  steps: [
    {
      key: 'draft',
      actions: [{ key: 'submit', kind: 'approveWorkflow', to: 'done', form: 'paper' }],
    },
    { key: 'done', final: true },
  ],
  forms: [{ key: 'paper', fields: ['number'] }],
}
const noAction = 'is not the kind, key, form or <from step>-<to step> of an action'
const notificationRules: readonly [rule: object, order: object, issue: string | undefined][] = [
  [{ operation: 'takeOwnership' }, { ownership: true }, undefined],
  [{ operation: 'takeOwnership' }, {}, '.operation needs "ownership": true on order'],
  [
    { operation: 'create', action: 'submit' },
    { workflow },
    '.action has no effect with the operation "create"',
  ],
  [
    { operation: 'proceedToStep' },
    { workflow },
    ' requires the property "action" for "proceedToStep"',
  ],
  [{ operation: 'proceedToStep', action: 'submit' }, {}, '.action needs a workflow on order'],
  ...['proceedToStep', 'rejectWorkflow', 'returnToStep'].map((action): [object, object, string] => [
    { operation: 'proceedToStep', action },
    { workflow },
    '.action no action of order has this kind, so the rule never applies',
  ]),
  ...['approveWorkflow', 'submit', 'paper', 'draft-done'].map(
    (action): [object, object, undefined] => [
      { operation: 'proceedToStep', action },
      { workflow },
      undefined,
    ],
  ),
  [
    { operation: 'proceedToStep', action: 'sumbit' },
    { workflow },
    `.action "sumbit" ${noAction}; did you mean "submit"?`,
  ],
  [
    { operation: 'proceedToStep', action: 'done-draft' },
    { workflow },
    `.action "done-draft" ${noAction}`,
  ],
]
for (const [rule, order, issue] of notificationRules)
  test(`the notification ${JSON.stringify(rule)} ${issue ?? 'is valid'}`, async () => {
    const found = await errors({ hooks, ...order, notifications: [{ ...rule, ...toApprover }] })
    const issues = found.map((line) => line.replace(/^warning: /, ''))
    assert.deepEqual(issues, issue === undefined ? [] : [`notifications[0]${issue}`])
  })
