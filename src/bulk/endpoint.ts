/** Writing many records at once over HTTP (docs/records.md). */
import { type Caller, lackingRoles } from '../auth/caller.ts'
import type { Connection, Pool } from '../database/pool.ts'
import { transaction, trial } from '../database/transaction.ts'
import type { Entity } from '../definitions/catalog.ts'
import { writtenLists } from '../definitions/lines.ts'
import { closed } from '../definitions/schemas/schema-builder.ts'
import { isObject } from '../definitions/values/check-value.ts'
import { apiError } from '../errors.ts'
import { type EntityPlace, parsedBody } from '../http/endpoint/body.ts'
import type { ApiSection } from '../http/endpoint/endpoint.ts'
import { type EntityDeps, entityEndpoint } from '../http/endpoint/entity-endpoint.ts'
import { idempotencyKey, maxRecordId } from '../http/endpoint/parameters.ts'
import { type Answer, answerOnce, sendAnswer } from '../http/idempotency.ts'
import { changeSchema, knownSchema, schemaNames } from '../http/openapi/entity-schemas.ts'
import {
  component,
  count,
  type Examples,
  issueSchema,
  type JsonSchema,
  json,
  objectOf,
  schemaRef,
  textOrNull,
  type ValueOf,
} from '../http/openapi/operation.ts'
import {
  createReadContext,
  createWriteContext,
  type RecordDeps,
} from '../records/record-request.ts'
import { lockAhead } from '../records/write/lock-record.ts'
import { rollUp } from '../records/write/roll-up.ts'
import type { Wholes } from '../records/write/write-context.ts'
import { readsCalculated } from '../records/write/write-needs.ts'
import { withConflicts } from '../records/write/write-rejected.ts'
import { refuseParts } from '../records/write-endpoints.ts'
import { getWorkflow } from '../workflow/workflow.ts'
import { actionBody } from '../workflow/workflow-schemas.ts'
import {
  bulkOperations,
  checkOperation,
  findTargets,
  type Outcome,
  runBulk,
  withLastVersions,
} from './bulk-operations.ts'
import {
  type BulkRequest,
  maxRecords,
  type OperationName,
  operationNames,
  operationOf,
  parseBulkRequest,
} from './bulk-request.ts'
import { isOwnValues, ownValuesOn, parseOwnValues, permitOwnValues } from './own-values.ts'

type Place = EntityPlace

const id: JsonSchema = { type: 'integer', minimum: 1, maximum: maxRecordId }

const dryRun: JsonSchema = {
  type: 'boolean',
  description: 'Write nothing, and say what would happen.',
}

const isTrue = (name: string): JsonSchema => objectOf({ [name]: { const: true } }, closed)

/** `do` of each operation. */
const wanted: Readonly<Record<OperationName, (place: Place) => JsonSchema>> = {
  change: ({ catalog, entity }) =>
    objectOf(
      {
        // A change of many records has no lines.
        change:
          writtenLists(catalog, entity).length > 0
            ? changeSchema(undefined, entity)
            : schemaRef(schemaNames(catalog, entity).change),
      },
      closed,
    ),
  action: ({ entity }) => actionBody(entity, getWorkflow(entity)),
  remove: () => isTrue('remove'),
  takeOwnership: () => isTrue('takeOwnership'),
}

const available = (entity: Entity): readonly OperationName[] =>
  operationNames.filter((name) => bulkOperations[name].lacks?.(entity) === undefined)

const bulkBody = (place: Place): JsonSchema => {
  const common = {
    do: { anyOf: available(place.entity).map((name) => wanted[name](place)) },
    versions: {
      type: 'object',
      description:
        'By id, the version that you have read: a record that has another one is refused.',
      additionalProperties: id,
      maxProperties: maxRecords,
    },
    dryRun,
  }
  const ids = { type: 'array', items: id, minItems: 1, maxItems: maxRecords, uniqueItems: true }
  const criteria = objectOf(
    {
      $where: { type: 'object' },
      $search: { type: 'string' },
      $orderBy: { type: 'array', items: { type: 'string' }, minItems: 1 },
    },
    { ...closed, required: [], description: 'The records that match, as in a search.' },
  )
  const withTargets = (name: string, schema: JsonSchema): JsonSchema => ({
    ...objectOf({ [name]: schema, ...common }, closed),
    required: [name, 'do'],
  })
  return { anyOf: [withTargets('ids', ids), withTargets('criteria', criteria), ownBody(place)] }
}

