/** Names in an entity definition that refer to fields, entities, paths and actions; keys of entities say what is wrong. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder, findingsOfEntities } from '../../support/definitions/a-project.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'

const others = {
  ...entityFile('supplier', [
    { key: 'name', type: 'string' },
    { key: 'country', type: 'manyToOne', entity: 'country' },
    { key: 'manager', type: 'manyToOne', entity: 'user' },
    { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'supplier' },
  ]),
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
  [{ type: 'manyToOne', entity: 'tree' }, 'entity there is no entity "tree"'],
  [mapped('order', 'suplier'), 'entity there is no entity "suplier"; did you mean "supplier"?'],
  [mapped('folows'), `mappedBy "folows" ${noLink}; did you mean "follows"?`],
  [mapped('supplier'), `mappedBy "supplier" ${noLink}`],
  [mapped('number'), `mappedBy "number" ${noLink}`],
  [mapped('_created_by'), 'mappedBy must match ^[a-z][a-z0-9_]*$'],
  [
    { ...mapped('follows'), orderBy: 'number' },
    'orderBy "number" is not an integer field of order that users enter',
  ],
]
for (const [field, issue] of links)
  test(`the field ${JSON.stringify(field)} has the issue: ${issue}`, async () => {
    const found = await errors({ fields: [...fields, { key: 'last', ...field }] })
    assert.deepEqual(found, [`fields[6].${issue}`])
  })

const noPath = 'is not an association, so the path cannot continue through it'
const hasMany =
  'is a one-to-many field: it has many records, not one value; conditions ask these with "$some" and "$none"'

test('a column of an export is a field, a system field, or one that associations lead to', async () => {
  const valid =
    `id _updated_at number supplier supplier_id supplier.name supplier.country.name supplier.country
    _created_by.email follows.follows.follows.supplier.name`.split(/\s+/)
  const invalid: readonly [field: string, issue: string][] = [
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
  const columnDefs = [...invalid.map(([field]) => field), ...valid].map((field) => ({ field }))
  assert.deepEqual(
    await errors({ exportSettings: { columnDefs } }),
    invalid.map(([, issue], at) => `exportSettings.columnDefs[${at}].field ${issue}`),
  )
})

const required = { key: 'place', type: 'string', required: true }
const imports = (one: object) => ({ imports: [{ key: 'old', columns: { No: 'number' }, ...one }] })
const rules: readonly (readonly [order: object, issue: string | undefined])[] = [
  [imports({ columns: { No: 'number', Id: 'supplier.id', Other: null } }), undefined],
  [imports({ mode: 'update', match: ['id'] }), undefined],
  [imports({ columns: { No: 'number', Further: 'follow_ups.number' } }), undefined],
  [
    imports({ columns: { No: 'number', Further: 'follow_ups.nmber' } }),
    'imports[0].columns.Further "nmber" is not a field of order; did you mean "number"?',
  ],
  [
    imports({ mode: 'update', match: ['id'], columns: { Further: 'follow_ups.number' } }),
    'imports[0].columns.Further belongs to lines, which are imported only with new records: use "mode": "insert"',
  ],
  [
    imports({ mode: 'insertOrUpdate', match: ['id'] }),
    'imports[0].match must not be "id", by which records are found and none are created: use "update"',
  ],
  [imports({ mode: 'update' }), 'imports[0].mode "update" needs "match"'],
  [imports({ match: ['id'] }), 'imports[0].match is only for "update" and "insertOrUpdate"'],
  [
    imports({ mode: 'update', match: ['supplier'] }),
    'imports[0].match must be fields of order that together are unique',
  ],
  [
    imports({ columns: { No: { field: 'nmber' } } }),
    'imports[0].columns.No "nmber" is not a field of order; did you mean "number"?',
  ],
  [{ indexes: [{ fields: ['supplier', 'number'], unique: 'ignoreCase' }] }, undefined],
  [{ indexes: [{ fields: ['supplier'], unique: true, nullsNotDistinct: true }] }, undefined],
  [
    { indexes: [{ fields: ['number'], unique: 'ignoreCase' }] },
    'indexes[0].unique belongs to the field "number": "unique": "ignoreCase"',
  ],
  [
    { indexes: [{ fields: ['supplier', 'follows'], unique: 'ignoreCase' }] },
    'indexes[0].unique needs a field of the type string, text or email',
  ],
  [
    { indexes: [{ fields: ['number'], nullsNotDistinct: true }] },
    'indexes[0].nullsNotDistinct is for a unique index',
  ],
  [
    {
      fields: [...fields, required],
      indexes: [{ fields: ['place'], unique: true, nullsNotDistinct: true }],
    },
    'indexes[0].nullsNotDistinct decides nothing: all of its fields are required',
  ],
  [
    { fields: [...fields, { ...required, lowercase: true, unique: 'ignoreCase' }] },
    'fields[6].unique compares in lower case, in which "lowercase" keeps every value; write true',
  ],
]
test('a rule of uniqueness decides something, and an import leads to fields', async () => {
  for (const [order, issue] of rules)
    assert.deepEqual(await errors(order), issue === undefined ? [] : [issue])
})

test('the fields that name a record, and those of an index, exist', async () => {
  const indexes = [['supplier', '_created_at'], ['supplier_id'], ['number', 'supplir'], ['extra']]
  assert.deepEqual(await errors({ displayField: 'supplier' }), [])
  assert.deepEqual(
    await errors({ displayField: 'nmber', indexes: indexes.map((names) => ({ fields: names })) }),
    [
      'displayField "nmber" is not a field of order; did you mean "number"?',
      'indexes[2].fields[1] "supplir" is not a field of order; did you mean "supplier"?',
      'indexes[3].fields[0] "extra" has a type that cannot be sorted',
    ],
  )
  assert.deepEqual(await errors({ displayField: 'follow_ups' }), [
    'displayField "follow_ups" is not a field of order; did you mean "follows"?',
  ])
})

const handler = (functionName: string) => ({
  type: 'message',
  hookType: 'AfterChange',
  functionName,
})
const hooks = [handler('_sendNotificationHandler')]
const toApprover = { operation: 'create', recipient: { userFields: ['approver'] } }

test('the path to a recipient ends at a user', async () => {
  const valid = 'approver approver_id _created_by supplier.manager supplier._updated_by'.split(' ')
  const invalid: readonly [path: string, issue: string][] = [
    ['supplier', '"supplier" does not end at a user'],
    ['number', '"number" does not end at a user'],
    ['approver.email', '"approver.email" does not end at a user'],
    ['_owned_by', '"_owned_by" is not a field of order'],
    ['aprover', '"aprover" is not a field of order; did you mean "approver"?'],
    ['follow_ups', `"follow_ups" of order ${hasMany}`],
  ]
  const userFields = [...invalid.map(([path]) => path), ...valid]
  const notifications = [{ operation: 'create', recipient: { userFields } }]
  assert.deepEqual(
    await errors({ hooks, notifications }),
    invalid.map(([, issue], at) => `notifications[0].recipient.userFields[${at}] ${issue}`),
  )
})

test('a rule has recipients', async () => {
  const recipients = [
    ...[{}, { includeActor: true }, { userFields: [], userGroups: [] }],
    { userFields: ['approver'], userGroups: [] },
    { userGroups: ['finance'], skipRightsCheck: true },
  ]
  const notifications = recipients.map((recipient) => ({ operation: 'create', recipient }))
  const issue = 'has no recipients: add "userFields", "userGroups" or "followers"'
  assert.deepEqual(
    await errors({ hooks, notifications }),
    [0, 1, 2].map((at) => `notifications[${at}].recipient ${issue}`),
  )
})

test('followers are named by paths to users, or by what they do, and rules about comments need comments', async () => {
  const follow = ['approver', 'supplier', '$comented', '$actor', 'aprover', '$actor']
  assert.deepEqual(await errors({ comments: { internal: true, follow } }), [
    'comments.follow[1] "supplier" does not end at a user; name a link to one, or $actor, $mentioned, $commented',
    'comments.follow[2] "$comented" is not one of $actor, $mentioned, $commented; did you mean "$commented"?',
    'comments.follow[4] "aprover" is not a field of order; did you mean "approver"?',
    'warning: comments.follow[5] "$actor" is listed twice',
  ])
  const notifications = [
    { operation: 'comment', recipient: { followers: true } },
    { operation: 'mention', recipient: {} },
    { operation: 'create', recipient: { followers: true } },
  ]
  assert.deepEqual(await errors({ hooks, comments: true, notifications }), [])
  assert.deepEqual(await errors({ hooks, notifications }), [
    'notifications[0].operation needs "comments" on order',
    'notifications[0].recipient.followers needs "comments" on order',
    'notifications[1].operation needs "comments" on order',
    'notifications[2].recipient.followers needs "comments" on order',
  ])
})

test('what has no effect, and what is listed twice, is a warning that says so', async () => {
  const notifications = [toApprover]
  const twice = {
    operation: 'create',
    recipient: { userFields: ['_created_by', '_created_by'], userGroups: ['a', 'b', 'a'] },
    attachments: {
      printableDocuments: ['letter', 'letter'],
      documentFunctions: ['native/record-json', 'native/record-json'],
      files: ['scan', 'scan', 'scans'],
    },
  }
  const approver = fields.filter(({ key }) => key === 'approver')
  const entities = {
    order: { fields, hooks, notifications },
    hook_twice: { hooks: [...hooks, ...hooks] },
    no_hook: { fields: approver, hooks: [], notifications },
    other_hook: { fields: approver, hooks: [handler('other')], notifications },
    without_hooks: { fields: approver, notifications },
    names_twice: { fields: [{ key: 'scan', type: 'file' }], hooks, notifications: [twice] },
  }
  assert.deepEqual(await findingsOfEntities(entities, others), [
    'hook_twice: warning: hooks[1].functionName "_sendNotificationHandler" is listed twice; it runs once for each change',
    'names_twice: notifications[0].attachments.files[2] "scans" is not a field of files of names_twice; did you mean "scan"?',
    'names_twice: warning: notifications[0].attachments.documentFunctions[1] "native/record-json" is listed twice; it is attached twice',
    'names_twice: warning: notifications[0].attachments.files[1] "scan" is listed twice; it is attached twice',
    'names_twice: warning: notifications[0].attachments.printableDocuments[1] "letter" is listed twice; it is attached twice',
    'names_twice: warning: notifications[0].recipient.userFields[1] "_created_by" is listed twice; each user is notified once',
    'names_twice: warning: notifications[0].recipient.userGroups[2] "a" is listed twice; each user is notified once',
    'no_hook: warning: notifications have no effect without the hook { "type": "message", "hookType": "AfterChange", "functionName": "_sendNotificationHandler" }',
    'other_hook: warning: notifications have no effect without the hook { "type": "message", "hookType": "AfterChange", "functionName": "_sendNotificationHandler" }',
    'without_hooks: warning: notifications have no effect without the hook { "type": "message", "hookType": "AfterChange", "functionName": "_sendNotificationHandler" }',
  ])
})

const workflow = workflowOf(
  { draft: [{ key: 'submit', kind: 'approveWorkflow', to: 'done', form: 'paper' }], done: [] },
  { forms: [{ key: 'paper', fields: ['number'] }] },
)

test('the operation and the action of a rule exist', async () => {
  const submitted = (action: string) => ({ operation: 'proceedToStep', action })
  const valid = ['approveWorkflow', 'submit', 'paper', 'draft-done'].map(submitted)
  const kinds = ['proceedToStep', 'rejectWorkflow', 'returnToStep'].map(submitted)
  const invalid = [
    { operation: 'takeOwnership' },
    { operation: 'create', action: 'submit' },
    { operation: 'proceedToStep' },
    ...[...kinds, submitted('sumbit'), submitted('done-draft')],
  ]
  const notifications = [...invalid, ...valid].map((rule) => ({ ...toApprover, ...rule }))
  assert.deepEqual(await errors({ hooks, workflow, notifications }), [
    'notifications[0].operation needs "ownership": true on order',
    'notifications[1].action has no effect with the operation "create"',
    'notifications[2] requires the property "action" for "proceedToStep"',
    'warning: notifications[3].action no action of order has this kind, so the rule never applies',
    'warning: notifications[4].action no action of order has this kind, so the rule never applies',
    'warning: notifications[5].action no action of order has this kind, so the rule never applies',
    'notifications[6].action "sumbit" is not the kind, key, form or <from step>-<to step> of an action; did you mean "submit"?',
    'notifications[7].action "done-draft" is not the kind, key, form or <from step>-<to step> of an action',
  ])
  const owned = { ...toApprover, operation: 'takeOwnership' }
  assert.deepEqual(await errors({ hooks, ownership: true, notifications: [owned] }), [])
  const rule = { ...toApprover, ...submitted('submit') }
  assert.deepEqual(await errors({ hooks, notifications: [rule] }), [
    'notifications[0].action needs a workflow on order',
  ])
})
