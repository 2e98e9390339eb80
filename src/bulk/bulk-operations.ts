/**
 * What a bulk write can do: one row per operation, with the permission that it needs, its check before any
 * record is read, and the write of one record, which is that of the endpoint for one record.
 */
import type { Caller } from '../auth/caller.ts'
import type { EntityRights } from '../auth/entity-rights.ts'
import { type Connection, type Queryable, queryShaped } from '../database/pool.ts'
import { ints, raw, sql, table } from '../database/sql.ts'
import { partOf, type Writer } from '../database/transaction.ts'
import { rollupsOf } from '../definitions/calculations/rollups.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { type ErrorCode, errorKinds } from '../error-kinds.ts'
import { ApiError, apiError, validationError } from '../errors.ts'
import type { EntityDeps } from '../http/endpoint/entity-endpoint.ts'
import { addIssue, type Issue } from '../issues.ts'
import type { RecordScope } from '../query/access.ts'
import { compileCount, compileSelect } from '../query/compile-select.ts'
import type { Criteria } from '../query/criteria/criteria.ts'
import { planSelect } from '../query/plan-select.ts'
import type { ReadContext } from '../records/read-records.ts'
import type { RecordDeps } from '../records/record-request.ts'
import { changeRecord, removeRecord, takeOwnership } from '../records/write/change-record.ts'
import { checkGivenValues } from '../records/write/check-values.ts'
import { conditionsOf } from '../records/write/conditions.ts'
import { staleRecord, type Target } from '../records/write/lock-record.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import {
  needsOfChange,
  needsOfOwnership,
  needsOfRemoval,
  settledCondition,
  type Way,
  type WriteNeeds,
} from '../records/write/write-needs.ts'
import { recordError } from '../records/write/write-rejected.ts'
import type { Values } from '../records/write/write-statements.ts'
import { parseActionRequest } from '../workflow/check-form.ts'
import { permitAction } from '../workflow/endpoints.ts'
import {
  lockCountersOfAction,
  needsOfAction,
  proceedToStep,
  waysOfAction,
} from '../workflow/proceed-to-step.ts'
import { getWorkflow } from '../workflow/workflow.ts'
import { invalid, maxRecords, type OperationName, type Wanted } from './bulk-request.ts'

type Asked = { readonly caller: Caller; readonly entity: Entity; readonly wanted: Wanted }

type WrittenRecord = { readonly isChanged: boolean; readonly version?: number }

/** Writes one record, or throws as the endpoint for one record would. */
type WriteOne = (writer: Writer, target: Target) => Promise<WrittenRecord>

type BulkOperation = {
  /** Properties of `do` besides the name of the operation. */
  readonly more: readonly string[]
  /** Why records of an entity cannot be written so; undefined if they can. */
  readonly lacks?: (entity: Entity) => string | undefined
  /** Whether a role may do it to any record at all. */
  readonly isPermitted: (rights: EntityRights) => boolean
  /** The records that the permission covers; throws an error 403 if the role lacks it. */
  readonly permit: (deps: EntityDeps, asked: Asked) => RecordScope
  /** Checks what is wanted; throws with every issue. */
  readonly prepare: (deps: RecordDeps, context: WriteContext, asked: Asked) => PreparedWrite
}

// Of several roles, each has its own conditions: which of them grant the write is asked of each record.
const waysOf = (context: WriteContext, conditions: WriteNeeds['conditions']): readonly Way[] =>
  context.roles ? [{}] : [{ condition: settledCondition(context, conditions) }]

type PreparedWrite = {
  /** What all of them need, with the ways in which one may be written. */
  readonly needs: WriteNeeds
  /** Locks what records take one after the other, once they are locked. */
  readonly lockMore?: (connection: Connection, ids: readonly number[]) => Promise<void>
  readonly writeIn: (context: WriteContext) => WriteOne
}

