/** Describes the paths of a person's own work (own-routes.ts). */
import {
  type DescribedOperation,
  jsonContent,
  type Parameter,
  schemaRef,
} from '../../http/described-operation.ts'
import { limit, page } from '../../http/described-parameters.ts'
import { statuses } from './own-tasks.ts'

/** The group that they are shown in. */
export const taskTag = 'Tasks'

const whose: readonly Parameter[] = [
  {
    name: 'assignee',
    in: 'query',
    description: '`me`, or the id of a user: then within your rights.',
    schema: { anyOf: [{ const: 'me' }, { type: 'integer', minimum: 1 }], default: 'me' },
  },
  {
    name: 'entity',
    in: 'query',
    description: "Only tasks of this entity's records.",
    schema: { type: 'string' },
  },
  {
    name: 'timeZone',
    in: 'query',
    description: 'Whose day today is; else the zone of the service.',
    schema: { type: 'string', examples: ['Europe/Zagreb'] },
  },
]

const statusParameter: Parameter = {
  name: 'status',
  in: 'query',
  description:
    'overdue: due before now; today: due on this day, also earlier; upcoming: due on a later day.',
  schema: { type: 'string', enum: [...statuses], default: 'open' },
}

/** The list, the counters, and the calendar feed with what opens and ends it. */
export const ownOperations: readonly DescribedOperation[] = [
  {
    method: 'get',
    path: '/api/tasks',
    id: 'listOwnTasks',
    tag: taskTag,
    summary: "A person's work over all entities",
    parameters: [...whose, statusParameter, limit, page],
    answers: {
      200: {
        description: 'Soonest due first.',
        content: jsonContent({
          type: 'object',
          properties: { data: { type: 'array', items: schemaRef('TaskUnderRecord') } },
          required: ['data'],
        }),
      },
    },
    errors: ['request.invalid', 'entity.unknown'],
  },
  {
    method: 'get',
    path: '/api/tasks/count',
    id: 'countOwnTasks',
    tag: taskTag,
    summary: 'The number of tasks by status',
    parameters: whose,
    answers: {
      200: { description: 'All counters.', content: jsonContent(schemaRef('TaskCount')) },
    },
    errors: ['request.invalid', 'entity.unknown'],
  },
  {
    method: 'post',
    path: '/api/tasks/calendar',
    id: 'openCalendarFeed',
    tag: taskTag,
    summary: 'Make the address of your calendar feed',
    description: 'For a calendar program to subscribe to. An address made before ends.',
    answers: {
      201: {
        description: 'The address, shown this once; who has it sees your open tasks.',
        content: jsonContent({
          type: 'object',
          properties: { url: { type: 'string', format: 'uri' } },
          required: ['url'],
        }),
      },
    },
    errors: ['request.invalid'],
  },
  {
    method: 'delete',
    path: '/api/tasks/calendar',
    id: 'closeCalendarFeed',
    tag: taskTag,
    summary: 'End your calendar feed',
    answers: { 204: { description: 'Ended, or there was none.' } },
    errors: ['request.invalid'],
  },
  {
    method: 'get',
    path: '/api/tasks/calendar.ics',
    id: 'calendarFeed',
    tag: taskTag,
    summary: 'Open tasks with a due date as iCalendar',
    parameters: [
      {
        name: 'key',
        in: 'query',
        required: true,
        description: 'Of the address that was made for you.',
        schema: { type: 'string' },
      },
    ],
    isPublic: true,
    answers: {
      200: {
        description: 'RFC 5545.',
        content: { 'text/calendar': { schema: { type: 'string' } } },
      },
    },
    errors: ['request.invalid', 'task.feed-unknown'],
  },
]
