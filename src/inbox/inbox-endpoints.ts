/** Stored notifications over HTTP (docs/notifications.md), each for the caller's own only. */
import type { Pool } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { acceptLanguage, integer, oneOf, pageParameters } from '../http/endpoint/parameters.ts'
import {
  component,
  type HeaderDescriptions,
  json,
  objectOf,
  textOrNull,
  time,
  type ValueOf,
} from '../http/openapi/operation.ts'
import { withoutEndedDates } from './ended-due-dates.ts'
import {
  countNotifications,
  listedStatuses,
  listNotifications,
  sortFields,
} from './list-notifications.ts'
import { exampleId, markBody, markNotifications, toMarkRequest } from './mark-notifications.ts'
import { recordOf, statuses } from './notification.ts'
import { readLanguage } from './relative-time.ts'
import { snoozeBody, snoozeNotifications, toSnoozeRequest } from './snooze.ts'

export type InboxDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  /** Zone of a time without an offset. */
  readonly timeZone: string
  /** The language if the caller requests none that is available. */
  readonly locale: string
}

/** The tag of these endpoints. */
const common = { tag: 'Notifications', who: 'caller' } as const

const status = oneOf(statuses, { description: 'Which ones.', default: 'all' })

const listQuery = {
  status: oneOf(listedStatuses, {
    description: 'Which ones; those that are snoozed are in no other list.',
    default: 'all',
  }),
  sortField: oneOf(sortFields, { description: 'A field of the record.', default: 'timestamp' }),
  sortOrder: oneOf(['desc', 'asc'], {
    description: 'The direction.',
    default: 'desc',
    ignoresCase: true,
  }),
  limit: { ...pageParameters.limit, description: 'Notifications of one page.' },
  skip: integer({
    min: 0,
    max: 1_000_000_000,
    default: 0,
    description: 'How many to leave out first.',
  }),
}

/** Headers of a mark. */
export const markHeaders: HeaderDescriptions = {
  'X-Marked-At': {
    description: 'The moment that names this mark as seen; omitted if it changed nothing.',
    schema: time,
  },
}

const count = objectOf({ count: { type: 'integer', minimum: 0 } })

/** What a notification says. */
export const storedContent = objectOf(
  {
    icon: { type: 'string' },
    title: { type: 'string' },
    message: { type: 'string' },
    url: textOrNull,
    comment_id: {
      type: 'integer',
      description: 'The comment on the record that it is about; omitted if it is about none.',
    },
    due_date: {
      type: 'string',
      description:
        'Relative to now, such as "in 1 day" or "2 hours ago"; omitted if there is none, and once the record is in a final step, the task is completed, or it was removed.',
    },
  },
  { required: ['icon', 'title', 'message', 'url'] },
)

/** A notification as its owner reads it. */
export const storedNotification = component('StoredNotification', {
  ...objectOf(
    {
      _id: { type: 'string', format: 'uuid', description: 'A UUIDv7.' },
      user_id: { type: 'integer' },
      entity_key: { type: 'string' },
      entity_id: { type: 'integer' },
      content: storedContent,
      timestamp: time,
      seen: { type: 'boolean' },
      snoozed_until: {
        type: 'string',
        format: 'date-time',
        description: 'When it comes back; omitted unless it is snoozed.',
      },
    },
    {
      required: ['_id', 'user_id', 'entity_key', 'entity_id', 'content', 'timestamp', 'seen'],
    },
  ),
  examples: [
    {
      _id: exampleId,
      user_id: 7,
      entity_key: 'purchase_order',
      entity_id: 12,
      content: {
        icon: 'check',
        title: 'PO-12 was approved',
        message: 'Anna Horvat approved the purchase order PO-12.',
        url: '/console/purchase_order/12',
        due_date: 'in 1 day',
      },
      timestamp: '2026-05-04T08:30:00.000Z',
      seen: false,
    },
  ],
})

export type StoredNotification = ValueOf<typeof storedNotification>

/** List, count and mark. */
export const inboxEndpoints = [
  endpoint({
    ...common,
    method: 'get',
    path: '/api/notifications',
    id: 'listNotifications',
    summary: 'Your notifications',
    description: 'Only your own. Equal values are sorted by `_id` in the same direction.',
    query: listQuery,
    headers: { acceptLanguage },
    errors: ['answer.too-large'],
    answers: {
      200: json('The page, as a bare array.', { type: 'array', items: storedNotification }),
    },
    handle: async ({ caller, query, headers, reply }, deps: InboxDeps) => {
      const { pool, catalog, locale, timeZone } = deps
      const { userId } = caller
      const found = await listNotifications(pool, { userId, ...query })
      const rows = await withoutEndedDates(pool, catalog, found)
      const language = readLanguage(headers.acceptLanguage, locale)
      reply.header('Vary', 'Accept-Language')
      return rows.map((row) => recordOf(row, { language, timeZone }))
    },
  }),
  endpoint({
    ...common,
    method: 'get',
    path: '/api/notifications/count',
    id: 'countNotifications',
    summary: 'How many there are',
    query: { status },
    answers: { 200: json('Their number.', count) },
    handle: async ({ caller, query }, { pool }: InboxDeps) => ({
      count: await countNotifications(pool, caller.userId, query.status),
    }),
  }),
  endpoint({
    ...common,
    method: 'put',
    path: '/api/notifications/mark',
    id: 'markNotifications',
    summary: 'Mark as seen or unseen',
    description:
      'Those of `ids` that are yours; others are ignored. With `after` or `before` also all of yours between these times; one of them is required if `ids` is empty. Marking twice changes nothing. `X-Marked-At` names what a call has marked as seen: `unseen` with `markedAt` marks exactly these as unseen again.',
    body: markBody,
    answers: { 200: json('How many have changed.', count, Object.keys(markHeaders)) },
    handle: async ({ caller: { userId }, body, reply }, { pool, timeZone }: InboxDeps) => {
      const request = toMarkRequest(body, timeZone)
      const { marked, marked_at: at } = await markNotifications(pool, userId, request)
      if (at !== null && request.status === 'seen') reply.header('X-Marked-At', at)
      return { count: marked }
    },
  }),
  endpoint({
    ...common,
    method: 'put',
    path: '/api/notifications/snooze',
    id: 'snoozeNotifications',
    summary: 'Snooze until a time',
    description:
      'Those of `ids` that are yours; others are ignored. Until then they are neither listed nor counted. Then they are unseen and the latest, with a new `timestamp`, and are pushed.',
    body: snoozeBody,
    answers: { 200: json('How many there are.', count) },
    handle: async ({ caller: { userId }, body }, { pool, timeZone }: InboxDeps) => ({
      count: await snoozeNotifications(pool, userId, toSnoozeRequest(body, timeZone)),
    }),
  }),
]
