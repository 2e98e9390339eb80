/** Explains to administrators what a user may do with a record, and what decides it: POST /api/access/explain. */
import { roleKeysOf, wholeRoleKey } from '../../auth/caller.ts'
import { findUserCaller } from '../../auth/callers/find-callers.ts'
import { noRecordRights, recordRights } from '../../auth/entity-rights.ts'
import type { Permissions } from '../../auth/permissions.ts'
import { isUnauthorized } from '../../auth/unauthorized.ts'
import type { Pool, Queryable } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import { type Catalog, getEntity } from '../../definitions/catalog.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { errorText } from '../../errors.ts'
import { answerIn, type LanguageDeps, namesLanguage } from '../../http/endpoint/answer-language.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { type ApiSection, endpoint } from '../../http/endpoint/endpoint.ts'
import { maxRecordId } from '../../http/endpoint/parameters.ts'
import {
  json,
  objectOf,
  schemasBy,
  textOrNull,
  type ValueOf,
} from '../../http/openapi/operation.ts'
import { unknownRecord } from '../../records/read-records.ts'
import { findUserById } from '../../users/user-store.ts'
import { findStepKey } from '../../workflow/action-kinds.ts'
import { printStep } from '../../workflow/list-actions.ts'
import { type Explaining, explainRole, findMay, refusals } from './explain-role.ts'

export type AccessDeps = LanguageDeps & {
  readonly pool: Pool
  readonly permissions: Permissions
  readonly timeZone: string
}

const id = Type.Integer({ minimum: 1, maximum: maxRecordId })
const body = checkedBody(
  Type.Object(
    { entityKey: Type.String(), entityId: id, userId: id },
    { additionalProperties: false },
  ),
  { order: { value: { entityKey: 'purchase_order', entityId: 1, userId: 1 } } },
)

const text = { type: 'string' } as const
const names = { type: 'array', items: text } as const
const values = {
  type: 'array',
  items: objectOf({ path: text, value: { description: 'As a record has it; null if empty.' } }),
} as const

const criterion = objectOf({
  depth: { type: 'integer', description: 'How deep it is in groups: its group is above it.' },
  kind: {
    type: 'string',
    enum: ['and', 'or', 'not', 'own', 'criterion'],
    description: '`own`: whether the user created or owns the record, or it is shared with them.',
  },
  isMet: { type: 'boolean' },
  where: {
    type: ['object', 'null'],
    additionalProperties: {},
    description: 'The criterion as `$where`; null for others.',
  },
  ofRecord: { ...values, description: 'What the record has at the paths of the criterion.' },
  ofUser: {
    ...values,
    description:
      'What the user has at the paths of the criterion; the first 100 values where these are many.',
  },
})

const verdict = {
  may: { type: 'boolean', description: 'Whether the role lets the user do it with the record.' },
  reason: { enum: [...refusals, null], description: 'Why not.' },
  criteria: {
    type: 'array',
    items: criterion,
    description: 'All of the depth 0 must be met; none where every record is included.',
  },
} as const

const right = objectOf({
  right: { type: 'string', enum: recordRights },
  granted: { enum: [true, false, 'own'], description: 'What the role says.' },
  ...verdict,
})

const action = objectOf({ key: text, name: text, granted: { type: 'boolean' }, ...verdict })

const role = objectOf({
  key: text,
  name: text,
  rights: { type: 'array', items: right },
  actions: { type: 'array', items: action, description: 'Of all steps, each once.' },
  hiddenFields: names,
  readOnlyFields: names,
})

const explanation = objectOf({
  user: objectOf({ id: { type: 'integer' }, full_name: textOrNull }),
  refused: {
    type: ['string', 'null'],
    description: 'Why the user may not use the service at all, whatever their roles grant.',
  },
  step: {
    anyOf: [objectOf({ key: text, name: text, final: { type: 'boolean' } }), { type: 'null' }],
  },
  may: objectOf(schemasBy(recordRights, { type: 'boolean' } as const), {
    description: 'What the user may do with the record now.',
  }),
  roles: {
    type: 'array',
    items: role,
    description: 'All of them, each with its permissions on the entity.',
  },
})
export type AccessExplanation = ValueOf<typeof explanation>

/** POST /api/access/explain. */
const explainAccess = endpoint({
  tag: 'Definitions',
  who: 'administrator',
  method: 'post',
  path: '/api/access/explain',
  id: 'explainAccess',
  summary: 'What a user may do with a record, and what decides it',
  description:
    'For administrators: for each permission and action whether the role of the user grants it, which criteria the record must meet, and the values that these compare.',
  headers: { acceptLanguage: namesLanguage },
  body,
  errors: ['entity.unknown', 'record.unknown'],
  answers: { 200: json('The roles of the user.', explanation, ['Content-Language']) },
  handle: ({ body: asked, headers, reply }, deps: AccessDeps) => {
    const { catalog } = answerIn(deps, headers.acceptLanguage, reply)
    // All of it is of one moment.
    return transaction(
      deps.pool,
      (database) => explain(database, { ...deps, catalog }, asked),
      'REPEATABLE READ READ ONLY',
    )
  },
})

type Request = { readonly entityKey: string; readonly entityId: number; readonly userId: number }
type Explain = Pick<AccessDeps, 'permissions' | 'timeZone'> & { readonly catalog: Catalog }

const explain = async (
  database: Queryable,
  deps: Explain,
  { entityKey, entityId, userId }: Request,
) => {
  const { catalog, permissions, timeZone } = deps
  const entity = getEntity(catalog, entityKey)
  const step = await findStepKey(database, entity, entityId)
  if (step === undefined) throw unknownRecord(entity, entityId)
  const user = await findUserById(database, userId)
  if (!user) throw unknownRecord(getEntity(catalog, 'user'), userId)
  const { full_name, role_key: roleKey } = user
  const of = { catalog, permissions, timeZone, entity, id: entityId, userId, step }
  const holder = { userId, roleKey: wholeRoleKey(roleKey ?? '') }
  const explaining = { database, ...of, holder }
  const refused = await refusalOf(database, userId)
  const { workflow } = entity.definition
  const isRefused = refused !== null || roleKey === null
  return {
    user: { id: userId, full_name },
    refused,
    step: workflow ? printStep(workflow, step) : null,
    may: isRefused ? noRecordRights : (await findMay(explaining, explaining.holder)).may,
    roles: await explainRoles(explaining, roleKey),
  }
}

const explainRoles = async (explaining: Explaining, roleKey: string | null) => {
  const explained: Awaited<ReturnType<typeof explainRole>>[] = []
  for (const key of roleKey === null ? [] : roleKeysOf({ roleKey }))
    explained.push(await explainRole(explaining, key))
  return explained
}

/** What the service answers to the user, if it refuses them. */
const refusalOf = async (database: Queryable, userId: number): Promise<string | null> => {
  try {
    await findUserCaller(database, userId)
    return null
  } catch (error) {
    if (isUnauthorized(error)) return errorText(error)
    throw error
  }
}

export const accessSection: ApiSection<AccessDeps> = { endpoints: [explainAccess] }
