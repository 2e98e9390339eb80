/** The rules of the shared project of the engine, for each subject an entity of its own. */
import type { NotificationRule } from '../../../src/definitions/notification-rules.ts'
import { about } from '../../support/notifications/an-engine-project.ts'

export const onSubmit = { operation: 'proceedToStep', action: 'submit' } as const
const recipient = { userFields: ['approver'] }
const onCreate = { operation: 'create', recipient } as const
const withTitle = (operation: NotificationRule['operation'], title: string) => ({
  operation,
  recipient,
  content: { title },
})
const onAction = (action: string) => ({ ...withTitle('proceedToStep', action), action })
const withDate = (title: string, date: Partial<NotificationRule>) => ({
  ...withTitle('date', title),
  ...date,
  condition: { topic: 'on' },
})
const personal = { content: { title: 'Dear {{ recipient.full_name }}' } }

const withContent = (topic: string, content: NonNullable<NotificationRule['content']>) =>
  about(topic, recipient, { content })
const withMessage = (topic: string, message: string) => withContent(topic, { message })
/** The fields of a record, printed with a blank between them. */
const printed = (...fields: string[]) => fields.map((field) => `{{ record.${field} }}`).join(' ')
const fields = (...userFields: string[]) => ({ userFields })
const groups = (...userGroups: string[]) => ({ userGroups })
const actionParts = 'key name kind form from from_name to to_name'
  .split(' ')
  .map((name) => `{{ action.${name} }}`)

const toDecide = (message: string) => ({ icon: 'inbox', title: 'To decide', message })

