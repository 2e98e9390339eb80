/** API keys over HTTP: users list, make and revoke their own, administrators list and revoke those of others (docs/api-keys.md). */
import { authorOf } from '../../auth/caller.ts'
import { type OwnKeys, unknownKey } from '../../auth/credentials/own-keys.ts'
import { maxScope } from '../../auth/key-scopes.ts'
import type { Pool } from '../../database/pool.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { id } from '../../http/endpoint/parameters.ts'
import {
  component,
  dataOf,
  empty,
  json,
  objectOf,
  time,
  timeOrNull,
  type ValueOf,
} from '../../http/openapi/operation.ts'
import { checkedName } from '../console/credential-endpoints.ts'
import { accountId, requireAccount } from './account-endpoints.ts'

export type KeyDeps = { readonly ownKeys: OwnKeys; readonly pool: Pool }

const text = { type: 'string' } as const

const properties = {
  id: { type: 'integer' },
  name: text,
  start: {
    type: ['string', 'null'],
    description: 'Its first characters; null of an older key.',
  },
  scope: {
    type: ['string', 'null'],
    description: 'What it may do of what its user may; null: everything.',
  },
  unknown_entities: {
    type: 'array',
    items: text,
    description:
      'The entities of its scope that the project does not have: on them it has no right.',
  },
  created_at: time,
  last_used_at: { ...timeOrNull, description: 'To the minute.' },
  expires_at: { ...timeOrNull, description: 'Null: it is valid until it is revoked.' },
} as const

const key = component('ApiKey', objectOf(properties))
const newKey = component(
  'NewApiKey',
  objectOf({ ...properties, key: { ...text, description: 'Shown only here.' } }),
)

export type OwnApiKey = ValueOf<typeof key>
export type NewApiKey = ValueOf<typeof newKey>

const own = { tag: 'Sessions', who: 'caller' } as const
const ofUser = { tag: 'People', who: 'administrator' } as const

const keyId = id({
  description: 'Id of the key.',
  unknown: unknownKey,
  errors: ['record.unknown'],
})

const wanted = checkedBody(
  Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 100, description: 'What it is for.' }),
      scope: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: maxScope,
          description: 'Such as `purchase_order:read,export;contact:read`; by default everything.',
        }),
      ),
      until: Type.Optional(
        Type.String({
          pattern: '^\\d{4}-\\d{2}-\\d{2}$',
          description:
            'Its last day, in the time zone of the project; by default it does not end by itself.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  {
    readOnly: {
      value: { name: 'Report of the week', scope: '*:read,export', until: '2099-12-31' },
    },
  },
)

/** /console/-/keys, and /api/accounts/{id}/keys. */
export const keyEndpoints = [
  endpoint({
    ...own,
    method: 'get',
    path: '/console/-/keys',
    id: 'listKeys',
    summary: 'Your API keys, the newest first',
    description: 'Without those that were revoked.',
    answers: { 200: json('All of them.', dataOf(key)) },
    handle: async ({ caller }, { ownKeys }: KeyDeps) => ({
      data: await ownKeys.list(caller.userId),
    }),
  }),
  endpoint({
    ...own,
    method: 'post',
    path: '/console/-/keys',
    id: 'createKey',
    summary: 'Make an API key',
    description: 'In a browser, with a proof of the last ten minutes. At most 100 of a user.',
    body: wanted,
    errors: ['caller.not-proven', 'session.unknown'],
    answers: { 201: json('The key.', newKey) },
    handle: async ({ body, request, reply }, { ownKeys }: KeyDeps) => {
      checkedName(body.name)
      const made = await ownKeys.create(body, request)
      reply.status(201).header('Cache-Control', 'no-store')
      return made
    },
  }),
  endpoint({
    ...own,
    method: 'delete',
    path: '/console/-/keys/{id}',
    id: 'revokeKey',
    summary: 'Revoke one of your API keys',
    description: 'At once, in every process, with the sessions that it has begun.',
    params: { id: keyId },
    answers: { 204: empty('It is revoked.') },
    handle: ({ caller, params, request }, { ownKeys }: KeyDeps) =>
      ownKeys.revoke({ id: params.id, userId: caller.userId, by: authorOf(caller), request }),
  }),
  endpoint({
    ...ofUser,
    method: 'get',
    path: '/api/accounts/{id}/keys',
    id: 'listKeysOfUser',
    summary: 'The API keys of a user, the newest first',
    description: 'Without those that were revoked.',
    params: { id: accountId },
    answers: { 200: json('All of them.', dataOf(key)) },
    handle: async ({ params }, { ownKeys, pool }: KeyDeps) => {
      await requireAccount(pool, params.id)
      return { data: await ownKeys.list(params.id) }
    },
  }),
  endpoint({
    ...ofUser,
    method: 'delete',
    path: '/api/accounts/{id}/keys/{key}',
    id: 'revokeKeyOfUser',
    summary: 'Revoke an API key of a user',
    params: { id: accountId, key: keyId },
    answers: { 204: empty('It is revoked.') },
    handle: ({ caller, params, request }, { ownKeys }: KeyDeps) =>
      ownKeys.revoke({ id: params.key, userId: params.id, by: authorOf(caller), request }),
  }),
]
