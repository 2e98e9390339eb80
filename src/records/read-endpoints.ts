/** Reading records over HTTP (docs/records.md): lists, searches, one record, and its history. */
import type { Caller, Person } from '../auth/caller.ts'
import { isHidden, type RecordRight } from '../auth/entity-rights.ts'
import { partRightsOf } from '../auth/permissions.ts'
import { type ReachAs, reachAs } from '../auth/readable-records.ts'
import { type Entity, getEntity } from '../definitions/catalog.ts'
import { recordParts } from '../definitions/native-entities.ts'
import { validationError } from '../errors.ts'
import { parsedBody } from '../http/endpoint/body.ts'
import { entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { dataText, type JsonText } from '../http/endpoint/mount-path.ts'
import {
  ifNoneMatch,
  integer,
  maxRecordId,
  nameList,
  oneOf,
  pageOf,
  pageParameters,
  text,
} from '../http/endpoint/parameters.ts'
import { criteriaExamples } from '../http/openapi/criteria-schema.ts'
import { schemaNames } from '../http/openapi/entity-schemas.ts'
import {
  component,
  dataOf,
  empty,
  type JsonSchema,
  json,
  objectOf,
  schemaRef,
  type ValueOf,
} from '../http/openapi/operation.ts'
import { hasAlready } from '../http/preconditions.ts'
import { withoutShared } from '../query/access.ts'
import { type AggregateName, aggregates } from '../query/criteria/aggregates.ts'
import { noCriteria } from '../query/criteria/criteria.ts'
import { criteriaLimits } from '../query/criteria/criteria-limits.ts'
import { parseCriteria, parseOrdering } from '../query/criteria/parse-criteria.ts'
import { historyEntry, listHistory } from './history.ts'
import { historySubjects, type IsVisible } from './history-filter.ts'
import { withUsers } from './linked-users.ts'
import { permitHistory, readRecord, searchRecords, searchWithinTime } from './read-records.ts'
import {
  createReadContext,
  quoted,
  type RecordDeps,
  recordAnswer,
  recordParams,
  sendRecord,
  tagOf,
} from './record-request.ts'

type Found = Awaited<ReturnType<typeof searchRecords>>

const foundText = ({ records, count, neighbours, totals }: Found): JsonText => {
  const members: Readonly<Record<string, string | undefined>> = {
    total: printed(count?.total),
    totalIsExact: printed(count?.isExact),
    next: printed(neighbours?.next),
    previous: printed(neighbours?.previous),
    aggregate: totals?.aggregate,
    groups: totals?.groups && `[${totals.groups.join(',')}]`,
    groupsAreComplete: printed(totals?.groupsAreComplete),
  }
  const given = Object.entries(members).filter(([, text]) => text !== undefined)
  return dataText(records, given.map(([name, text]) => `,"${name}":${text}`).join(''))
}

const printed = (value: number | boolean | string | null | undefined): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value)

const selectedFields = component('SelectedFields', {
  type: 'object',
  description: 'With `$select`: only what it names, a path as an object inside.',
  properties: {
    _version: {
      type: 'integer',
      minimum: 1,
      description: 'Where `$select` names it: the number of the entity tag.',
    },
  },
})

const cursor = (description: string) =>
  ({
    type: ['string', 'null'],
    description: `With \`$after\` or \`$before\`: ${description}`,
  }) as const

type Result = { readonly type: 'object'; readonly additionalProperties: true }

const results = {
  count: { type: 'integer', minimum: 0, description: 'The number of records.' },
  ...(Object.fromEntries<Result>(
    Object.entries(aggregates).map(([name, { meaning }]) => [
      name,
      {
        type: 'object',
        description: `${meaning} By field or path; null without values.`,
        additionalProperties: true,
      },
    ]),
  ) as Record<AggregateName, Result>),
} as const

const totals = component('Totals', objectOf(results, { required: ['count'] }))

const groupTotals = component(
  'GroupTotals',
  objectOf(
    {
      key: {
        type: 'object',
        description: 'The values by field or path.',
        additionalProperties: true,
      },
      ...results,
    },
    { required: ['key', 'count'] },
  ),
)

