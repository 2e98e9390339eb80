/** Describes the paths of records (src/records/routes.ts), entity by entity. */
import { createPermissions } from '../../auth/permissions.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import {
  type DescribedFeature,
  type DescribedOperation,
  jsonContent,
  type Parameter,
  schemaRef,
} from '../../http/described-operation.ts'
import {
  entityId,
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  limit,
  page,
} from '../../http/described-parameters.ts'
import { criteriaExamples, criteriaSchemas } from './criteria-schema.ts'
import { schemaNames } from './entity-schemas.ts'
import { historyEntrySchema } from './history-schema.ts'
import { createdAnswer, foundPage, pageOf, recordAnswer } from './record-answers.ts'

/** Create, list, search, read, change, remove, restore, takeOwnership and history of every entity. */
export const recordFeature: DescribedFeature = {
  operations: (catalog) =>
    [...catalog.entities.values()].flatMap((entity) => operationsOf(catalog, entity)),
  schemas: {
    ...criteriaSchemas,
    SelectedFields: {
      type: 'object',
      description: 'With `$select`: only what it names, a path as an object inside.',
    },
    HistoryEntry: historyEntrySchema,
  },
  headers: {
    ETag: {
      description: 'Version of the record, for `If-Match` and `If-None-Match`.',
      schema: { type: 'string', examples: ['"3"'] },
    },
    Location: {
      description: 'Path of the new record.',
      schema: { type: 'string', format: 'uri-reference' },
    },
    'Idempotency-Replayed': {
      description: '`true` when the answer is the first one to the same `Idempotency-Key`.',
      schema: { type: 'string', const: 'true' },
    },
  },
}

type Row = Omit<DescribedOperation, 'id' | 'tag'> & { readonly verb: string }

const operationsOf = (catalog: Catalog, entity: Entity): DescribedOperation[] => {
  const rows = [
    ...collectionRows(catalog, entity),
    searchRow(catalog, entity),
    ...recordRows(catalog, entity),
    restoreRow(catalog, entity),
    ...(entity.hasOwner ? [takeOwnershipRow(catalog, entity)] : []),
    historyRow(entity),
  ]
  // Tasks are written under their record.
  const written = ['create', 'change', 'remove', 'restore']
  const taken = rows.filter(({ verb }) => entity.key !== 'task' || !written.includes(verb))
  // A verb has no underscore, so no two entities and verbs make the same id.
  return taken.map(({ verb, ...row }) => ({ ...row, id: `${verb}_${entity.key}`, tag: entity.key }))
}

const collectionRows = (catalog: Catalog, entity: Entity): Row[] => {
  const names = schemaNames(catalog, entity)
  const path = `/${entity.key}`
  const record = schemaRef(names.record)
  return [
    {
      verb: 'list',
      method: 'get',
      path,
      summary: `List ${quoted(entity)}`,
      parameters: [limit, page, sort, includeOf(entity)],
      answers: { 200: { description: 'One page.', content: jsonContent(pageOf(record)) } },
      errors: ['request.invalid', 'criteria.invalid', 'caller.forbidden'],
    },
    {
      verb: 'create',
      method: 'post',
      path,
      summary: `Create a record of ${quoted(entity)}`,
      description: 'Everything is checked at once, and `errors` names every mistake.',
      parameters: [idempotencyKey],
      body: { isRequired: true, schema: schemaRef(names.create) },
      answers: { 201: createdAnswer(record, isReadByCreators(catalog, entity)) },
      errors: [...writeErrors, 'idempotency.key-reused'],
    },
  ]
}

const isReadByCreators = (catalog: Catalog, entity: Entity): boolean => {
  const { rightsOf } = createPermissions(catalog)
  return [...catalog.roles.keys()].every((roleKey) => {
    const { create, scopes } = rightsOf({ userId: 0, roleKey }, entity)
    return !create || scopes.read !== false
  })
}

const searchRow = (catalog: Catalog, entity: Entity): Row => ({
  verb: 'search',
  method: 'post',
  path: `/${entity.key}/search`,
  summary: `Search ${quoted(entity)} by criteria`,
  parameters: [limit, page, includeOf(entity)],
  body: {
    isRequired: false,
    schema: schemaRef('Criteria'),
    examples: criteriaExamples(entity),
  },
  answers: {
    200: {
      description: 'One page.',
      content: jsonContent(foundPage(schemaRef(schemaNames(catalog, entity).record))),
    },
  },
  errors: ['request.invalid', 'criteria.invalid', 'caller.forbidden'],
})

