/** The files of a project with notifications about its requests, and rules for them. */
import type { NotificationRule } from '../../../src/definitions/notification-rules.ts'
import { entityFile, roleFile } from '../definitions/files.ts'
import type { ProjectFiles } from '../service.ts'

const action = (key: string, to: string, more: object = {}) => ({
  key,
  kind: 'proceedToStep',
  to,
  ...more,
})

const workflow = {
  initialStep: 'draft',
  steps: [
    {
      key: 'draft',
      name: 'A draft',
      actions: [action('submit', 'review', { name: 'Ask for approval' }), action('note', 'draft')],
    },
    {
      key: 'review',
      name: 'In review',
      actions: [
        action('approve', 'approved', { kind: 'approveWorkflow', form: 'decision' }),
        action('refuse', 'rejected', { kind: 'rejectWorkflow', form: 'decision' }),
      ],
    },
    { key: 'approved', final: true },
    { key: 'rejected', final: true },
  ],
  forms: [{ key: 'decision', fields: ['notes', 'deputy'], required: [] }],
}

const fields = [
  { key: 'number', type: 'string' },
  // Selects the rule of a test: see `about`.
  { key: 'topic', type: 'string' },
  { key: 'notes', type: 'text' },
  { key: 'total', type: 'decimal', precision: 14, scale: 2 },
  { key: 'needed_by', type: 'date' },
  { key: 'meeting_at', type: 'timestamp' },
  { key: 'extra', type: 'json' },
  { key: 'approver', type: 'manyToOne', entity: 'user' },
  { key: 'deputy', type: 'manyToOne', entity: 'user' },
  { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
  { key: 'lines', type: 'oneToMany', entity: 'line', mappedBy: 'request' },
]

/** The hook that enables notifications. */
export const hooks = [
  { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
]

/** What the role `reader` may do with requests. */
export const everything = {
  create: true,
  read: true,
  update: true,
  delete: true,
  takeOwnership: true,
  tasks: true,
  actions: ['submit', 'note', 'approve', 'refuse'],
}

/** What all but outsiders may read. */
export const readable = {
  user: { read: true },
  supplier: { read: true },
  region: { read: true },
  security_role: { read: true },
}

/** An entity of requests, with its notifications; the first one, `request`, has lines. */
export const requestOf = (
  key: string,
  notifications: readonly NotificationRule[],
  more: object = {},
) => ({
  key,
  name: 'Request',
  displayField: 'number',
  ownership: true,
  fields: key === 'request' ? fields : fields.filter((field) => field.key !== 'lines'),
  workflow,
  hooks,
  notifications,
  ...more,
})

/** The files of the project, with the notifications of its requests. */
export const engineFiles = (
  notifications: readonly NotificationRule[],
  more: object = {},
): ProjectFiles => ({
  'docket.json': { name: 'Engine', timeZone: 'Europe/Zagreb' },
  'entities/request.json': requestOf('request', notifications, more),
  ...entityFile('line', [{ key: 'request', type: 'manyToOne', entity: 'request', required: true }]),
  ...entityFile('supplier', [
    { key: 'name', type: 'string' },
    { key: 'account_manager', type: 'manyToOne', entity: 'user' },
    { key: 'region', type: 'manyToOne', entity: 'region' },
  ]),
  ...entityFile('region', [
    { key: 'name', type: 'string' },
    { key: 'head', type: 'manyToOne', entity: 'user' },
  ]),
  'roles/reader.json': { key: 'reader', permissions: { request: everything, ...readable } },
  ...roleFile('owner', { request: { create: true, read: 'own' }, ...readable }),
  'roles/outsider.json': { key: 'outsider', permissions: { supplier: { read: true } } },
})

/** A rule for new requests with one topic. */
export const about = (
  topic: string,
  recipient: NotificationRule['recipient'],
  more: Partial<NotificationRule> = {},
): NotificationRule => ({ operation: 'create', condition: { topic }, recipient, ...more })
