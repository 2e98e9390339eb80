/** Who was notified of what happened to a record: for everybody who may read it, as far as they may know. */
import type { Caller } from '../../auth/caller.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { matchRules, type TakenAction } from '../../definitions/notification-matching.ts'
import { channelNames } from '../../definitions/schemas/notification-rule.ts'
import { apiError } from '../../errors.ts'
import { entityEndpoint } from '../../http/endpoint/entity-endpoint.ts'
import { integer } from '../../http/endpoint/parameters.ts'
import { component, dataOf, json, objectOf } from '../../http/openapi/operation.ts'
import { withoutShared } from '../../query/access.ts'
import { permitHistory } from '../../records/read-records.ts'
import { quoted, recordParams } from '../../records/record-request.ts'
import type { EngineDeps } from './evaluate-rules.ts'
import {
  isOpenTo,
  maxCounted,
  maxNamed,
  namingFor,
  peopleProperties,
} from './preview/preview-recipients.ts'
import { listSent, type SentRow } from './sent-store.ts'

const sentEntry = component(
  'SentNotifications',
  objectOf({
    history_id: { type: 'integer', description: 'The entry of the history.' },
    operation: { type: 'string' },
    at: { type: 'string', format: 'date-time', description: 'When it happened.' },
    count: { type: 'integer', minimum: 0, description: 'Users who were notified, each once.' },
    ...peopleProperties({
      channels: {
        type: 'array',
        items: objectOf({
          channel: { type: 'string', enum: ['inbox', ...channelNames] },
          at: {
            type: ['string', 'null'],
            format: 'date-time',
            description: 'When it was sent; null: not yet.',
          },
        }),
      },
    }),
    isPartial: {
      type: 'boolean',
      description:
        'Whether a rule depends on what you may not read; then nobody is counted or named.',
    },
  }),
)

/** GET /<entity>/<id>/notified. */
export const sentEndpoint = entityEndpoint({
  verb: 'notified',
  method: 'get',
  path: '/{entityId}/notified',
  right: 'read',
  refuse: (entity) =>
    entity.definition.notifications
      ? undefined
      : apiError('request.no-such-path', `The entity ${entity.key} has no notifications.`),
  summary: (entity) => `Who was notified of what happened to a record of ${quoted(entity)}`,
  description:
    'As far as notifications and deliveries are kept. That of a removed record is for callers with the permission `delete` on it.',
  params: recordParams,
  query: {
    limit: integer({ min: 1, max: 100, default: 50, description: 'The most entries.' }),
  },
  answers: () => ({
    200: json(
      'The newest entries of the history of which anybody was notified.',
      dataOf(sentEntry),
    ),
  }),
  handle: async ({ caller, entity, scope, params, query }, deps: EngineDeps) => {
    const { permissions, pool } = deps
    const record = params.entityId
    const readable = { entity, scope: withoutShared(scope) }
    await permitHistory(pool, readable, permissions.scopeOf(caller, 'delete', entity), record)
    const naming = namingFor(deps, caller)
    const rows = await listSent(pool, {
      entity,
      record,
      limit: query.limit,
      maxNamed,
      maxCounted,
      named: naming ?? { callerId: caller.userId, scope: 'none' },
    })
    return { data: rows.map((row) => shown(deps, { caller, entity, row, isNamed: !!naming })) }
  },
})

type Shown = {
  readonly caller: Caller
  readonly entity: Entity
  readonly row: SentRow
  readonly isNamed: boolean
}

/** What the caller may know of an entry: nothing where it would tell what a rule has read. */
const shown = (deps: EngineDeps, { caller, entity, row, isNamed }: Shown) => {
  const { history_id, operation, at, count, people } = row
  const rules = matchRules(entity.definition, operation, takenAction(entity, row))
  const isOpen = rules.every(({ rule }) => isOpenTo(deps, { caller, entity }, rule))
  return {
    history_id,
    operation,
    at,
    count: isOpen ? Math.min(count, maxCounted) : 0,
    hasMore: isOpen && count > maxCounted,
    people: isOpen && isNamed ? JSON.parse(people) : [],
    isPartial: !isOpen,
  }
}

/** The action as rules refer to it; its form as the definition has it now. */
const takenAction = ({ definition }: Entity, { action }: SentRow): TakenAction | undefined => {
  if (action === null) return undefined
  const taken: Omit<TakenAction, 'form'> = JSON.parse(action)
  const actions = definition.workflow?.steps.flatMap((step) => step.actions ?? []) ?? []
  return { ...taken, form: actions.find(({ key }) => key === taken.key)?.form }
}
