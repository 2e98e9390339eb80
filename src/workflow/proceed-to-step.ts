/**
 * Takes an action on a record. It locks the record first and then reads its step, so that of two callers one
 * succeeds. Values, step, history and events are one transaction.
 */
import { isHidden } from '../auth/entity-rights.ts'
import type { Connection } from '../database/pool.ts'
import type { Writer } from '../database/transaction.ts'
import { type Column, type Entity, getStepColumn } from '../definitions/catalog.ts'
import { type ApiError, apiError } from '../errors.ts'
import { maxRecordId } from '../http/endpoint/parameters.ts'
import { parsedCondition } from '../query/conditions/decide-conditions.ts'
import type { RecordText } from '../records/read-records.ts'
import { updateRecord } from '../records/write/change-record.ts'
import type { FieldIssue } from '../records/write/check-values.ts'
import {
  findInvalid,
  requireValid,
  rolesReaching,
  validationConditions,
} from '../records/write/conditions.ts'
import { lockRecord, type Target } from '../records/write/lock-record.ts'
import { requireUnlocked } from '../records/write/locks.ts'
import { findGuardIssues } from '../records/write/native-guards.ts'
import { lockCountersAhead, numbersOfAction } from '../records/write/take-numbers.ts'
import {
  lacksReference,
  type RoleGrant,
  type WriteContext,
} from '../records/write/write-context.ts'
import { settledCondition, type Way, type WriteNeeds } from '../records/write/write-needs.ts'
import { catchConflicts, WriteRejected, withConflicts } from '../records/write/write-rejected.ts'
import type { Values } from '../records/write/write-statements.ts'
import { findOpenActions, findStepKey, listEmptyColumns, type OpenAction } from './action-kinds.ts'
import { type ActionRequest, checkForm, missing, pathOf, setByAction } from './check-form.ts'
import { unmetAction } from './demands.ts'
import {
  type Action,
  type Form,
  forbiddenAction,
  formOf,
  getWorkflow,
  isFillable,
  namedActions,
  openActions,
} from './workflow.ts'

/** Returns the record in its new step. The caller must have the permission for the action. */
export const proceedToStep = (
  writer: Writer,
  asked: WriteContext,
  target: Target,
  request: ActionRequest,
): Promise<RecordText> => {
  const context = linkingSelf(asked)
  const { id } = target
  return withConflicts({ database: writer.database, context, id, pathOf: pathInRequest }, () =>
    writer.transact(async (connection) => {
      const needs = needsOfAction(context, request)
      await lockRecord(connection, context, target, needs)
      const seen = await asSeen(connection, context, id)
      const transition = await findTransition(connection, seen, id, request)
      // The step of the record itself does not lock what its own actions write.
      const written = { id, fields: [], links: needs.links, pathOf: pathInRequest }
      await requireUnlocked(connection, context, written)
      const filling = { ...transition, request }
      const taking = takenBy(seen, transition.action.key)
      const values = await readForm(connection, taking, id, filling)
      const { comment } = request
      return write(connection, context, id, { ...transition, values, comment })
    }),
  )
}

/** The context of a writer with several roles as those of them that read the record. */
const asSeen = async (
  connection: Connection,
  context: WriteContext,
  id: number,
): Promise<WriteContext> =>
  context.roles ? seenBy(context, await rolesReaching(connection, context, 'read', id)) : context

const seenBy = (context: WriteContext, roles: readonly RoleGrant[]): WriteContext => ({
  ...context,
  roles,
  isHidden: (column) => roles.every(({ rights }) => isHidden(rights, column)),
})

/** The same as those that have an action: they decide what its form may contain. */
const takenBy = (context: WriteContext, actionKey: string): WriteContext =>
  context.roles
    ? seenBy(
        context,
        context.roles.filter(({ rights }) => rights.actions.has(actionKey)),
      )
    : context

