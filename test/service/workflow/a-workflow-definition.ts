/** The workflows of the shared project, and the roles with permissions for different actions. */
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import type { ProjectFiles } from '../../support/service.ts'

const action = (key: string, to: string, form?: string, kind = 'proceedToStep') => ({
  key,
  kind,
  to,
  ...(form !== undefined && { form }),
})

/** The same, with a condition and what the definition says to it. */
const given = (
  condition: object,
  [key, to, kind]: [string, string, string?],
  message?: string,
) => ({
  ...action(key, to, undefined, kind),
  condition,
  ...(message !== undefined && { message }),
})

const sendBack = { key: 'sendBack', kind: 'returnToStep' }

/** The workflow of `request`. */
const workflow = {
  initialStep: 'draft',
  steps: [
    {
      key: 'draft',
      name: 'Draft',
      actions: [
        action('submit', 'review'),
        { ...action('remark', 'draft'), name: 'Leave a remark' },
        action('cancel', 'cancelled'),
      ],
    },
    {
      key: 'review',
      name: 'In review',
      actions: [
        action('approve', 'approved', 'approve', 'approveWorkflow'),
        action('reject', 'rejected', 'reject', 'rejectWorkflow'),
        action('price', 'review', 'price'),
        // The same key as in the step "draft", but with a form and another target step.
        action('cancel', 'rejected', 'reject', 'rejectWorkflow'),
      ],
    },
    { key: 'approved', name: 'Approved', final: true },
    { key: 'rejected', final: true },
    { key: 'cancelled', final: true },
  ],
  forms: [
    {
      key: 'approve',
      fields: ['approver', 'vendor', 'notes', 'margin', 'code', 'amount'],
      required: ['approver'],
    },
    { key: 'reject', fields: ['reason', 'notes'], required: ['reason'] },
    { key: 'price', fields: ['margin', 'amount'], required: ['margin', 'amount'] },
  ],
}

/** Some of its actions lead back. */
const offer = {
  key: 'offer',
  fields: [{ key: 'title', type: 'string' }],
  workflow: {
    initialStep: 'draft',
    steps: [
      { key: 'draft', actions: [action('submit', 'review'), action('skip', 'legal')] },
      {
        key: 'review',
        was: 'checking',
        name: 'In review',
        actions: [action('ask', 'legal'), action('remark', 'review'), sendBack],
      },
      { key: 'legal', actions: [action('close', 'closed'), sendBack] },
      { key: 'closed', actions: [{ ...sendBack, key: 'reopen' }] },
    ],
  },
}

const small = { amount: { $lte: 1000 } }
const large = { amount: { $gt: 1000 } }

const entities: ProjectFiles = {
  ...entityFile('request', { name: 'Request', ownership: true, workflow }, [
    { key: 'title', type: 'string', required: true, maxLength: 20 },
    { key: 'amount', name: 'Amount', type: 'decimal', precision: 10, scale: 2, min: '0' },
    { key: 'notes', type: 'text' },
    { key: 'reason', name: 'Reason', type: 'text' },
    { key: 'code', type: 'string', unique: true },
    { key: 'margin', type: 'decimal' },
    { key: 'approver', name: 'Approver', type: 'manyToOne', entity: 'user' },
    { key: 'vendor', type: 'manyToOne', entity: 'vendor' },
    { key: 'cost', type: 'decimal', precision: 10, scale: 2, rollup: { sum: 'lines.cost' } },
    { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'request' },
  ]),
  ...entityFile('line', [
    { key: 'request', type: 'manyToOne', entity: 'request', required: true },
    { key: 'cost', type: 'decimal', precision: 10, scale: 2 },
  ]),
  ...entityFile('vendor', [
    { key: 'name', type: 'string' },
    { key: 'is_blocked', type: 'boolean' },
  ]),
  ...entityFile('user', { extends: 'native' }, [
    { key: 'approval_limit', type: 'decimal', precision: 14, scale: 2 },
  ]),
  // Conditions on the record and on values of the caller, and what the definition says to them.
  'entities/purchase.json': {
    key: 'purchase',
    fields: [
      { key: 'total', type: 'decimal', precision: 14, scale: 2 },
      { key: 'reason', type: 'text' },
      { key: 'code', type: 'string', pattern: '[A-Z]{2}', message: 'Two capitals.' },
      { key: 'vendor', type: 'manyToOne', entity: 'vendor' },
    ],
    workflow: workflowOf(
      {
        draft: [
          action('submit', 'review'),
          given({ total: { $lte: '5' } }, ['pay', 'done'], 'Up to 5 at once.'),
        ],
        review: [
          {
            ...given(
              {
                total: { $lte: { $caller: 'approval_limit' } },
                _created_by: { $ne: { $caller: 'id' } },
              },
              ['approve', 'approved', 'approveWorkflow'],
            ),
            name: 'Approve',
          },
          {
            ...action('reject', 'done', 'reject', 'rejectWorkflow'),
            condition: { total: { $gt: '5' } },
          },
          sendBack,
        ],
        approved: [
          given(
            { $not: { 'vendor.is_blocked': true } },
            ['pay', 'done'],
            'Not to a blocked vendor.',
          ),
        ],
        done: [],
      },
      { forms: [{ key: 'reject', fields: ['reason'], required: ['reason'] }] },
    ),
  },
  // A field of its form is filled with the caller.
  'entities/contract.json': {
    key: 'contract',
    fields: [
      { key: 'title', type: 'string' },
      { key: 'notes', type: 'text' },
      { key: 'approver', name: 'Approver', type: 'manyToOne', entity: 'user' },
    ],
    workflow: workflowOf(
      { review: [action('approve', 'done', 'approve', 'approveWorkflow')], done: [] },
      { forms: [{ key: 'approve', fields: ['notes'], callerFields: ['approver'] }] },
    ),
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'proceedToStep',
        action: 'approve',
        condition: { _step: 'done' },
        recipient: { userFields: ['approver'] },
        content: { title: 'Approved', message: 'Approved' },
      },
      {
        operation: 'create',
        condition: { title: 'Named' },
        recipient: { userFields: ['approver', '_created_by'] },
        content: { title: 'Created', message: 'Created' },
      },
    ],
  },
  'entities/offer.json': offer,
  // Its keys are parts of each other, and nothing can be approved in its first step.
  'entities/claim.json': {
    key: 'claim',
    fields: [{ key: 'amount', type: 'integer' }],
    workflow: workflowOf({
      entry: [action('send', 'review'), action('refuse', 'closed', undefined, 'rejectWorkflow')],
      review: [
        given(small, ['approve', 'closed', 'approveWorkflow']),
        given(large, ['approve_board', 'closed', 'approveWorkflow']),
        given(small, ['no', 'closed', 'rejectWorkflow']),
        given(large, ['not_now', 'closed', 'rejectWorkflow']),
      ],
      closed: [],
    }),
  },
  // Two records of one place cannot be in the same step.
  // One of its decisions is always open, the other one is not.
  'entities/notice.json': {
    key: 'notice',
    fields: [{ key: 'title', type: 'string' }],
    workflow: workflowOf({
      review: [
        action('approve', 'done', undefined, 'approveWorkflow'),
        given({ title: 'Wrong' }, ['reject', 'done', 'rejectWorkflow']),
      ],
      done: [],
    }),
  },
  'entities/slot.json': {
    key: 'slot',
    fields: [{ key: 'place', type: 'string' }],
    indexes: [{ fields: ['place', '_step'], unique: true }],
    workflow: workflowOf({ open: [action('take', 'taken')], taken: [action('leave', 'open')] }),
  },
}

