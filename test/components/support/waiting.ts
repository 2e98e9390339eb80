/** Records that wait for a decision, and notifications, as a service lists them. */
import type { Approval } from '../../../console/api/open-actions.ts'
import type { Notification } from '../../../console/api/types.ts'
import type { Answers } from './answers.ts'

const since = '2026-05-04T08:30:00.000Z'

const kinds = { Approve: 'approveWorkflow', Reject: 'rejectWorkflow' } as const

/** One in the step "review" of its workflow. */
export const approvalOf = (
  entity: string,
  id: number,
  display: string,
  decisions: readonly (keyof typeof kinds)[] = ['Approve', 'Reject'],
): Approval => ({
  entity,
  id,
  version: 1,
  display,
  since,
  acting_user: null,
  step: { key: 'review', name: 'In review', final: false },
  actions: decisions.map((name) => ({
    key: name.toLowerCase(),
    name,
    kind: kinds[name],
    form: null,
    to: { key: 'approved', name: 'Approved', final: true },
  })),
  by: { id: 2, full_name: 'Sale Horvat' },
})

/** Approvals and their number, as they are when they are asked for. */
export const waitingAnswers = (approvals: () => readonly Approval[]): Answers => ({
  'GET /api/approvals': ({ query }) => ({
    body: { data: approvals().slice(0, Number(query.get('limit') ?? 20)) },
  }),
  'GET /api/approvals/count': () => ({ body: { count: approvals().length, isCapped: false } }),
})

/** Whom something would notify. */
export const notifies = (
  people: readonly { readonly id: number; readonly full_name: string }[] = [],
  more: object = {},
) => ({
  body: {
    records: 1,
    count: people.length,
    emails: people.length,
    people,
    hasMore: false,
    isPartial: false,
    ...more,
  },
})

export const notificationOf = (
  id: number,
  title: string,
  more: object = {},
): Notification & { readonly user_id: number } => ({
  _id: `01900000-0000-7000-8000-0000000000${String(id).padStart(2, '0')}`,
  user_id: 1,
  entity_key: 'order',
  entity_id: id,
  timestamp: since,
  seen: false,
  content: { icon: 'bell', title, message: 'It is in review.', url: null },
  ...more,
})