/** One page of a search, whose `$select` may name other fields. */
const foundPage = (record: JsonSchema) =>
  objectOf(
    {
      data: { type: 'array', items: { anyOf: [record, selectedFields] } },
      total: {
        type: 'integer',
        minimum: 0,
        description: 'With `$count`: all that match, at most its limit.',
      },
      totalIsExact: {
        type: 'boolean',
        description: 'With a limit in `$count`: whether no more records match than `total`.',
      },
      next: cursor('`$after` of the next page; null on the last page.'),
      previous: cursor('`$before` of the previous page; null on the first page.'),
      aggregate: { ...totals, description: 'With `$aggregate`: of all that match.' },
      groups: {
        type: 'array',
        maxItems: criteriaLimits.groups,
        items: groupTotals,
        description: 'With `$group`: all that match by equal values, in the order of these.',
      },
      groupsAreComplete: {
        type: 'boolean',
        description: `With \`$group\`: false if there are more than ${criteriaLimits.groups} groups.`,
      },
    },
    { required: ['data'] },
  )

export type Totals = ValueOf<typeof totals>
export type GroupTotals = ValueOf<typeof groupTotals>
/** A page of a search without its records, whose fields the project defines. */
export type FoundPage = Omit<ValueOf<ReturnType<typeof foundPage>>, 'data'>

