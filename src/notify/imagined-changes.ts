/** The changes that an operation would make now, for explanations and previews: nothing is written. */
import { authorOf, type Caller } from '../auth/caller.ts'
import { isHidden, isReadOnly } from '../auth/entity-rights.ts'
import { mentionsIn } from '../comments/mentions.ts'
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { bound, ints, join, raw, ref, type Sql, sql, table } from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import type { TakenAction } from '../definitions/notification-rules.ts'
import type { CommentOperation, PreviewedOperation } from '../definitions/operations.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { didYouMean } from '../did-you-mean.ts'
import { type ApiError, validationError } from '../errors.ts'
import type { ChangeMessage } from '../records/write/change-events.ts'
import { checkNewValues, type FieldIssue } from '../records/write/check-values.ts'
import { createReferenceCheck, type ReferenceCheck } from '../records/write/write-context.ts'
import {
  changesBetween,
  recalculated,
  rowOfNew,
  type Values,
} from '../records/write/write-statements.ts'
import { findOpenActions, findStanding, type StandingRecord } from '../workflow/action-kinds.ts'
import { checkForm } from '../workflow/check-form.ts'
import { permitAction } from '../workflow/endpoints.ts'
import {
  type Action,
  actionKeys,
  type Form,
  formOf,
  getWorkflow,
  isFillable,
  openActions,
} from '../workflow/workflow.ts'
import type { DecideDeps } from './decide.ts'

/** An operation of a caller who may know the entity. */
type ImaginedOperation = {
  readonly caller: Caller
  readonly entity: Entity
  readonly entityIds: readonly number[]
  /** Key of the action, with `proceedToStep`. */
  readonly action: string
  /** Of the new record, or of the form of the action. */
  readonly values: Readonly<Record<string, unknown>>
}

type Changes = { readonly messages: readonly ChangeMessage[]; readonly source?: Sql }

/** Throws the error of a caller who lacks the permission; records with which the operation is not possible are left out. */
export const changesOf: Readonly<
  Record<PreviewedOperation, (deps: DecideDeps, imagined: ImaginedOperation) => Promise<Changes>>
> = {
  create: async (deps, imagined) => {
    const { caller, entity } = imagined
    deps.permissions.permitCreate(caller, entity)
    const values = await valuesOfNew(deps, imagined)
    return {
      messages: [messageOf(imagined, 'create', 0, null)],
      source: rowOfNew(deps.catalog, entity, caller.userId, values),
    }
  },
  takeOwnership: async ({ pool, permissions }, imagined) => {
    const { caller, entity, entityIds } = imagined
    const scopes = (['takeOwnership', 'read'] as const).map((right) =>
      permissions.permit(caller, right, entity),
    )
    const records = entity.hasOwner ? await findStanding(pool, entity, entityIds, scopes) : []
    const messages = records.map(({ id }) => messageOf(imagined, 'takeOwnership', id, null))
    const values = { _owned_by: caller.userId }
    const taken = rowsAfter(
      entity,
      records.map(({ id }) => ({ id, values })),
    )
    return { messages: await withChanges(pool, entity, messages, taken) }
  },
  proceedToStep: async (deps, imagined) => {
    const { pool, permissions } = deps
    const { caller, entity, entityIds, action } = imagined
    if (!actionKeys(getWorkflow(entity)).includes(action)) throw unknownAction(entity, action)
    permitAction(deps, caller, entity, { action })
    const scope = permissions.permit(caller, 'read', entity)
    const records = await findStanding(pool, entity, entityIds, [scope])
    const messages: ChangeMessage[] = []
    const acted: ActedRecord[] = []
    // For the action of each step in which it is open.
    const typed = new Map<Action, Values>()
    for (const [id, open] of await findOpen(deps, imagined, records)) {
      const values = typed.get(open.action) ?? (await valuesOfForm(deps, imagined, open))
      typed.set(open.action, values)
      messages.push(messageOf(imagined, 'proceedToStep', id, open.taken))
      acted.push({ id, values: { ...jsonOf(values), ...open.values } })
    }
    const source = rowsAfter(entity, acted)
    return { messages: await withChanges(pool, entity, messages, source), source }
  },
  comment: (deps, imagined) => commentsOf(deps, imagined, 'comment'),
  mention: (deps, imagined) => commentsOf(deps, imagined, 'mention'),
}