export const bulkOperations: Readonly<Record<OperationName, BulkOperation>> = {
  change: {
    more: [],
    isPermitted: ({ scopes }) => scopes.update !== false,
    permit: ({ permissions }, { caller, entity }) => permissions.permit(caller, 'update', entity),
    prepare: (_deps, context, { wanted: { change } }) => {
      const values = inPlace('do.change', () => checkChange(context, change))
      const needs = needsOfChange(context, values)
      return {
        needs: {
          ...needs,
          ways: waysOf(context, conditionsOf(context, 'update')),
        },
        writeIn: (within) => (writer, target) => changeRecord(writer, within, target, change),
      }
    },
  },
  action: {
    more: ['values', 'comment'],
    lacks: ({ hasWorkflow }) => (hasWorkflow ? undefined : 'have no workflow'),
    isPermitted: ({ actions }) => actions.size > 0,
    permit: (deps, { caller, entity, wanted }) => {
      permitAction(deps, caller, entity, wanted)
      return 'all'
    },
    prepare: (deps, context, { caller, entity, wanted }) => {
      const { actions } = deps.permissions.rightsOf(caller, entity)
      const mayTake = (key: string) => actions.has(key)
      const request = inPlace('do', () => {
        const parsed = parseActionRequest(getWorkflow(entity), wanted, mayTake)
        if (parsed.issues.length > 0) throw recordError(parsed.issues)
        return parsed
      })
      const needs = needsOfAction(context, request)
      return {
        needs: { ...needs, ways: waysOfAction(context, request) },
        lockMore: (connection, ids) => lockCountersOfAction(connection, context, ids, request),
        writeIn: (within) => async (writer, target) => {
          const { version } = await proceedToStep(writer, within, target, request)
          return { isChanged: true, version }
        },
      }
    },
  },
  remove: {
    more: [],
    isPermitted: ({ scopes }) => scopes.delete !== false,
    permit: ({ permissions }, { caller, entity }) => permissions.permit(caller, 'delete', entity),
    prepare: (deps, context, { wanted }) => {
      refuseUnlessTrue('remove', wanted)
      const needs = needsOfRemoval(context)
      return {
        needs: { ...needs, ways: waysOf(context, needs.conditions) },
        writeIn: (within) => async (writer, target) => {
          await removeRecord(writer, within, target, deps.onRemoved)
          return { isChanged: true }
        },
      }
    },
  },
  takeOwnership: {
    more: [],
    lacks: ({ hasOwner }) => (hasOwner ? undefined : 'have no owner'),
    isPermitted: ({ scopes }) => scopes.takeOwnership !== false,
    permit: ({ permissions }, { caller, entity }) =>
      permissions.permit(caller, 'takeOwnership', entity),
    prepare: (_deps, context, { wanted }) => {
      refuseUnlessTrue('takeOwnership', wanted)
      return {
        needs: needsOfOwnership(context),
        writeIn: (within) => (writer, target) => takeOwnership(writer, within, target),
      }
    },
  },
}

/** Checks what the definitions and the other properties of `do` say about an operation. */
export const checkOperation = (name: OperationName, { entity, wanted }: Asked): void => {
  const { lacks, more } = bulkOperations[name]
  const issues: Issue[] = []
  const lacking = lacks?.(entity)
  if (lacking !== undefined)
    addIssue(issues, {
      path: `do.${name}`,
      message: `is impossible: records of ${entity.key} ${lacking}`,
    })
  for (const key of Object.keys(wanted).filter((one) => one !== name && !more.includes(one)))
    addIssue(issues, { path: `do.${key}`, message: `cannot be combined with ${name}` })
  if (issues.length > 0) throw invalid(issues)
}

const checkChange = (context: WriteContext, body: unknown): Values => {
  const { values, issues } = checkGivenValues({ ...context, body })
  if (issues.length > 0) throw recordError(issues)
  if (values.size === 0) throw invalid([{ path: '', message: 'names no field to change' }])
  return values
}

/** Runs a check of a part of the body; its issues name their places in the whole body. */
const inPlace = <T>(place: string, check: () => T): T => {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const pathOf = (path: string) => (path === '' ? place : `${place}.${path}`)
    const issues = error.errors.map((issue) => ({ ...issue, path: pathOf(issue.path) }))
    throw validationError(error.code, issues)
  }
}

