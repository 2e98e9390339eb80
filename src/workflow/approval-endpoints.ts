/** The approvals of a caller over HTTP: the records that wait for a decision, and their number. */
import { type Entity, getEntity } from '../definitions/catalog.ts'
import { answerIn, type LanguageDeps, namesLanguage } from '../http/endpoint/answer-language.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { oneOf, pageOf, pageParameters, text } from '../http/endpoint/parameters.ts'
import { component, dataOf, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { namedUser, namedUserOr } from '../records/history.ts'
import type { RecordDeps } from '../records/record-request.ts'
import {
  countWaiting,
  type DecidedQueue,
  decidedQueuesOf,
  listWaiting,
  maxWaiting,
  type WaitingRow,
} from './approval-store.ts'
import { printAction, printStep } from './list-actions.ts'
import { formOf, getWorkflow } from './workflow.ts'
import { openActions } from './workflow-schemas.ts'

export const approvalTag = 'Approvals'

const common = { tag: approvalTag, who: 'caller', method: 'get' } as const

const order = oneOf(['oldest', 'newest'], {
  description:
    'Which come first: those that have waited longest, or the newest. Records that can be approved always come before those that can only be rejected.',
  default: 'oldest',
})

const wanted = {
  entity: text('Key of the entity.'),
  action: text(
    'Key of an action, or `approveWorkflow` or `rejectWorkflow`: only records that it can be taken of, and only this action of them.',
  ),
}

const approval = component(
  'Approval',
  objectOf({
    entity: { type: 'string', description: 'Key of the entity.' },
    id: { type: 'integer' },
    version: {
      type: 'integer',
      description: 'The version of the record; its `ETag` is `"<version>"`.',
    },
    display: { type: 'string', description: 'Its display field, cut after 500 characters.' },
    step: objectOf({
      key: { type: 'string' },
      name: { type: 'string' },
      final: { type: 'boolean' },
    }),
    actions: {
      ...openActions.properties.data,
      description: 'Those that approve or reject, and that you may take.',
    },
    since: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When it came to this step.',
    },
    by: namedUserOr('Who brought it there; null: the service itself.'),
    acting_user: namedUserOr('Who really acted, as `by`; null: `by` themselves.'),
  }),
)

const approvalCount = component(
  'ApprovalCount',
  objectOf({
    count: { type: 'integer', minimum: 0, maximum: maxWaiting },
    isCapped: { type: 'boolean', description: 'There are more than are counted.' },
  }),
)

export type Approval = ValueOf<typeof approval>
export type ApprovalCount = ValueOf<typeof approvalCount>

/** /api/approvals and its count. */
export const approvalEndpoints = [
  endpoint({
    ...common,
    path: '/api/approvals',
    id: 'listApprovals',
    summary: 'The records that wait for your decision',
    description: `Records of all entities in a step with an action that approves or rejects and that you may take; at most ${maxWaiting} of each entity.`,
    query: { ...wanted, order, ...pageParameters },
    errors: ['entity.unknown'],
    headers: { acceptLanguage: namesLanguage },
    answers: { 200: json('One page.', dataOf(approval), ['Content-Language']) },
    handle: async ({ caller, query, headers, reply }, deps: RecordDeps & LanguageDeps) => {
      const { catalog } = answerIn(deps, headers.acceptLanguage, reply)
      const people = getEntity(deps.catalog, 'user')
      const reader = { people, access: deps.permissions.accessOf(caller) }
      const { queues, rows } = await deps.read(async (pool) => {
        const decided = decidedQueuesOf({ ...deps, catalog }, caller, query)
        const page = { order: query.order, page: pageOf(query) }
        return {
          queues: decided,
          rows: await listWaiting(pool, { queues: decided, reader, ...page }),
        }
      })
      return { data: rows.map(createPrinter(queues)) }
    },
  }),
  endpoint({
    ...common,
    path: '/api/approvals/count',
    id: 'countApprovals',
    summary: 'The number of records that wait for your decision',
    query: wanted,
    errors: ['entity.unknown'],
    answers: { 200: json(`Counted up to ${maxWaiting}.`, approvalCount) },
    handle: async ({ caller, query }, deps: RecordDeps) => {
      const count = await deps.read(async (pool) =>
        countWaiting(pool, decidedQueuesOf(deps, caller, query)),
      )
      return { count: Math.min(count, maxWaiting), isCapped: count > maxWaiting }
    },
  }),
]

const createPrinter = (queues: readonly DecidedQueue[]) => {
  const steps = new Map(
    queues.flatMap((queue) =>
      queue.steps.map(({ step, actions }) => [
        placeOf(queue.entity.key, step.key),
        { step: printStep(getWorkflow(queue.entity), step.key), actions: printAll(queue, actions) },
      ]),
    ),
  )
  return (row: WaitingRow) => {
    const { entity_key: entity, id, version, display, since } = row
    const by = namedUser(row.user_id, row.full_name)
    const acting_user = namedUser(row.acting_user_id, row.acting_name)
    const place = placeOf(entity, row.step)
    const found = steps.get(place)
    if (!found) throw new Error(`No approval waits in ${place}.`)
    const open = found.actions
      .filter(({ printed, isConditional }) => !isConditional || row.met.includes(printed.key))
      .map(({ printed }) => printed)
    return { entity, id, version, display, step: found.step, actions: open, since, by, acting_user }
  }
}

const placeOf = (entityKey: Entity['key'], stepKey: string): string => `${entityKey} ${stepKey}`

const printAll = (
  { entity, isHidden, conditions }: DecidedQueue,
  actions: DecidedQueue['steps'][number]['actions'],
) => {
  const workflow = getWorkflow(entity)
  return actions.map((action) => ({
    isConditional: conditions.byKey.has(action),
    printed: printAction(
      workflow,
      // Actions that decide name their step.
      { action, to: action.to ?? '' },
      formOf(entity, workflow, action),
      isHidden,
    ),
  }))
}