/** What it needs to take an action: it may stand in several steps, and a kind may name several actions. */
export const needsOfAction = (context: WriteContext, request: ActionRequest): WriteNeeds => {
  const { entity, userId } = context
  const workflow = getWorkflow(entity)
  const actions = actionsOfSteps(entity, request).map(({ action }) => action)
  const forms = actions.flatMap((action) => formOf(entity, workflow, action) ?? [])
  const given = ({ name }: Column) => request.values[name]
  const links = forms.flatMap(({ columns, callerColumns }) => [
    ...columns.flatMap((column) => {
      const id = column.target === undefined ? undefined : given(column)
      return typeof id === 'number' && isId(id) ? [[column, id] as const] : []
    }),
    ...callerColumns.map((column) => [column, userId] as const),
  ])
  const filled = forms.flatMap(({ columns, callerColumns }) => [...columns, ...callerColumns])
  const set = actions.flatMap((action) => [...setByAction(context, action)])
  const written = [...new Set([getStepColumn(entity), ...filled, ...set.map(([column]) => column)])]
  return {
    columns: written.map(({ name }) => name),
    links: new Map(links),
    conditions: [
      ...actions.flatMap(({ condition }) => (condition ? [parsedCondition(condition)] : [])),
      ...validationConditions(context, written),
    ],
  }
}

/** Locks the counters of all numbers that the action gives to records, which are locked. */
export const lockCountersOfAction = (
  connection: Connection,
  context: WriteContext,
  ids: readonly number[],
  request: ActionRequest,
): Promise<void> => {
  const { links } = needsOfAction(context, request)
  const keys = new Set(actionsOfSteps(context.entity, request).map(({ action }) => action.key))
  const actions = [...keys].map((key) => ({ key, links }))
  return lockCountersAhead(connection, context, ids, actions)
}

/** In which steps the caller may take an action. */
export const waysOfAction = (context: WriteContext, request: ActionRequest): readonly Way[] =>
  actionsOfSteps(context.entity, request)
    .filter(({ action }) => request.mayTake(action.key))
    .map(({ step, action: { condition } }) => {
      const own = condition ? settledCondition(context, [parsedCondition(condition)]) : undefined
      return { step, condition: own }
    })

const actionsOfSteps = (entity: Entity, { actionName }: ActionRequest) => {
  const workflow = getWorkflow(entity)
  return workflow.steps.flatMap(({ key: step, actions = [] }) =>
    namedActions(
      workflow,
      actions.map((action) => ({ step, action })),
      actionName,
    ),
  )
}

const isId = (id: number): boolean => Number.isInteger(id) && id >= 1 && id <= maxRecordId

/** Callers may sign with their own name, also with a role that may not read users. */
const linkingSelf = (context: WriteContext): WriteContext => ({
  ...context,
  references: (column, value) =>
    column.target === 'user' && value === context.userId
      ? undefined
      : context.references(column, value),
})

// The step is not in the body; the action determines it.
const pathInRequest = (column: string): string => (column === '_step' ? 'action' : pathOf(column))

/** An action that is open in the step of the record. */
type Transition = {
  readonly from: string
  readonly to: string
  readonly action: Action
  readonly form: Form | undefined
}

