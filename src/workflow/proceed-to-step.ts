/**
 * Takes an action on a record: the lock first, then the step, so that of two callers at once one
 * wins; values, step, history and what follows are one transaction.
 */
import type { Connection, Pool } from '../database/pool.ts'
import { transaction } from '../database/transaction.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { type ApiError, apiError } from '../errors.ts'
import type { RecordText } from '../records/read-records.ts'
import { lacksReference } from '../records/write/change-record.ts'
import type { FieldIssue } from '../records/write/check-values.ts'
import { findConflicts, recordError } from '../records/write/explain-refusal.ts'
import { lockRecord, type Target } from '../records/write/lock-record.ts'
import { findGuardIssues } from '../records/write/native-guards.ts'
import { RefusedWrite, refusable } from '../records/write/refusal.ts'
import { updateRecord } from '../records/write/update-record.ts'
import type { Writing } from '../records/write/writing.ts'
import { findOpenActions, type OpenAction } from './action-kinds.ts'
import type { ActionRequest } from './action-request.ts'
import { checkForm, missing, pathOf } from './check-form.ts'
import { findStepKey, listEmptyColumns } from './step-store.ts'
import {
  type Action,
  type Form,
  forbiddenAction,
  formOf,
  getStepColumn,
  getWorkflow,
  isFillable,
  namedActions,
  openActions,
} from './workflow.ts'

/** The record in its new step; its writer must have the right to the action. */
export const proceedToStep = async (
  pool: Pool,
  writing: Writing,
  target: Target,
  proceeding: ActionRequest,
): Promise<RecordText> => {
  try {
    return await transaction(pool, async (connection) => {
      await lockRecord(connection, writing, target)
      const move = await findMove(connection, writing, target.id, proceeding)
      const values = await fillIn(connection, writing, target.id, { ...move, proceeding })
      const { comment } = proceeding
      return write(connection, writing, target.id, { ...move, values, comment })
    })
  } catch (error) {
    throw error instanceof RefusedWrite ? await explain(pool, writing, target.id, error) : error
  }
}

/** An action that is open in the step of the record. */
type Move = {
  readonly from: string
  readonly to: string
  readonly action: Action
  readonly form: Form | undefined
}

const findMove = async (
  connection: Connection,
  { entity, isHidden }: Writing,
  id: number,
  { actionName, mayTake, issues }: ActionRequest,
): Promise<Move> => {
  const workflow = getWorkflow(entity)
  const from = (await findStepKey(connection, entity, id, 'all')) ?? ''
  const record = { entity, id, step: from }
  const open = await findOpenActions(connection, record, openActions(workflow, from))
  const isStepHidden = isHidden(getStepColumn(entity))
  const [named, ...others] = namedActions(workflow, open, actionName)
  const { action, to = '' } = named ?? {}
  if (others.length > 0 && action)
    throw new RefusedWrite(new Map(), [
      ...issues,
      severalOf(actionName, isStepHidden ? [] : [action, ...others.map((one) => one.action)]),
    ])
  if (!action) {
    // Malformed goes before the state of the record, as everywhere.
    if (issues.length > 0) throw new RefusedWrite(new Map(), issues)
    const told = isStepHidden ? undefined : { from, open }
    throw notOpen(entity, id, actionName, told)
  }
  if (!mayTake(action.key)) throw forbiddenAction(entity, actionName)
  const form = formOf(entity, workflow, action)
  if (!isFillable(form, isHidden))
    throw apiError(
      'caller.forbidden',
      `Your role may not fill in everything that the form "${form?.key}" requires, so it cannot take the action "${action.key}".`,
    )
  return { from, to, action, form }
}

/** None are listed for a role that the step is hidden from. */
const severalOf = (kind: string, listed: readonly Action[]): FieldIssue => {
  const keys = listed.map(({ key }) => `"${key}"`).join(', ')
  const are = keys === '' ? '' : `: ${keys}`
  const message = `"${kind}" is the kind of several open actions${are}; name one of them`
  return { path: 'action', message, rule: 'malformed' }
}

const notOpen = (
  { key }: Entity,
  id: number,
  actionKey: string,
  /** Undefined for a role that the step is hidden from. */
  told: { readonly from: string; readonly open: readonly OpenAction[] } | undefined,
): ApiError => {
  const step = told ? `in the step "${told.from}" of ${key} ${id}` : `for ${key} ${id} now`
  const open = told?.open.map(({ action }) => `"${action.key}"`).join(', ')
  const others = open === undefined ? '' : `; open there: ${open === '' ? 'nothing' : open}`
  return apiError(
    'workflow.action-not-open',
    `The action "${actionKey}" is not open ${step}${others}.`,
  )
}

/** The values of the form, or a RefusedWrite with every issue. */
const fillIn = async (
  connection: Connection,
  writing: Writing,
  id: number,
  { action, form, proceeding }: Move & { readonly proceeding: ActionRequest },
): Promise<ReadonlyMap<Column, SqlValue>> => {
  const filled = checkForm({ ...writing, action, form, given: proceeding.values })
  // Decided: a value that the record holds already counts as filled in.
  const empty = await listEmptyColumns(connection, writing.entity, id, filled.left)
  const guarded = await findGuardIssues(connection, writing, filled.values, id)
  const issues = [...proceeding.issues, ...filled.issues, ...guarded, ...empty.map(missing)]
  if (issues.length > 0 || (await lacksReference(connection, writing, id, filled.values)))
    throw new RefusedWrite(filled.values, issues)
  return filled.values
}

type Written = Move & {
  readonly values: ReadonlyMap<Column, SqlValue>
  readonly comment: string | undefined
}

const write = (
  connection: Connection,
  writing: Writing,
  id: number,
  { from, to, action: { key, kind, form }, values, comment }: Written,
): Promise<RecordText> => {
  const all = new Map([...values, [getStepColumn(writing.entity), to] as const])
  const action = { key, kind, form, from, to }
  // An action that leads back to its own step changes nothing, and has happened all the same.
  const change = { operation: 'proceedToStep', action, comment, isEvent: true } as const
  return refusable(all, () => updateRecord(connection, writing, id, { values: all, ...change }))
}

/** Every issue, with conflicts sought on a connection that no failed transaction holds. */
const explain = async (
  pool: Pool,
  { entity, references, isHidden }: Writing,
  id: number,
  { values, issues }: RefusedWrite,
): Promise<ApiError> => {
  const conflicts = await findConflicts(pool, { entity, values, id, references, isHidden })
  // The step is not in the body: what chose it is the action.
  const placed = conflicts.map((conflict) => ({
    ...conflict,
    path: conflict.path === '_step' ? 'action' : pathOf(conflict.path),
  }))
  return recordError([...issues, ...placed])
}
