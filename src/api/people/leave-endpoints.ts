/** A user who leaves, over HTTP, for administrators: what would move to whom, and the step that moves it (docs/users.md). */
import { originOf } from '../../audit/record-audit.ts'
import type { Pool } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { apiError } from '../../errors.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { maxRecordId } from '../../http/endpoint/parameters.ts'
import { component, count, json, objectOf, type ValueOf } from '../../http/openapi/operation.ts'
import type { Observe } from '../../observations.ts'
import type { RecordDeps } from '../../records/record-request.ts'
import { accountId, requireAccount } from './account-endpoints.ts'
import { countCredentials } from './account-store.ts'
import { leave, maxHandedOver } from './hand-over.ts'
import { countWork } from './work-of-user.ts'

export type LeaveDeps = RecordDeps & { readonly observe: Observe }

const items = {
  type: 'array',
  items: objectOf({
    entity: { type: 'string', description: 'Key of the entity of the records.' },
    field: {
      type: ['string', 'null'],
      description: 'The field that names the user; null: open tasks of these records.',
    },
    count,
  }),
} as const

const ended = {
  sessions: { ...count, description: 'That end.' },
  keys: { ...count, description: 'API keys that are revoked.' },
} as const

const plan = component('WorkOfUser', objectOf({ items, ...ended }))

const handedOver = component(
  'HandedOver',
  objectOf({
    items,
    kept: {
      type: 'array',
      maxItems: 100,
      description: 'What could not be handed over, and still names the user.',
      items: objectOf({
        entity: { type: 'string' },
        id: { type: 'integer' },
        task_id: { type: ['integer', 'null'] },
        detail: { type: 'string' },
      }),
    },
    ...ended,
  }),
)

export type WorkOfUser = ValueOf<typeof plan>
export type HandedOver = ValueOf<typeof handedOver>

const common = {
  tag: 'People',
  who: 'administrator',
  path: '/api/accounts/{id}/leave',
  params: { id: accountId },
} as const

const planOf = async (pool: Pool, deps: RecordDeps, userId: number): Promise<WorkOfUser> => ({
  items: await countWork(pool, deps.catalog, userId),
  ...(await countCredentials(pool, userId)),
})

/** /api/accounts/{id}/leave. */
export const leaveEndpoints = [
  endpoint({
    ...common,
    method: 'get',
    id: 'getWorkOfUser',
    summary: 'What is handed over when a user leaves',
    description:
      'Open tasks, records that they own, and records that a link to them makes their work. For administrators.',
    answers: { 200: json('How much there is of what.', plan) },
    handle: async ({ params }, deps: LeaveDeps) => {
      await requireAccount(deps.pool, params.id)
      return planOf(deps.pool, deps, params.id)
    },
  }),
  endpoint({
    ...common,
    method: 'post',
    id: 'leave',
    summary: 'Deactivate a user who leaves, and hand their work over',
    description: `One transaction: the user is deactivated, all that signs them in ends (sessions, API keys, invitation, password, passkeys, second factor), and at most ${maxHandedOver} open tasks and records move to another user, each with its history and notifications. It may be repeated. For administrators.`,
    body: checkedBody(
      Type.Object(
        {
          to: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: maxRecordId,
              description: 'Id of the active user who takes over; needed if there is work.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    errors: ['record.invalid', 'bulk.too-many'],
    answers: { 200: json('What was handed over, and what was not.', handedOver) },
    handle: async ({ params, body, caller, request }, deps: LeaveDeps) => {
      const { pool, observe } = deps
      if (params.id === caller.userId || params.id === caller.actingUser?.id)
        throw apiError('caller.forbidden', 'Another administrator has to do this for you.')
      const full_name = await requireAccount(pool, params.id)
      const { done, written } = await transaction(pool, (connection) =>
        leave(connection, deps, {
          caller,
          user: { id: params.id, full_name },
          to: body.to,
          origin: originOf(request),
        }),
      )
      for (const [entity, id] of written) deps.onWritten(entity, id)
      const by = caller.actingUser?.id ?? caller.userId
      observe({ kind: 'userLeft', userId: params.id, by, to: body.to ?? null })
      return done
    },
  }),
]