/** A comment on each record that the caller may comment, with its text and whether it is internal. */
const commentsOf = async (
  { pool, permissions }: DecideDeps,
  imagined: ImaginedOperation,
  operation: CommentOperation,
): Promise<Changes> => {
  const { caller, entity, entityIds, values } = imagined
  const scopes = (['comments', 'read'] as const).map((right) =>
    permissions.permit(caller, right, entity),
  )
  const text = typeof values.text === 'string' ? values.text : ''
  const said = {
    comment_id: null,
    text,
    is_internal: values.is_internal === true,
    mentioned: mentionsIn(text),
  }
  const records = await findStanding(pool, entity, entityIds, scopes)
  return {
    messages: records.map(({ id }) => ({ ...messageOf(imagined, operation, id, null), said })),
  }
}

/** The messages with what would change, where a rule asks for it. */
const withChanges = async (
  pool: Queryable,
  entity: Entity,
  messages: readonly ChangeMessage[],
  source: Sql,
): Promise<readonly ChangeMessage[]> => {
  const { notifications = [] } = entity.definition
  if (!notifications.some(({ operation }) => operation === 'change')) return messages
  const columns = entity.columns.filter(
    ({ isSystem, name }) => !isSystem || name === '_step' || name === '_owned_by',
  )
  const rows = await queryRows<{ id: number; changes: string }>(
    pool,
    sql`
SELECT b.id, ${changesBetween(columns, 'b', 'c')} AS changes
FROM ${source} c
JOIN ${table(entity)} b ON b.id = c.id`,
  )
  const found = new Map(rows.map(({ id, changes }) => [id, JSON.parse(changes)]))
  return messages.map((message) => ({ ...message, changes: found.get(message.entity_id) ?? {} }))
}

const messageOf = (
  { caller, entity }: ImaginedOperation,
  operation: PreviewedOperation,
  id: number,
  action: TakenAction | null,
): ChangeMessage =>
  imagineChange({
    entity_key: entity.key,
    entity_id: id,
    operation,
    action,
    actor_id: caller.userId,
  })

/** The values as JSON, by column. */
const jsonOf = (values: Values): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...values].map(([{ name, field }, value]) => [
      name,
      field.type === 'json' && typeof value === 'string' ? JSON.parse(value) : value,
    ]),
  )

type OpenHere = {
  readonly action: Action
  readonly form: Form | undefined
  readonly taken: TakenAction
  readonly values: ActedRecord['values']
}

/** By id, the action in the step of each record where it is open and the caller may fill in its form. */
const findOpen = async (
  { pool, permissions, catalog, timeZone }: DecideDeps,
  { caller, entity, action: key }: ImaginedOperation,
  records: readonly StandingRecord[],
): Promise<ReadonlyMap<number, OpenHere>> => {
  const workflow = getWorkflow(entity)
  const rights = permissions.rightsOf(caller, entity)
  const isFilled = (action: Action) =>
    isFillable(formOf(entity, workflow, action), (column) => isHidden(rights, column))
  const candidates = records.map((record) => ({
    ...record,
    actions: openActions(workflow, record.step).filter((one) => one.key === key && isFilled(one)),
  }))
  const decider = { catalog, timeZone, ...authorOf(caller) }
  const found = await findOpenActions(pool, decider, entity, candidates)
  return new Map(
    records.flatMap(({ id, step }): [number, OpenHere][] => {
      const [open] = found.get(id)?.open ?? []
      if (!open) return []
      const { action, to } = open
      const taken = { key, kind: action.kind, form: action.form, from: step, to }
      const values = { _step: to, _updated_by: caller.userId }
      return [[id, { action, form: formOf(entity, workflow, action), taken, values }]]
    }),
  )
}

/** Values that a caller has typed and not sent yet. */
type Typed = {
  readonly caller: Caller
  readonly entity: Entity
  readonly values: Readonly<Record<string, unknown>>
}

const path = 'values'