const recordRows = (catalog: Catalog, entity: Entity): Row[] => {
  const names = schemaNames(catalog, entity)
  const path = `/${entity.key}/{entityId}`
  const record = schemaRef(names.record)
  return [
    {
      verb: 'read',
      method: 'get',
      path,
      summary: `Read a record of ${quoted(entity)}`,
      parameters: [entityId, includeOf(entity), ifNoneMatch],
      answers: {
        200: recordAnswer('The record.', record),
        304: { description: 'As it was read before; only without `include`.', headers: ['ETag'] },
      },
      errors: ['request.invalid', 'caller.forbidden', 'record.unknown'],
    },
    {
      verb: 'change',
      method: 'patch',
      path,
      summary: `Change a record of ${quoted(entity)}`,
      parameters: [entityId, ifMatch],
      body: { isRequired: true, schema: schemaRef(names.change) },
      answers: { 200: recordAnswer('The record as it is now.', record) },
      errors: [...writeErrors, 'record.unknown', 'record.stale'],
    },
    {
      verb: 'remove',
      method: 'delete',
      path,
      summary: `Remove a record of ${quoted(entity)}`,
      description:
        'The row stays, marked `_is_deleted`; its history and links to it remain. Its tasks go with it.',
      parameters: [entityId, ifMatch],
      answers: { 204: { description: 'Removed.' } },
      errors: targetErrors,
    },
  ]
}

const restoreRow = (catalog: Catalog, entity: Entity): Row => ({
  ...postRow(catalog, entity, 'restore', 'The record as it was.'),
  summary: `Restore a removed record of ${quoted(entity)}`,
  description:
    'By the right `delete`. Its tasks come back too. A search by `_is_deleted` finds what was removed.',
  errors: [...targetErrors, 'record.conflict'],
})

const takeOwnershipRow = (catalog: Catalog, entity: Entity): Row => ({
  ...postRow(catalog, entity, 'takeOwnership', 'The record; `_owned_by` is the caller.'),
  summary: `Become the owner of a record of ${quoted(entity)}`,
  errors: targetErrors,
})

/** A path below a record that takes no body and answers the record. */
const postRow = (catalog: Catalog, entity: Entity, verb: string, answer: string) => ({
  verb,
  method: 'post' as const,
  path: `/${entity.key}/{entityId}/${verb}`,
  parameters: [entityId, ifMatch],
  answers: { 200: recordAnswer(answer, schemaRef(schemaNames(catalog, entity).record)) },
})

const historyRow = (entity: Entity): Row => ({
  verb: 'history',
  method: 'get',
  path: `/${entity.key}/{entityId}/history`,
  summary: `Who changed what when in a record of ${quoted(entity)}`,
  description: 'Of a removed record for those who have the right `delete` on it.',
  parameters: [entityId, limit, page],
  answers: {
    200: {
      description: 'The newest first.',
      content: jsonContent(pageOf(schemaRef('HistoryEntry'))),
    },
  },
  errors: ['request.invalid', 'caller.forbidden', 'record.unknown'],
})

const targetErrors = [
  'request.invalid',
  'caller.forbidden',
  'record.unknown',
  'record.stale',
] as const
const writeErrors = [
  'request.invalid',
  'caller.forbidden',
  'record.conflict',
  'record.invalid',
] as const

const quoted = ({ name }: Entity) => `“${name}”`

const sort: Parameter = {
  name: 'sort',
  in: 'query',
  style: 'form',
  explode: false,
  description: 'Fields or paths, `-` before one for descending, such as `-_created_at,id`.',
  schema: { type: 'array', items: { type: 'string', minLength: 1 } },
}

const includeOf = (entity: Entity): Parameter => ({
  name: 'include',
  in: 'query',
  style: 'form',
  explode: false,
  description: `Many-to-one fields to expand beside their ids, also by paths such as \`_created_by.security_role\`: ${[...entity.associations.keys()].map((key) => `\`${key}\``).join(', ')}.`,
  schema: { type: 'array', items: { type: 'string', minLength: 1 } },
})