const include = nameList(
  (entity) =>
    `Many-to-one fields to expand next to their ids, also as paths such as \`_created_by.security_role\`: ${[...entity.associations.keys()].map((key) => `\`${key}\``).join(', ')}.`,
)

const sort = nameList('Fields or paths, `-` before one for descending, such as `-_created_at,id`.')

const listRecords = entityEndpoint({
  verb: 'list',
  method: 'get',
  path: '',
  right: 'read',
  summary: (entity) => `List ${quoted(entity)}`,
  query: { ...pageParameters, sort, include },
  errors: ['criteria.invalid', 'answer.too-large'],
  answers: ({ catalog, entity }) => ({
    200: json('One page.', dataOf(schemaRef(schemaNames(catalog, entity).record))),
  }),
  handle: async (call, deps: RecordDeps) => {
    const { query } = call
    const orderBy = (query.sort ?? []).map((name) => parseOrdering({ name, at: 'sort' }))
    const context = createReadContext(deps, call, query.include)
    const criteria = { ...noCriteria, orderBy }
    const page = pageOf(query)
    const { records } = await deps.read((pool) => searchRecords(pool, context, criteria, page))
    return dataText(records)
  },
})

const search = entityEndpoint({
  verb: 'search',
  method: 'post',
  path: '/search',
  right: 'read',
  isReadOnly: true,
  summary: (entity) => `Search ${quoted(entity)} by criteria`,
  query: { ...pageParameters, include },
  body: parsedBody(
    ({ entity }) => ({ schema: schemaRef('Criteria'), examples: criteriaExamples(entity) }),
    { isRequired: false },
  ),
  errors: ['criteria.invalid', 'answer.too-large'],
  answers: ({ catalog, entity }) => ({
    200: json('One page.', foundPage(schemaRef(schemaNames(catalog, entity).record))),
  }),
  handle: async (call, deps: RecordDeps) => {
    const { query } = call
    const criteria = parseCriteria(call.body)
    if (query.include && criteria.select)
      throw validationError('request.invalid', [
        { path: 'include', message: 'cannot be combined with $select; name the fields there' },
      ])
    const context = createReadContext(deps, call, query.include)
    const page = pageOf(query)
    return foundText(await deps.read((pool) => searchWithinTime(pool, context, criteria, page)))
  },
})

const read = entityEndpoint({
  verb: 'read',
  method: 'get',
  path: '/{entityId}',
  right: 'read',
  summary: (entity) => `Read a record of ${quoted(entity)}`,
  params: recordParams,
  query: { include },
  headers: { ifNoneMatch },
  errors: ['answer.too-large'],
  answers: (place) => ({
    200: recordAnswer('The record.', place),
    304: empty('Unchanged since it was read; only without `include`.', ['ETag']),
  }),
  handle: async (call, deps: RecordDeps) => {
    const { params, query, headers, reply } = call
    const context = createReadContext(deps, call, query.include)
    const record = await deps.read((pool) => readRecord(pool, context, params.entityId))
    const etag = tagOf(record, context)
    // An expanded record may change without this one, so the tag does not cover it.
    if (query.include === undefined && hasAlready(headers.ifNoneMatch, etag))
      return reply.status(304).header('ETag', etag).send()
    return sendRecord(reply, record, context)
  },
})

const history = entityEndpoint({
  verb: 'history',
  method: 'get',
  path: '/{entityId}/history',
  right: 'read',
  summary: (entity) => `Who changed what when in a record of ${quoted(entity)}`,
  description: 'The history of a removed record is for callers with the permission `delete` on it.',
  params: recordParams,
  query: {
    ...pageParameters,
    user: integer({
      min: 1,
      max: maxRecordId,
      description: 'Only what this user did: as its `user`, or as the `acting_user`.',
    }),
    field: text('Only changes of this field, by its name in a record.', { maxLength: 63 }),
    about: oneOf(historySubjects, {
      description:
        'Only of the record itself, of its tasks or comments, or of files of all of these.',
    }),
  },
  errors: ['answer.too-large'],
  answers: () => ({ 200: json('The newest first.', dataOf(historyEntry)) }),
  handle: async (call, deps: RecordDeps) => {
    const { caller, entity, params, query } = call
    const { permissions, catalog } = deps
    const id = params.entityId
    const deleteScope = permissions.scopeOf(caller, 'delete', entity)
    const scope = withoutShared(call.scope)
    const { user, field, about } = query
    const readableField = (as: ReachAs<Caller>): IsVisible => {
      const isVisible = visibleInHistory(deps, entity, id, as)
      // The entries that have changed a hidden field would reveal it.
      if (field !== undefined && !isVisible(field, undefined))
        throw validationError('request.invalid', [
          { path: 'field', message: `is not a field of ${entity.key} that you may read` },
        ])
      return isVisible
    }
    readableField(() => caller)
    const wanted = {
      catalog,
      entity,
      id,
      filter: { user, field, about },
      page: pageOf(query),
      scopeOf: (right: RecordRight) => permissions.scopeOf(caller, right, entity),
      reader: { people: getEntity(catalog, 'user'), access: permissions.accessOf(caller) },
    }
    const data = await deps.read(async (pool) => {
      await permitHistory(pool, { entity, scope }, deleteScope, id)
      const asked = { person: caller, entity, ids: [id] }
      const isVisible = readableField(await reachAs(pool, deps, asked))
      const entries = await listHistory(pool, { ...wanted, isVisible })
      const owned = entries.map((entry) => ({ entity, entry }))
      return withUsers(pool, { catalog, reader: wanted.reader }, owned)
    })
    return { data }
  },
})

/** Whether the caller may see a field of a record's history, or of the parts in it. */
export const visibleInHistory = (
  { permissions, catalog }: RecordDeps,
  entity: Entity,
  id: number,
  as: ReachAs<Person>,
): IsVisible => {
  const reader = as(id, 'read')
  const ofRecord = reader && permissions.rightsOf(reader, entity)
  const onParts = new Map(
    [...recordParts].map(([key, { readBy }]) => {
      const person = as(id, readBy)
      return [key, person && partRightsOf(permissions, person, getEntity(catalog, key))]
    }),
  )
  return (name, part) => {
    const column = (part === undefined ? entity : getEntity(catalog, part)).columnsByName.get(name)
    // The links of a task are not a column.
    if (!column) return part !== undefined
    if (part !== undefined) return onParts.get(part)?.isHidden(column) === false
    return ofRecord !== undefined && !isHidden(ofRecord, column)
  }
}

export const readEndpoints = [listRecords, search, read, history]