const refuseUnlessTrue = (name: OperationName, wanted: Wanted): void => {
  if (wanted[name] !== true) throw invalid([{ path: `do.${name}`, message: 'must be true' }])
}

/** Their ids, in the order of the criteria; throws bulk.too-many with their number. */
export const findTargets = async (
  database: Queryable,
  context: Omit<ReadContext, 'include'>,
  criteria: Criteria,
): Promise<readonly number[]> => {
  const page = { limit: maxRecords + 1, offset: 0 }
  const plan = planSelect({ ...context, criteria, columns: [], page })
  const rows = await queryShaped<{ id: number }>(database, compileSelect(plan, raw('t."id" AS id')))
  if (rows.length <= maxRecords) return rows.map(({ id }) => id)
  const [all] = await queryShaped<{ total: number }>(database, compileCount(plan))
  throw apiError(
    'bulk.too-many',
    `The criteria match ${all?.total} records of ${context.entity.key}; at most ${maxRecords} are written at once.`,
  )
}

export type Outcome = {
  /** Null: a new record of a dry run. */
  readonly id: number | null
  readonly status: 'done' | 'unchanged' | 'refused'
  /** The version that the record has now; null if it was refused or removed. */
  readonly version: number | null
  readonly code: ErrorCode | null
  readonly detail: string | null
  readonly errors: readonly Issue[]
}

/** Issues of one record in the answer; a thousand records could have a hundred thousand. */
const maxIssuesShown = 5

type Run = {
  readonly ids: readonly number[]
  readonly versions: ReadonlyMap<number, number>
  /** The others could not be written when these were locked. */
  readonly lockedAhead: ReadonlySet<number>
  readonly entity: Entity
}

/**
 * Writes one record after the other inside one transaction, each behind a savepoint: a record that cannot be written
 * is left as it was, and the others are written.
 */
export const runBulk = async (
  connection: Connection,
  { ids, versions, lockedAhead, entity }: Run,
  write: WriteOne,
): Promise<readonly Outcome[]> => {
  const writer = partOf(connection)
  /** One that could be written meanwhile is refused, since nothing that its conditions read is locked. */
  const refuse: WriteOne = (whole, target) =>
    whole.transact(async () => {
      await write(writer, target)
      throw staleRecord(entity, target.id)
    })
  const outcomes: Outcome[] = []
  for (const id of ids) {
    const version = versions.get(id)
    const precondition = version === undefined ? 'any' : [version]
    outcomes.push(
      await (lockedAhead.has(id) ? write : refuse)(writer, { id, precondition }).then(
        (written) => ({
          id,
          status: written.isChanged ? 'done' : 'unchanged',
          version: written.version ?? null,
          code: null,
          detail: null,
          errors: [],
        }),
        (error: unknown) => refusalOf(id, error),
      ),
    )
  }
  return outcomes
}

/** The outcomes when all is written: what others keep of a record may have changed these once more. */
export const withLastVersions = async (
  connection: Connection,
  { catalog, entity }: { readonly catalog: Catalog; readonly entity: Entity },
  outcomes: readonly Outcome[],
): Promise<readonly Outcome[]> => {
  if (rollupsOf(catalog, entity).length === 0) return outcomes
  const ids = outcomes.flatMap(({ id, version }) => (version === null ? [] : (id ?? [])))
  const select = sql`SELECT t.id, t._version AS version FROM ${table(entity)} t WHERE t.id = ANY (${ints(ids)})`
  const rows = await queryShaped<{ id: number; version: number }>(connection, select)
  const last = new Map(rows.map(({ id, version }) => [id, version]))
  return outcomes.map((one) =>
    one.version === null ? one : { ...one, version: last.get(one.id ?? 0) ?? one.version },
  )
}

const refusalOf = (id: number, error: unknown): Outcome => {
  if (!(error instanceof ApiError) || errorKinds[error.code].status >= 500) throw error
  const { code, message: detail } = error
  const errors = error.errors.slice(0, maxIssuesShown)
  return { id, status: 'refused', version: null, code, detail, errors }
}