const ownBody = ({ catalog, entity }: Place): JsonSchema => {
  const arrayOf = (items: JsonSchema): JsonSchema => ({
    type: 'array',
    items,
    maxItems: maxRecords,
  })
  return {
    ...objectOf(
      {
        create: arrayOf(schemaRef(schemaNames(catalog, entity).create)),
        change: arrayOf(knownSchema(entity, 'change')),
        remove: arrayOf(knownSchema(entity, 'remove')),
        dryRun,
      },
      closed,
    ),
    description: `Records with values of their own, ${maxRecords} in all: all of them are written, or nothing.`,
    required: [],
    minProperties: 1,
  }
}

const bulkExamples = ({ entity }: Place): Examples =>
  Object.fromEntries([
    ['dryRun', { value: { ids: [1, 2], do: { remove: true }, dryRun: true } }],
    ['own', { value: { remove: [{ id: 1, _version: 1 }, { id: 2 }] } }],
    ...(entity.hasOwner
      ? [['takeOwnership', { value: { ids: [1, 2], do: { takeOwnership: true } } }]]
      : []),
  ])

const outcome = component(
  'BulkOutcome',
  objectOf({
    id: {
      type: ['integer', 'null'],
      description: 'Null for a new record of a dry run, which has none.',
    },
    status: {
      type: 'string',
      enum: ['done', 'unchanged', 'refused'],
      description: '`unchanged`: the record was so already.',
    },
    version: {
      type: ['integer', 'null'],
      description: 'The version that the record has now; null if it was refused or removed.',
    },
    code: { type: ['string', 'null'], description: 'Why it was refused: the code of an error.' },
    detail: textOrNull,
    errors: {
      type: 'array',
      description: 'The first issues of a refused record.',
      items: issueSchema,
    },
  }),
)

const bulkAnswer = component(
  'BulkAnswer',
  objectOf({
    dryRun: { type: 'boolean' },
    counts: objectOf({ done: count, unchanged: count, refused: count }),
    data: { type: 'array', items: outcome },
  }),
)

const bulk = entityEndpoint({
  verb: 'bulk',
  method: 'post',
  path: '/bulk',
  right: ({ caller, entity, sent }, deps) => permitBulk(deps, caller, entity, sent),
  refuse: refuseParts,
  summary: ({ name }) => `Write many records of “${name}”`,
  description:
    'Each record is written as by the endpoint for one record. Of a write by `do` each has an answer of its own: one that is refused does not keep the others from being written. Records with values of their own are written together: if one is refused, nothing is written, and `errors` names the faults of all with paths such as `create[3].name`.',
  headers: { idempotencyKey },
  body: parsedBody((place) => ({ schema: bulkBody(place), examples: bulkExamples(place) })),
  errors: [
    'bulk.too-many',
    'caller.condition-not-met',
    'criteria.invalid',
    'record.conflict',
    'record.invalid',
    'record.locked',
    'record.stale',
    'record.unknown',
  ],
  answers: () => ({
    200: json('What happened to each record, in order.', bulkAnswer, ['Idempotency-Replayed']),
  }),
  handle: async ({ caller, entity, body, headers, reply }, deps: RecordDeps) => {
    const written: (readonly [Entity, number])[] = []
    const onWritten = (one: Entity, id: number) => written.push([one, id])
    const { isDryRun, work } = prepareWork(deps, { caller, entity }, body, onWritten)
    const answer = await answerBulk(deps.pool, isDryRun, {
      userId: caller.userId,
      key: headers.idempotencyKey,
      request: [`POST ${entity.key}/bulk`, body],
      work: async (connection) => {
        const place = { catalog: deps.catalog, entity }
        const outcomes = await withLastVersions(connection, place, await work(connection))
        return { status: 200, headers: {}, body: printOutcomes(isDryRun, outcomes) }
      },
    })
    if (!isDryRun) for (const [one, id] of written) deps.onWritten(one, id)
    return sendAnswer(reply, answer)
  },
})

export const bulkSection: ApiSection<RecordDeps> = { endpoints: [bulk] }

type Entered = { readonly caller: Caller; readonly entity: Entity }