const findTransition = async (
  connection: Connection,
  context: WriteContext,
  id: number,
  { actionName, mayTake, issues }: ActionRequest,
): Promise<Transition> => {
  const { entity } = context
  const workflow = getWorkflow(entity)
  const from = (await findStepKey(connection, entity, id)) ?? ''
  const candidate = { id, step: from, actions: openActions(workflow, from) }
  const decider = { ...context, actingUserId: context.author.actingUserId }
  const found = await findOpenActions(connection, decider, entity, [candidate])
  const { open = [], unmet = [] } = found.get(id) ?? {}
  const isStepHidden = context.isHidden(getStepColumn(entity))
  const [named, ...others] = namedActions(workflow, open, actionName)
  const { action, to = '' } = named ?? {}
  if (others.length > 0 && action)
    throw new WriteRejected(new Map(), [
      ...issues,
      severalOf(actionName, isStepHidden ? [] : [action, ...others.map((one) => one.action)]),
    ])
  if (!action) {
    // Issues of the body come before the state of the record, as everywhere.
    if (issues.length > 0) throw new WriteRejected(new Map(), issues)
    const [closed] = namedActions(workflow, unmet, actionName)
    if (closed && mayTake(closed.action.key))
      throw unmetAction(context, id, closed.action, closed.demands)
    const known = isStepHidden ? undefined : { from, open }
    throw notOpen(entity, id, actionName, known)
  }
  if (!mayTake(action.key)) throw forbiddenAction(entity, actionName)
  const form = formOf(entity, workflow, action)
  const taking = takenBy(context, action.key)
  if (taking.roles?.length === 0) throw forbiddenAction(entity, actionName)
  if (!isFillable(form, taking.isHidden))
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
  known: { readonly from: string; readonly open: readonly OpenAction[] } | undefined,
): ApiError => {
  const step = known ? `in the step "${known.from}" of ${key} ${id}` : `for ${key} ${id} now`
  const open = known?.open.map(({ action }) => `"${action.key}"`).join(', ')
  const others = open === undefined ? '' : `; open there: ${open === '' ? 'nothing' : open}`
  return apiError(
    'workflow.action-not-open',
    `The action "${actionKey}" is not open ${step}${others}.`,
  )
}

/** The values of the form, or a WriteRejected with every issue. */
const readForm = async (
  connection: Connection,
  context: WriteContext,
  id: number,
  { to, action, form, request }: Transition & { readonly request: ActionRequest },
): Promise<Values> => {
  const filled = checkForm({ ...context, action, form, given: request.values })
  // A required field counts as filled in if the record holds a value.
  const empty = await listEmptyColumns(connection, context.entity, id, filled.left)
  const guarded = await findGuardIssues(connection, context, filled.values, id)
  const issues = [...request.issues, ...filled.issues, ...guarded, ...empty.map(missing)]
  if (issues.length === 0 && !(await lacksReference(connection, context, id, filled.values)))
    return filled.values
  const values = new Map([...filled.values, [getStepColumn(context.entity), to] as const])
  const names = new Set(fieldsOfForm(form).map(({ name }) => name))
  const checked = {
    id,
    values,
    issues,
    pathOf: (name: string) => (names.has(name) ? pathOf(name) : ''),
  }
  const invalid = await findInvalid(connection, context, checked)
  throw new WriteRejected(filled.values, [...issues, ...invalid])
}

const fieldsOfForm = (form: Form | undefined): readonly Column[] => [
  ...(form?.columns ?? []),
  ...(form?.callerColumns ?? []),
]

type Written = Transition & {
  readonly values: Values
  readonly comment: string | undefined
}

const write = async (
  connection: Connection,
  context: WriteContext,
  id: number,
  { from, to, action: taken, form, values, comment }: Written,
): Promise<RecordText> => {
  const all = new Map([...values, [getStepColumn(context.entity), to] as const])
  const { key, kind } = taken
  const action = { key, kind, form: taken.form, from, to }
  // An action that leads back to its own step changes no value, but has taken place.
  const change = { operation: 'proceedToStep', action, comment, isEvent: true } as const
  const numbers = await numbersOfAction(connection, context, id, { key, links: values })
  const files = { pathOf, ...(form && { required: form.required }) }
  const record = await catchConflicts(all, () =>
    updateRecord(connection, context, id, { values: all, numbers, files, ...change }),
  )
  // Without what the action sets itself.
  const sent = new Set(
    fieldsOfForm(form)
      .filter((column) => values.has(column))
      .map(({ name }) => name),
  )
  await requireValid(connection, context, id, {
    written: [...all.keys(), ...numbers.map(({ column }) => column)],
    pathOf: (column) => (sent.has(column) ? pathOf(column) : ''),
  })
  return record
}