export const rules = {
  matching: [
    withTitle('create', 'created'),
    { ...withTitle('create', 'expensive'), condition: { total: { $gte: '1000' } } },
    withTitle('takeOwnership', 'taken'),
    ...['proceedToStep', 'decision'].map(onAction),
    { ...withTitle('change', 'total'), fields: ['total'] },
  ],
  without_hook: [onCreate, { ...onSubmit, recipient }],
  without_rules: [],
  recipients: [
    about('field', recipient),
    about('creator', fields('_created_by')),
    about('owner', fields('_owned_by')),
    about('path', fields('supplier.account_manager', 'supplier.region.head')),
    about('group', groups('buyers')),
    about('unknown group', { ...recipient, ...groups('nowhere') }),
    about('duplicates', {
      ...fields('approver', 'deputy', '_created_by', 'approver'),
      ...groups('buyers', 'sellers', 'buyers'),
    }),
    about('two rules', recipient),
    about('two rules', groups('buyers')),
    about('no actor', { ...fields('_created_by', 'approver'), includeActor: false }),
    about('permissions', { ...fields('_created_by', 'approver', 'deputy'), ...groups('mixed') }),
    about('no permission check', { ...groups('mixed'), skipRightsCheck: true }),
    about('not active', { ...recipient, ...groups('not active'), skipRightsCheck: true }),
    about('changing', groups('changing')),
    {
      operation: 'takeOwnership',
      recipient: { ...fields('_owned_by', '_created_by'), includeActor: false },
    },
  ],
  content: [
    withMessage(
      'record',
      printed('id', 'number', 'total', 'needed_by', '_step', 'extra.size.width'),
    ),
    withMessage(
      'linked',
      '{{ record.supplier.name }} of {{ record.supplier.region.name }}, led by {{ record.supplier.region.head.full_name }}',
    ),
    withMessage(
      'optional',
      '{% if record.supplier %}from {{ record.supplier.name }} ({{ record.supplier }}){% else %}without supplier{% endif %}',
    ),
    withMessage('actor', '{{ actor.full_name }} <{{ actor.email }}> {{ actor.security_role.key }}'),
    {
      ...about('personal', { ...groups('all'), skipRightsCheck: true }),
      content: {
        title: 'Dear {{ recipient.first_name }}',
        message: '{{ recipient.security_role.name }} {{ recipient.phone }}',
      },
    },
    withMessage(
      'entity',
      `{{ entity.key }}: {{ entity.name }} by ${printed('_created_by.full_name')}`,
    ),
    withMessage('empty message', ''),
    about('default', recipient),
    withContent('all parts', {
      icon: printed('notes'),
      title: 'T',
      message: 'M',
      due_date: '',
      url: '/r/{{ record.id }}',
    }),
    withMessage('lines', '  {{ record.number }}\n{{ record.notes }}  '),
    withContent('day', { due_date: printed('needed_by') }),
    withContent('moment', { due_date: printed('meeting_at') }),
    withContent('text', { due_date: printed('notes') }),
    withContent('split', { title: `{{ record.notes | split: '' | first }}` }),
    withContent('nul', { title: '{{ record.notes | url_decode }}' }),
    { operation: 'takeOwnership', recipient },
    {
      operation: 'proceedToStep',
      action: 'proceedToStep',
      recipient,
      content: { title: actionParts.join('|'), message: '{{ comment }}' },
    },
    { operation: 'proceedToStep', action: 'decision', recipient },
  ],
  commented: [
    {
      ...onSubmit,
      recipient,
      content: toDecide('Please decide.{% if comment %} Comment: {{ comment }}{% endif %}'),
    },
    { ...onSubmit, recipient: { userFields: ['deputy'] }, content: toDecide('Please decide.') },
  ],
  explained: [
    {
      ...about('x', { ...fields('approver', '_created_by'), includeActor: false }),
      content: { ...personal.content, message: 'M', due_date: printed('notes') },
    },
    about('x', groups('explained', 'nowhere'), { content: { message: printed('notes') } }),
    { operation: 'takeOwnership', recipient },
    { operation: 'proceedToStep', action: 'rejectWorkflow', recipient },
    {
      operation: 'proceedToStep',
      action: 'decision',
      recipient,
      content: { message: '{{ action.from }}' },
    },
    withContent('memory', { title: '{% for i in (1..99999999) %}{% endfor %}' }),
    about('many', groups('everyone')),
  ],
  once: [
    about('shared', { userGroups: ['everyone'] }),
    about('both', { userGroups: ['everyone'] }),
    about('both', { userGroups: ['everyone'] }, personal),
    about('both', { userFields: ['approver', '_created_by'] }),
    about('few', { userFields: ['approver', 'deputy'] }, personal),
    about('few', recipient),
  ],
  preview: [
    about('new', { userFields: ['approver', '_created_by'] }),
    about('east', { userFields: ['supplier.account_manager'] }),
    { ...onSubmit, recipient, condition: { topic: 'x' } },
    { ...onSubmit, recipient: { userGroups: ['preview'], includeActor: false } },
    { ...onSubmit, recipient: { userFields: ['deputy'] } },
    {
      operation: 'proceedToStep',
      action: 'approve',
      recipient: { userFields: ['deputy'] },
      condition: { notes: 'urgent' },
    },
    { ...onSubmit, recipient, condition: { number: 'secret' } },
    { operation: 'takeOwnership', recipient: { userGroups: ['everyone'] } },
  ],
  sent: [
    onCreate,
    { ...onSubmit, recipient: { ...recipient, userGroups: ['sent'] } },
    { operation: 'takeOwnership', recipient: { userFields: ['deputy'] } },
    { operation: 'change', fields: ['deputy'], recipient },
  ],
  can_take: [
    {
      ...onSubmit,
      recipient: { userGroups: ['board'], canTake: 'approve', skipRightsCheck: true },
    },
    { ...onSubmit, recipient: { ...recipient, canTake: 'approve' } },
    { operation: 'create', recipient: { userGroups: ['board'], canTake: 'submit' } },
  ],
  changes: [
    {
      operation: 'change',
      fields: ['total', 'sum'],
      before: { $or: [{ total: { $lt: '1000' } }, { sum: { $lt: '1000' } }] },
      condition: { $or: [{ total: { $gte: '1000' } }, { sum: { $gte: '1000' } }] },
      recipient,
      content: {
        title:
          '{{ before.total }} → {{ record.total }}, {{ before.sum }} → {{ record.sum }}, {{ before.number }}',
      },
    },
    { operation: 'change', fields: ['_step'], recipient, content: { title: 'step' } },
    {
      operation: 'change',
      condition: { topic: 'any' },
      recipient: { ...recipient, includeActor: false },
      content: { title: 'any' },
    },
    withTitle('remove', 'removed'),
    withTitle('restore', 'restored'),
  ],
  dated: [
    withDate('A', { field: 'needed_by', offset: '-30 days', late: '30 days' }),
    withDate('B', { field: 'needed_by', offset: '1 month', at: '02:30' }),
    withDate('C', { field: 'meeting_at', offset: '-90 minutes' }),
    withDate('D', { field: 'meeting_at', offset: '-2 weeks', at: '23:45' }),
  ],
  ended: ['submit', 'approve', 'create'].map((name) => ({
    ...(name === 'create' ? { operation: name } : { operation: 'proceedToStep', action: name }),
    recipient: { userFields: ['_created_by'] },
    content: { title: name, message: '', due_date: '2020-01-01' },
  })) as readonly NotificationRule[],
} satisfies Readonly<Record<string, readonly NotificationRule[]>>

export type Subject = keyof typeof rules
