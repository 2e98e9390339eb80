/** Describes the paths of stored notifications (src/notifications/routes.ts). */
import {
  type DescribedFeature,
  type DescribedOperation,
  type JsonSchema,
  jsonContent,
  type Parameter,
  schemaRef,
} from '../../http/described-operation.ts'
import { limit } from '../../http/described-parameters.ts'
import { sortFields } from './list-notifications.ts'
import { maxIds } from './mark-notifications-body.ts'
import { statuses } from './notification.ts'

const tag = 'Notifications'

const status: Parameter = {
  name: 'status',
  in: 'query',
  description: 'Which ones.',
  schema: { type: 'string', enum: statuses, default: 'all' },
}

const acceptLanguage: Parameter = {
  name: 'Accept-Language',
  in: 'header',
  description: "Language of `content.due_date`; else the project's `locale`, else English.",
  schema: { type: 'string', examples: ['de-AT, de;q=0.9'] },
}

const countSchema: JsonSchema = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 0 } },
  required: ['count'],
}

const list: DescribedOperation = {
  method: 'get',
  path: '/api/notifications',
  id: 'listNotifications',
  tag,
  summary: 'What you were told',
  description: 'Your own only. Ties stand by `_id` in the same direction.',
  parameters: [
    status,
    {
      name: 'sortField',
      in: 'query',
      description: 'A field of the record.',
      schema: { type: 'string', enum: sortFields, default: 'timestamp' },
    },
    {
      name: 'sortOrder',
      in: 'query',
      description: 'The direction.',
      schema: { type: 'string', enum: ['desc', 'asc'], default: 'desc' },
    },
    { ...limit, description: 'Notifications of one page.' },
    {
      name: 'skip',
      in: 'query',
      description: 'How many to leave out first.',
      schema: { type: 'integer', minimum: 0, maximum: 1_000_000_000, default: 0 },
    },
    acceptLanguage,
  ],
  answers: {
    200: {
      description: 'The page, as a bare array.',
      content: jsonContent({ type: 'array', items: schemaRef('StoredNotification') }),
    },
  },
  errors: ['request.invalid'],
}

const count: DescribedOperation = {
  method: 'get',
  path: '/api/notifications/count',
  id: 'countNotifications',
  tag,
  summary: 'How many there are',
  parameters: [status],
  answers: { 200: { description: 'Their number.', content: jsonContent(countSchema) } },
  errors: ['request.invalid'],
}

const moment = { type: 'string', examples: ['2026-05-04 08:30:00', '2026-05-04T08:30:00.000Z'] }
const anId = '019df21b-c740-7a17-b6c0-93a1905f2457'

const mark: DescribedOperation = {
  method: 'put',
  path: '/api/notifications/mark',
  id: 'markNotifications',
  tag,
  summary: 'Mark as seen or unseen',
  description:
    'Those of `ids` that are yours; others are ignored. With `after` or `before` also all of yours between these moments; one of them must be given where `ids` is empty. Marking twice changes nothing.',
  body: {
    isRequired: true,
    schema: {
      type: 'object',
      properties: {
        ids: { type: 'array', items: { type: 'string' }, maxItems: maxIds },
        status: { type: 'string', enum: ['seen', 'unseen'] },
        after: {
          ...moment,
          description:
            'Besides `ids`, all with a later timestamp; a time without offset is of the zone of the service.',
        },
        before: {
          ...moment,
          description: 'Besides `ids`, all up to this moment; with `after` those between the two.',
        },
      },
      required: ['ids', 'status'],
      additionalProperties: false,
    },
    examples: {
      some: { summary: 'These', value: { ids: [anId], status: 'seen' } },
      all: {
        summary: 'All up to the latest one that was shown',
        value: { ids: [], status: 'seen', before: '2026-05-04T08:30:00.000Z' },
      },
    },
  },
  answers: { 200: { description: 'How many have changed.', content: jsonContent(countSchema) } },
  errors: ['request.invalid'],
}

const stream: DescribedOperation = {
  method: 'get',
  path: '/api/notifications/stream',
  id: 'streamNotifications',
  tag,
  summary: 'New notifications as they happen',
  description:
    'Server-sent events. `notification`: the record, as in the list. `count`: `{ "unseen": n }`, at the start and after every change. A comment every 25 seconds shows that the stream lives. It ends when you may not call any more and when the service stops: open it again with `Last-Event-ID`, and nothing is lost or told twice.',
  parameters: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      description:
        'Go on after this event: the id of the last one that you got, or the `timestamp` of the latest notification that you have. Without it the stream begins with what comes now.',
      schema: { type: 'string', format: 'date-time' },
    },
    {
      name: 'lastEventId',
      in: 'query',
      description: 'The same for clients that set no headers; the header wins.',
      schema: { type: 'string', format: 'date-time' },
    },
    acceptLanguage,
  ],
  answers: {
    200: {
      description: 'The stream.',
      content: {
        'text/event-stream': {
          schema: { type: 'string' },
          examples: {
            start: { value: `id: 2026-05-04T08:30:00.000Z\nevent: count\ndata: {"unseen":1}\n\n` },
          },
        },
      },
    },
  },
  errors: ['request.invalid', 'request.saturated'],
}

const storedNotification: JsonSchema = {
  type: 'object',
  properties: {
    _id: { type: 'string', format: 'uuid', description: 'A UUIDv7.' },
    user_id: { type: 'integer' },
    entity_key: { type: 'string' },
    entity_id: { type: 'integer' },
    content: {
      type: 'object',
      properties: {
        icon: { type: 'string' },
        title: { type: 'string' },
        message: { type: 'string' },
        url: { type: ['string', 'null'] },
        due_date: {
          type: 'string',
          description:
            'As seen from now, such as "in 1 day" or "2 hours ago"; left out where there is none.',
        },
      },
      required: ['icon', 'title', 'message', 'url'],
    },
    timestamp: { type: 'string', format: 'date-time' },
    seen: { type: 'boolean' },
  },
  required: ['_id', 'user_id', 'entity_key', 'entity_id', 'content', 'timestamp', 'seen'],
  examples: [
    {
      _id: anId,
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
}

/** List, count, mark and stream. */
export const notificationFeature: DescribedFeature = {
  tags: [{ name: tag, description: 'What the caller was told, and what they have seen of it.' }],
  operations: () => [list, count, mark, stream],
  schemas: { StoredNotification: storedNotification },
}
