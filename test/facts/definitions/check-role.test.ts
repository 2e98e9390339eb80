/** Roles that name unknown entities, fields or actions, or grant unknown permissions; keys of roles say what is wrong. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsOf } from '../../support/definitions/a-project.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'

const user = (key: string) => ({ key, type: 'manyToOne', entity: 'user' })
const order = {
  key: 'order',
  fields: [
    { key: 'number', type: 'string' },
    user('supplier'),
    user('signer'),
    { key: 'parts', type: 'oneToMany', entity: 'order', mappedBy: 'whole' },
    { key: 'whole', type: 'manyToOne', entity: 'order' },
    { key: 'reason', type: 'string', required: true },
    { key: 'urgency', type: 'enum', values: ['low', 'high'], required: true, default: 'low' },
  ],
  workflow: workflowOf(
    { draft: [{ key: 'submit', kind: 'proceedToStep', to: 'done', form: 'paper' }], done: [] },
    {
      forms: [
        {
          key: 'paper',
          fields: ['number', 'supplier'],
          required: ['supplier'],
          callerFields: ['signer'],
        },
      ],
    },
  ),
}
const money = { type: 'decimal', precision: 12, scale: 2 }
const bill = {
  key: 'bill',
  fields: [
    { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'bill' },
    { key: 'total', ...money, rollup: { sum: 'parts.amount' } },
    { key: 'count', type: 'integer', rollup: { count: 'parts' } },
    { key: 'largest', ...money, rollup: { max: 'parts.amount' } },
  ],
}
const part = {
  key: 'part',
  fields: [
    { key: 'bill', type: 'manyToOne', entity: 'bill' },
    { key: 'amount', ...money },
    { key: 'note', type: 'string' },
  ],
  indexes: [{ fields: ['bill', 'note'], unique: true }],
}
const entities = Object.fromEntries(
  [order, bill, part].map((entity) => [`entities/${entity.key}.json`, entity]),
)

/** The findings in roles by their keys, each after the key of its role. */
const findingsIn = async (roles: Readonly<Record<string, object>>): Promise<string[]> => {
  const files = Object.entries(roles).map(([key, permissions]) => [
    `roles/${key}.json`,
    { key, permissions },
  ])
  const found = await findingsOf({ ...entities, ...Object.fromEntries(files) })
  return found.map((line) => line.replace(/^roles\/(\w+)\.json:1:\d+ /, '$1: ')).sort()
}
const write = { read: true, create: true, update: true }

test('roles that grant what there is have no findings', async () => {
  assert.deepEqual(
    await findingsIn({
      nothing: {},
      own: { '*': { read: true }, order: { read: 'own', actions: ['submit'] } },
      hidden: { order: { hiddenFields: ['number', 'supplier', 'parts', '_created_by'] } },
      native: { user: { read: true }, task: { create: true } },
      all: { '*': { create: true, update: true }, user: { read: true } },
      optional_hidden: { order: { actions: ['submit'], hiddenFields: ['number'] } },
      sum_read: { bill: { read: true }, part: write },
      sum_hidden: { bill: { read: true, hiddenFields: ['total'] }, part: { read: true } },
      count_hidden: { bill: { read: true, hiddenFields: ['count', 'largest'] }, part: write },
      summand_hidden: { part: { ...write, hiddenFields: ['amount'] } },
      read_only: { order: { ...write, readOnlyFields: ['number', 'supplier', 'urgency'] } },
      changes_only: {
        order: { read: true, update: true, readOnlyFields: ['reason', '_created_by'] },
      },
      summand_read_only: { part: { ...write, readOnlyFields: ['amount'] } },
    }),
    [],
  )
})

