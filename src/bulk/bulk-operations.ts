/**
 * What a bulk write can do: one row per operation, with the permission that it needs, its check before any
 * record is read, and the write of one record, which is that of the endpoint for one record.
 */
import type { Caller } from '../auth/caller.ts'
import type { EntityRights } from '../auth/permissions.ts'
import type { Writer } from '../database/transaction.ts'
import type { Entity } from '../definitions/catalog.ts'
import { ApiError, validationError } from '../errors.ts'
import type { EntityDeps } from '../http/endpoint/entity-endpoint.ts'
import { addIssue, type Issue } from '../issues.ts'
import type { RecordScope } from '../query/access.ts'
import type { RecordDeps } from '../records/record-request.ts'
import {
  changeRecord,
  needsOfChange,
  needsOfOwnership,
  needsOfRemoval,
  removeRecord,
  takeOwnership,
} from '../records/write/change-record.ts'
import { checkGivenValues } from '../records/write/check-values.ts'
import { conditionsOf } from '../records/write/conditions.ts'
import type { Target } from '../records/write/lock-record.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import { settledCondition, type WriteNeeds } from '../records/write/write-needs.ts'
import type { Values } from '../records/write/write-record.ts'
import { recordError } from '../records/write/write-rejected.ts'
import { parseActionRequest } from '../workflow/check-form.ts'
import { permitAction } from '../workflow/endpoints.ts'
import { needsOfAction, proceedToStep, waysOfAction } from '../workflow/proceed-to-step.ts'
import { getWorkflow } from '../workflow/workflow.ts'
import { invalid, type OperationName, type Wanted } from './bulk-request.ts'

type Asked = { readonly caller: Caller; readonly entity: Entity; readonly wanted: Wanted }

type WrittenRecord = { readonly isChanged: boolean; readonly version?: number }

/** Writes one record, or throws as the endpoint for one record would. */
export type WriteOne = (writer: Writer, target: Target) => Promise<WrittenRecord>

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

type PreparedWrite = {
  /** What all of them need, with the ways in which one may be written. */
  readonly needs: WriteNeeds
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
          ways: [{ condition: settledCondition(context, conditionsOf(context, 'update')) }],
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
        needs: { ...needs, ways: [{ condition: settledCondition(context, needs.conditions) }] },
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