/** The values of a new record; what is missing or refused counts as empty. */
const valuesOfNew = (deps: DecideDeps, typed: Typed): Promise<Values> => {
  const { caller, entity, values: body } = typed
  const rights = deps.permissions.rightsOf(caller, entity)
  const { values, issues } = checkNewValues({
    catalog: deps.catalog,
    entity,
    body,
    timeZone: deps.timeZone,
    isHidden: (column) => isHidden(rights, column),
    isReadOnly: (column) => isReadOnly(rights, column),
  })
  throwMalformed(
    issues.map((issue) => ({ ...issue, path: issue.path === '' ? path : `${path}.${issue.path}` })),
  )
  return withoutLostLinks(deps.pool, referencesOf(deps, typed), values)
}

/** The values of the form of an action; a record keeps its own of what is missing or refused. */
const valuesOfForm = (
  deps: DecideDeps,
  typed: Typed,
  { action, form }: { readonly action: Action; readonly form: Form | undefined },
): Promise<Values> => {
  const { caller, entity, values: given } = typed
  const rights = deps.permissions.rightsOf(caller, entity)
  const { values, issues } = checkForm({
    catalog: deps.catalog,
    entity,
    action,
    form,
    given,
    timeZone: deps.timeZone,
    userId: caller.userId,
    isHidden: (column) => isHidden(rights, column),
  })
  throwMalformed(issues)
  const references = referencesOf(deps, typed)
  // Callers may sign with themselves, also if their role may not read users.
  const isOwn = (column: Column, value: SqlValue) =>
    column.target === 'user' && value === caller.userId
  return withoutLostLinks(
    deps.pool,
    (column, value) => (isOwn(column, value) ? undefined : references(column, value)),
    values,
  )
}

const throwMalformed = (issues: readonly FieldIssue[]): void => {
  const wrong = issues.filter(({ rule }) => rule === 'malformed')
  if (wrong.length > 0) throw validationError('request.invalid', wrong)
}

const referencesOf = ({ catalog, permissions }: DecideDeps, { caller }: Typed): ReferenceCheck =>
  createReferenceCheck({
    catalog,
    isAdministrator: caller.roleKey === administratorRole,
    access: permissions.accessOf(caller),
  })

/** The values without links to records that are not there for the caller, as a create would refuse them. */
const withoutLostLinks = async (
  database: Queryable,
  references: ReferenceCheck,
  values: Values,
): Promise<Values> => {
  const checks = [...values].flatMap(([column, value]): [Column, Sql][] => {
    const exists = references(column, value)?.exists
    return exists ? [[column, exists]] : []
  })
  if (checks.length === 0) return values
  const list = checks.map(([{ name }, exists]) => sql`${exists} AS ${ref(name)}`)
  const found = await queryRow<Record<string, boolean>>(database, sql`SELECT ${join(list, ', ')}`)
  const lost = checks.filter(([{ name }]) => found?.[name] !== true)
  return new Map([...values, ...lost.map(([column]) => [column, null] as const)])
}

/** A record as an action would leave it: what the service itself sets, by column. */
export type ActedRecord = {
  readonly id: number
  readonly values: Readonly<Record<string, unknown>>
}

/** The rows of records as actions would leave them, as a row source: nothing is written. */
export const rowsAfter = (entity: Entity, records: readonly ActedRecord[]): Sql => {
  const { joins, alias } = recalculated(entity, 'changed')
  return sql`(
  SELECT ${raw(alias)}.*
  FROM ${table(entity)} current
  JOIN unnest(
    ${ints(records.map(({ id }) => id))},
    ${bound(
      records.map(({ values }) => JSON.stringify(values)),
      'jsonb[]',
    )}
  ) AS given (id, vals) ON given.id = current.id
  CROSS JOIN LATERAL jsonb_populate_record(current, given.vals) AS changed
  ${joins}
)`
}

type Imagined = Pick<ChangeMessage, 'entity_key' | 'entity_id' | 'operation' | 'actor_id'> & {
  /** The action of the workflow, with the steps that it leaves and reaches. */
  readonly action: TakenAction | null
}

export const imagineChange = (change: Imagined): ChangeMessage => ({
  ...change,
  event: '',
  comment: null,
  at: new Date().toISOString(),
})

/** The error of a key that no action of the entity has. */
export const unknownAction = (entity: Entity, key: string): ApiError => {
  const { workflow } = entity.definition
  const near = didYouMean(key, workflow ? actionKeys(workflow) : [])
  const message = `is not an action of ${entity.key}${near}`
  return validationError('request.invalid', [{ path: 'action', message }])
}