test('unknown names and permissions are errors, and what says more than it seems is a warning', async () => {
  const submits = (...hiddenFields: string[]) => ({ order: { actions: ['submit'], hiddenFields } })
  assert.deepEqual(
    await findingsIn({
      all_own: { '*': { read: true, update: 'own' } },
      dangerous: {
        user: { update: true },
        security_role: { create: true },
        printable_document: { update: 'own' },
      },
      comments: { order: { read: true, comments: 'own', internalComments: true }, comment: {} },
      entity: { ordr: {} },
      value: { order: { read: 'all', create: 'own', wrtie: true } },
      field: { order: { hiddenFields: ['nummber', 'id'] } },
      no_value: { order: { readOnlyFields: ['parts'] } },
      of_both_lists: { order: { hiddenFields: ['number'], readOnlyFields: ['number', 'suplier'] } },
      creates_nothing: {
        order: { create: true, readOnlyFields: ['urgency', 'reason', '_created_at'] },
      },
      action: { order: { actions: ['sumbit'] }, user: { actions: ['submit'] } },
      hides_the_caller: submits('signer'),
      hides_a_required: submits('supplier'),
      hides_of_an_index: { part: { hiddenFields: ['note'] } },
      sum_hidden: { bill: { read: true, hiddenFields: ['total'] }, part: write },
      sum_unreadable: { part: { read: true, create: true } },
    }),
    [
      'action: permissions.order.actions[0] "sumbit" is not a workflow action of order; did you mean "submit"?',
      'action: permissions.user.actions[0] "submit" is not a workflow action of user',
      'all_own: warning: permissions.*.update "*" grants reading of native entities and no writing; name those that the role may write (printable_document, saved_view, security_role, task, user, user_group, user_group_member, user_role)',
      'comments: permissions.comment has no effect: a comment is read and written under its record; grant "comments" on the entity of that',
      'comments: warning: permissions.order.comments has no effect without "comments" in the definition of order',
      'comments: warning: permissions.order.internalComments has no effect without "comments": { "internal": true } in the definition of order',
      'creates_nothing: warning: permissions.order.readOnlyFields[1] "reason" is required and has no default: the role can create no record',
      'dangerous: warning: permissions.printable_document.update users with this permission decides what documents show to everybody who renders or receives one',
      'dangerous: warning: permissions.security_role.create users with this permission creates and renames roles, and so decides whom a file in roles/ will apply to',
      "dangerous: warning: permissions.user.update users with this permission assigns roles, and can take over every account except an administrator's",
      'entity: permissions.ordr there is no entity "ordr"; did you mean "order"?',
      'field: permissions.order.hiddenFields[0] "nummber" is not a field of order; did you mean "number"?',
      'field: permissions.order.hiddenFields[1] "id" is not a field of order',
      'hides_a_required: warning: permissions.order.actions[0] "submit" cannot be run when its form requires "supplier", which the role hides',
      'hides_of_an_index: warning: permissions.part.hiddenFields[0] is part of a unique index (bill_id, note): writers of the other fields learn that a combination exists',
      'hides_the_caller: warning: permissions.order.actions[0] "submit" cannot be run when its form requires "signer", which the role hides',
      'no_value: permissions.order.readOnlyFields[0] "parts" is a one-to-many field, which is not supported: name the link of the other entity there',
      'of_both_lists: permissions.order.readOnlyFields[0] "number" is hidden too: name it in one of the two lists',
      'of_both_lists: permissions.order.readOnlyFields[1] "suplier" is not a field of order; did you mean "supplier"?',
      'sum_hidden: warning: permissions.part.update "amount" adds to "bill.total", which the role may not read: a user who writes it learns the sum from which results do not fit',
      'sum_unreadable: warning: permissions.part.create "amount" adds to "bill.total", which the role may not read: a user who writes it learns the sum from which results do not fit',
      'value: permissions.order.create must be true or false, not a string',
      'value: permissions.order.read must be true or false or "own"',
      'value: permissions.order.wrtie is not a known property',
    ],
  )
})

test('a role has a key and permissions, and is not the built-in one', async () => {
  const roles: readonly [name: string, role: object, issue: string][] = [
    ['clerk', { key: 'clerk' }, '1 lacks the property "permissions"'],
    ['clerk', { key: 'clerk', permissions: [] }, '16 permissions must be an object, not an array'],
    ['clerk', { key: 'Clerk', permissions: {} }, '2 key must match ^[a-z][a-z0-9_]*$'],
    [
      'administrator',
      { key: 'administrator', permissions: {} },
      '2 key "administrator" is built in and cannot be defined',
    ],
  ]
  for (const [name, role, issue] of roles)
    assert.deepEqual(await findingsOf({ [`roles/${name}.json`]: role }), [
      `roles/${name}.json:1:${issue}`,
    ])
})