const translation = {
  entities: {
    purchase: {
      fields: { code: { message: 'Zwei Großbuchstaben.' } },
      actionMessages: { draft: { pay: 'Bis 5 sofort.' } },
    },
  },
  roles: { drawer: { messages: { purchase: { update: 'Große bleiben.' } } } },
}

const all = ['submit', 'approve', 'reject', 'pay', 'sendBack']

const role = (key: string, request: object, more: object = {}) => ({
  [`roles/${key}.json`]: {
    key,
    permissions: { request, user: { read: true }, slot: { read: true }, ...more },
  },
})

/** A role that decides on purchases and contracts. */
const decider = (key: string, hiddenFields: readonly string[], more: object = {}) => ({
  [`roles/${key}.json`]: {
    key,
    permissions: {
      purchase: {
        create: true,
        read: true,
        actions: ['submit', 'approve', 'reject', 'pay'],
        hiddenFields: hiddenFields.filter((name) => name !== 'approver'),
      },
      contract: {
        read: true,
        actions: ['approve'],
        hiddenFields: hiddenFields.filter((name) => name === 'approver'),
      },
      ...more,
    },
  },
})

const roles: ProjectFiles = {
  // Reads their own records, without the margin.
  ...role(
    'buyer',
    {
      create: true,
      read: 'own',
      update: 'own',
      delete: 'own',
      tasks: 'own',
      hiddenFields: ['margin'],
      actions: ['submit', 'remark', 'cancel', 'price', 'approve'],
    },
    { purchase: { create: true, read: 'own', actions: all }, line: { create: true, read: true } },
  ),
  ...role(
    'approver',
    { read: true, actions: ['approve', 'reject', 'price'] },
    { vendor: { read: true }, purchase: { create: true, read: true, actions: all } },
  ),
  ...role('reader', { read: true }, { purchase: { read: true } }),
  ...role('submitter', {}, { purchase: { read: true, actions: ['submit'] } }),
  ...role(
    'nonreader',
    { read: false, actions: ['submit'] },
    { purchase: { create: true, read: false, actions: all } },
  ),
  ...role(
    'hides_step',
    { read: true, actions: ['submit', 'reject'], hiddenFields: ['_step'] },
    { purchase: { read: true, actions: all, hiddenFields: ['_step', 'reason', 'total'] } },
  ),
  ...decider('decider', [], { user: { read: true } }),
  // Reads no users.
  ...decider('clerk', []),
  ...decider('blind', ['total', '_created_by', 'approver'], {
    request: { read: true, actions: ['approve'] },
    user: { read: true, hiddenFields: ['full_name'] },
  }),
  ...roleFile('drawer', {
    purchase: {
      create: true,
      read: true,
      update: true,
      delete: true,
      actions: ['pay'],
      conditions: {
        create: { total: { $ne: '7' } },
        update: { total: { $lte: '5' } },
        delete: { total: { $lte: '5' } },
      },
      messages: { create: 'Never seven.', update: 'Large ones are final.' },
    },
  }),
}

export const workflowFiles: ProjectFiles = {
  ...entities,
  ...roles,
  'translations/de.json': translation,
}
