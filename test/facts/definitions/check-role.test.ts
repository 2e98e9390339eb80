/** Roles that name unknown entities, fields or actions, or grant unknown permissions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsOf } from '../../support/definitions/a-project.ts'

const order = {
  key: 'order',
  fields: [
    { key: 'number', type: 'string' },
    { key: 'supplier', type: 'manyToOne', entity: 'user' },
    { key: 'signer', type: 'manyToOne', entity: 'user' },
    { key: 'parts', type: 'oneToMany', entity: 'order', mappedBy: 'whole' },
    { key: 'whole', type: 'manyToOne', entity: 'order' },
  ],
  workflow: {
    initialStep: 'draft',
    steps: [
      {
        key: 'draft',
        actions: [{ key: 'submit', kind: 'proceedToStep', to: 'done', form: 'paper' }],
      },
      { key: 'done', final: true },
    ],
    forms: [
      {
        key: 'paper',
        fields: ['number', 'supplier'],
        required: ['supplier'],
        callerFields: ['signer'],
      },
    ],
  },
}

const permissions: readonly [permissions: object, errors: string[]][] = [
  [{}, []],
  [{ '*': { read: true }, order: { read: 'own', actions: ['submit'] } }, []],
  [{ order: { hiddenFields: ['number', 'supplier', 'parts', '_created_by'] } }, []],
  [{ user: { read: true }, task: { create: true } }, []],
  [{ '*': { create: true, update: true }, user: { read: true } }, []],
  [
    { '*': { read: true, update: 'own' } },
    [
      'warning: permissions.*.update "*" grants reading of native entities and no writing; name those that the role may write (printable_document, saved_view, security_role, task, user, user_group, user_group_member)',
    ],
  ],
  [
    {
      user: { update: true },
      security_role: { create: true },
      printable_document: { update: 'own' },
    },
    [
      "warning: permissions.user.update users with this permission assigns roles, and can take over every account except an administrator's",
      'warning: permissions.security_role.create users with this permission creates and renames roles, and so decides whom a file in roles/ will apply to',
      'warning: permissions.printable_document.update users with this permission decides what documents show to everybody who renders or receives one',
    ],
  ],
  [{ ordr: {} }, ['permissions.ordr there is no entity "ordr"; did you mean "order"?']],
  [{ order: { read: 'all' } }, ['permissions.order.read must be true or false or "own"']],
  [{ order: { create: 'own' } }, ['permissions.order.create must be true or false, not a string']],
  [{ order: { wrtie: true } }, ['permissions.order.wrtie is not a known property']],
  [
    { order: { hiddenFields: ['nummber', 'id'] } },
    [
      'permissions.order.hiddenFields[0] "nummber" is not a field of order; did you mean "number"?',
      'permissions.order.hiddenFields[1] "id" is not a field of order',
    ],
  ],
  [
    { order: { actions: ['sumbit'] } },
    [
      'permissions.order.actions[0] "sumbit" is not a workflow action of order; did you mean "submit"?',
    ],
  ],
  [{ order: { actions: ['submit'], hiddenFields: ['number'] } }, []],
  [
    { order: { actions: ['submit'], hiddenFields: ['signer'] } },
    [
      'warning: permissions.order.actions[0] "submit" cannot be run when its form requires "signer", which the role hides',
    ],
  ],
  [
    { order: { actions: ['submit'], hiddenFields: ['supplier'] } },
    [
      'warning: permissions.order.actions[0] "submit" cannot be run when its form requires "supplier", which the role hides',
    ],
  ],
  [
    { user: { actions: ['submit'] } },
    ['permissions.user.actions[0] "submit" is not a workflow action of user'],
  ],
]
for (const [granted, errors] of permissions)
  test(`a role with ${JSON.stringify(granted)} ${errors[0] ?? 'is valid'}`, async () => {
    const found = await findingsOf({
      'entities/order.json': order,
      'roles/clerk.json': { key: 'clerk', permissions: granted },
    })
    assert.deepEqual(
      found.map((line) => line.replace(/^roles\/clerk\.json:1:\d+ /, '')),
      errors,
    )
  })

const bill = {
  key: 'bill',
  fields: [
    { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'bill' },
    { key: 'total', type: 'decimal', precision: 12, scale: 2, rollup: { sum: 'parts.amount' } },
    { key: 'count', type: 'integer', rollup: { count: 'parts' } },
  ],
}
const part = {
  key: 'part',
  fields: [
    { key: 'bill', type: 'manyToOne', entity: 'bill' },
    { key: 'amount', type: 'decimal', precision: 12, scale: 2 },
  ],
}
const write = { read: true, create: true, update: true } as const
const told = (right: string) =>
  `warning: permissions.part.${right} "amount" adds to "bill.total", which the role may not read: whoever writes it learns the sum from which results do not fit`
for (const [granted, warnings] of [
  [{ bill: { read: true }, part: write }, []],
  [{ bill: { read: true, hiddenFields: ['total'] }, part: { read: true } }, []],
  [{ bill: { read: true, hiddenFields: ['count'] }, part: write }, []],
  [{ bill: { read: true, hiddenFields: ['total'] }, part: write }, [told('update')]],
  [{ part: { read: true, create: true } }, [told('create')]],
  [{ part: { ...write, hiddenFields: ['amount'] } }, []],
] as const)
  test(`of a sum that a role with ${JSON.stringify(granted)} adds to, docket check warns ${warnings.length} times`, async () => {
    const found = await findingsOf({
      ...{ 'entities/bill.json': bill, 'entities/part.json': part },
      'roles/clerk.json': { key: 'clerk', permissions: granted },
    })
    assert.deepEqual(
      found.map((line) => line.replace(/^roles\/clerk\.json:1:\d+ /, '')),
      warnings,
    )
  })

const shapes: readonly [role: object, issue: string][] = [
  [{ key: 'clerk' }, '1 lacks the property "permissions"'],
  [{ key: 'clerk', permissions: [] }, '16 permissions must be an object, not an array'],
  [{ key: 'Clerk', permissions: {} }, '2 key must match ^[a-z][a-z0-9_]*$'],
]
for (const [role, issue] of shapes)
  test(`the role ${JSON.stringify(role)} is invalid`, async () => {
    assert.deepEqual(await findingsOf({ 'roles/clerk.json': role }), [
      `roles/clerk.json:1:${issue}`,
    ])
  })

test('a file cannot define the role administrator', async () => {
  const role = { key: 'administrator', permissions: {} }
  assert.deepEqual(await findingsOf({ 'roles/administrator.json': role }), [
    'roles/administrator.json:1:2 key "administrator" is built in and cannot be defined',
  ])
})

test('a hidden field in a unique index is a warning', async () => {
  const pair = {
    key: 'pair',
    fields: [
      { key: 'a', type: 'string' },
      { key: 'b', type: 'string' },
    ],
  }
  const found = await findingsOf({
    'entities/pair.json': { ...pair, indexes: [{ fields: ['a', 'b'], unique: true }] },
    'roles/clerk.json': { key: 'clerk', permissions: { pair: { hiddenFields: ['b'] } } },
  })
  assert.deepEqual(
    found.map((line) => line.replace(/^\S+ /, '')),
    [
      'warning: permissions.pair.hiddenFields[0] is part of a unique index (a, b): writers of the other fields learn that a combination exists',
    ],
  )
})
