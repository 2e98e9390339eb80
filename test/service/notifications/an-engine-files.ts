/** The entities of the shared project of the engine, with their rules, and its roles. */
import { roleFile } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import {
  engineFiles,
  everything,
  hooks,
  readable,
  requestOf,
} from '../../support/notifications/an-engine-project.ts'
import type { ProjectFiles } from '../../support/service.ts'
import { rules, type Subject } from './an-engine-rules.ts'

/** Requests that are approved by those whose limit allows it. */
const canTakeRequest = {
  fields: [
    { key: 'number', type: 'string' },
    { key: 'total', type: 'decimal', precision: 14, scale: 2 },
    { key: 'spent', type: 'integer', default: 0 },
    { key: 'notes', type: 'text' },
    { key: 'approver', type: 'manyToOne', entity: 'user' },
    { key: 'rival', type: 'manyToOne', entity: 'user' },
    { key: 'batch', type: 'manyToOne', entity: 'batch' },
  ],
  workflow: workflowOf(
    {
      draft: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }],
      review: [
        {
          key: 'approve',
          kind: 'approveWorkflow',
          to: 'approved',
          form: 'approve',
          notBy: ['rival'],
          condition: {
            total: { $lte: { $caller: 'limit' } },
            _created_by: { $ne: { $caller: 'id' } },
            spent: { $lte: { $field: 'total' } },
          },
        },
        { key: 'return', kind: 'returnToStep' },
      ],
      approved: [],
    },
    { forms: [{ key: 'approve', fields: ['notes'], required: ['notes'] }] },
  ),
}

/** Batches of such requests, which lock them; the second step lets readers go on. */
const batch = {
  key: 'batch',
  fields: [{ key: 'requests', type: 'oneToMany', entity: 'can_take', mappedBy: 'batch' }],
  workflow: {
    initialStep: 'open',
    steps: [
      { key: 'open', actions: [{ key: 'close', kind: 'proceedToStep', to: 'closed' }] },
      {
        key: 'closed',
        actions: [{ key: 'check', kind: 'proceedToStep', to: 'checked' }],
        locks: { fields: ['requests'], except: ['administrator'] },
      },
      {
        key: 'checked',
        final: true,
        locks: { fields: ['requests'], except: ['administrator', 'reader'] },
      },
    ],
  },
}

/** Users with a limit. */
const userWithLimit = {
  extends: 'native',
  key: 'user',
  fields: [{ key: 'limit', type: 'decimal', precision: 14, scale: 2 }],
}

/** Requests that can be reopened. */
const endedWorkflow = workflowOf({
  open: [
    { key: 'close', kind: 'proceedToStep', to: 'closed' },
    { key: 'submit', kind: 'proceedToStep', to: 'review' },
  ],
  review: [{ key: 'approve', kind: 'approveWorkflow', to: 'approved' }],
  approved: [{ key: 'reopen', kind: 'proceedToStep', to: 'review' }],
  closed: [],
})

/** Requests with a sum of their lines, whose decision may change the total. */
const summed = {
  fields: [
    { key: 'number', type: 'string', unique: true },
    { key: 'topic', type: 'string' },
    { key: 'total', type: 'decimal', precision: 14, scale: 2 },
    { key: 'sum', type: 'decimal', precision: 14, scale: 2, rollup: { sum: 'lines.amount' } },
    { key: 'approver', type: 'manyToOne', entity: 'user' },
    { key: 'lines', type: 'oneToMany', entity: 'changes_line', mappedBy: 'request' },
  ],
  workflow: workflowOf(
    {
      draft: [{ key: 'submit', kind: 'proceedToStep', to: 'review', form: 'total' }],
      review: [],
    },
    { forms: [{ key: 'total', fields: ['total'], required: [] }] },
  ),
}

const more: Partial<Record<Subject, object>> = {
  changes: summed,
  dated: { indexes: [{ fields: ['needed_by'] }, { fields: ['meeting_at'] }] },
  without_hook: { hooks: [] },
  can_take: canTakeRequest,
  ended: { workflow: endedWorkflow },
}

const subjects = Object.keys(rules) as Subject[]
const acting = { create: true, read: true, actions: ['submit', 'approve'] }
const onAll = (permission: object) => Object.fromEntries(subjects.map((key) => [key, permission]))

const recordHook = { type: 'message', hookType: 'AfterChange', functionName: 'record' }
/** Tasks with a hook that writes its calls to a file in its folder, and a rule. */
const taskFiles = {
  'message-handlers/record.cjs': `const { appendFileSync } = require('node:fs')
exports.exec = ({ entityId, operation, changes, actor }) => {
  const line = JSON.stringify({ entityId, operation, changes, actor: actor.full_name })
  appendFileSync(__dirname + '/calls.jsonl', line + '\\n')
}`,
  'entities/task.json': {
    key: 'task',
    extends: 'native',
    fields: [],
    // Each hook is listed twice and runs once.
    hooks: [...hooks, recordHook, ...hooks, recordHook],
    notifications: [
      {
        operation: 'create',
        condition: { description: 'By rule' },
        recipient: { userFields: ['assigne', '_created_by'] },
        content: { icon: 'new', title: 'Do {{ record.description }}' },
      },
    ],
  },
}

export const sharedFiles: ProjectFiles = {
  ...taskFiles,
  ...engineFiles([]),
  ...Object.fromEntries(
    subjects.map((key) => [`entities/${key}.json`, requestOf(key, rules[key], more[key])]),
  ),
  'entities/user.json': userWithLimit,
  'entities/batch.json': batch,
  'entities/changes_line.json': {
    key: 'changes_line',
    fields: [
      { key: 'amount', type: 'decimal', precision: 14, scale: 2 },
      { key: 'request', type: 'manyToOne', entity: 'changes', required: true },
    ],
  },
  ...roleFile('reader', {
    ...onAll(everything),
    ...readable,
    can_take: acting,
    ended: acting,
    changes: { ...everything, actions: ['submit'] },
    changes_line: { create: true, read: true, update: true, delete: true },
  }),
  ...roleFile('owner', {
    ...onAll({ create: true, read: 'own' }),
    ...readable,
    user: { read: true, hiddenFields: ['phone'] },
    can_take: { ...acting, read: 'own' },
    changes: { read: 'own', create: true },
  }),
  // Cannot fill in the form of an approval.
  ...roleFile('outsider', {
    supplier: { read: true },
    can_take: { ...acting, hiddenFields: ['notes'] },
  }),
  // Each does not read one thing that the approval compares: other users, a field of theirs, a link of the request.
  ...roleFile('without_users', {
    can_take: acting,
    user: { read: true, conditions: { read: { id: { $caller: 'id' } } } },
  }),
  ...roleFile('without_limit', {
    can_take: acting,
    user: { read: true, hiddenFields: ['limit'] },
  }),
  ...roleFile('without_rival', {
    can_take: { ...acting, hiddenFields: ['rival'] },
    user: { read: true },
  }),
  ...roleFile('under_2000', {
    changes: { read: true, conditions: { read: { total: { $lt: '2000' } } } },
  }),
  // Reads neither users nor the deputy of a request.
  ...roleFile('clerk', {
    preview: {
      create: true,
      read: true,
      actions: ['submit'],
      hiddenFields: ['number', 'deputy'],
    },
    sent: { read: true, hiddenFields: ['deputy'] },
    changes: { read: true, hiddenFields: ['total'] },
  }),
}