/** The permission is checked before the body; a body that names no operation needs any of them. */
const permitBulk = (deps: EntityDeps, caller: Caller, entity: Entity, sent: unknown): void => {
  if (isOwnValues(sent)) {
    permitOwnValues(deps, caller, entity, sent)
    return
  }
  const wanted = isObject(sent) && isObject(sent.do) ? sent.do : {}
  const name = operationOf(wanted)
  const rights = deps.permissions.rightsOf(caller, entity)
  if (name !== undefined && bulkOperations[name].lacks?.(entity) === undefined)
    bulkOperations[name].permit(deps, { caller, entity, wanted })
  else if (
    !rights.create &&
    !Object.values(bulkOperations).some(({ isPermitted }) => isPermitted(rights))
  )
    throw apiError(
      'caller.forbidden',
      `${lackingRoles(caller)} permission to create, change, remove, take over or act on records of "${entity.key}".`,
    )
}

type Work = (connection: Connection) => Promise<readonly Outcome[]>

type Prepared = { readonly isDryRun: boolean; readonly work: Work }

/** What a body asks to be written, checked as far as no record is needed; `onWritten` is called with all that are. */
const prepareWork = (
  deps: RecordDeps,
  entered: Entered,
  body: unknown,
  onWritten: RecordDeps['onWritten'],
): Prepared => {
  if (isOwnValues(body)) {
    const asked = parseOwnValues(body)
    return { isDryRun: asked.isDryRun, work: ownValuesOn(deps, entered, asked, onWritten) }
  }
  const request = parseBulkRequest(body)
  const work = prepare(deps, entered, request)
  return {
    isDryRun: request.isDryRun,
    work: async (connection) => {
      const outcomes = await work(connection)
      for (const { id, status } of outcomes)
        if (id !== null && status === 'done') onWritten(entered.entity, id)
      return outcomes
    },
  }
}

// Every record stores what is wanted, and so does its history.
const maxCharacters = 16 * 1024 * 1024

const prepare = (
  deps: RecordDeps,
  { caller, entity }: Entered,
  { operation, wanted, targets, versions }: BulkRequest,
): Work => {
  const asked = { caller, entity, wanted }
  checkOperation(operation, asked)
  const { permit, prepare: prepareOne } = bulkOperations[operation]
  const scope = permit(deps, asked)
  const context = createWriteContext(deps, { caller, entity, scope })
  const { needs, lockMore, writeIn } = prepareOne(deps, context, asked)
  const readScope = deps.permissions.permit(caller, 'read', entity)
  const reading = createReadContext(deps, { caller, entity, scope: readScope })
  return async (connection) => {
    const ids =
      'ids' in targets ? targets.ids : await findTargets(connection, reading, targets.criteria)
    const characters = JSON.stringify(wanted).length * ids.length
    if (characters > maxCharacters)
      throw apiError(
        'bulk.too-many',
        `\`do\` for ${ids.length} records has ${characters} characters in all; at most ${maxCharacters} are written at once.`,
      )
    const lockedAhead = await lockAhead(connection, context, needs, ids)
    await lockMore?.(connection, [...lockedAhead])
    // Conditions are asked after all that a write calculates, as for one record.
    const laterRollups: Wholes | undefined = readsCalculated(context, needs) ? undefined : new Map()
    const within = { ...context, lockedAhead, ...(laterRollups && { laterRollups }) }
    const outcomes = await runBulk(
      connection,
      { ids, versions, lockedAhead, entity },
      writeIn(within),
    )
    if (laterRollups)
      await withConflicts({ database: deps.pool, context }, () =>
        rollUp(connection, context, laterRollups),
      )
    return outcomes
  }
}

type Run = {
  readonly userId: number
  readonly key: string | undefined
  readonly request: readonly unknown[]
  readonly work: (connection: Connection) => Promise<Answer>
}

/** A dry run stores no answer: nothing of it is to be repeated. */
const answerBulk = (
  pool: Pool,
  isDryRun: boolean,
  { key, work, ...rest }: Run,
): Promise<Answer> => {
  if (isDryRun) return trial(pool, work)
  return key === undefined ? transaction(pool, work) : answerOnce({ pool, key, ...rest }, work)
}

const printOutcomes = (isDryRun: boolean, data: readonly Outcome[]): string => {
  const counts = { done: 0, unchanged: 0, refused: 0 }
  for (const { status } of data) counts[status] += 1
  // The versions of a dry run do not exist.
  const shown = isDryRun ? data.map((one) => ({ ...one, version: null })) : data
  return JSON.stringify({ dryRun: isDryRun, counts, data: shown })
}

export type BulkOutcome = ValueOf<typeof outcome>
