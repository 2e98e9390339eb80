/** The actions that a caller may take on a record in its current step. */
import type { EntityRights } from '../auth/entity-rights.ts'
import { isHidden } from '../auth/entity-rights.ts'
import type { Queryable } from '../database/pool.ts'
import { type Column, type Entity, getStepColumn } from '../definitions/catalog.ts'
import type { WorkflowDefinition } from '../definitions/schemas/entity-definition.ts'
import type { Access, RecordScope } from '../query/access.ts'
import type { Decider } from '../query/conditions/decide-conditions.ts'
import { unknownRecord } from '../records/read-records.ts'
import {
  type Candidate,
  findOpenActions,
  findStanding,
  type OpenAction,
  type StandingRecord,
} from './action-kinds.ts'
import { printUnmet } from './demands.ts'
import {
  type Action,
  actionKeys,
  type Form,
  findStep,
  formOf,
  getWorkflow,
  mayTake,
  openActions,
} from './workflow.ts'

type Asker = {
  readonly decider: Decider
  readonly entity: Entity
  readonly rights: EntityRights
  readonly access: Access
  /** The records that may be read. */
  readonly scope: RecordScope
  /** Those whose actions no step of another record refuses. */
  readonly unlocked: RecordScope
}

/**
 * The step, its actions that the role may take and can fill in, and those of them whose condition does not hold; an
 * error 404 for no such record. An entity without a workflow has no steps.
 */
export const listActions = async (database: Queryable, asker: Asker, id: number) => {
  const { decider, entity, rights, access, scope } = asker
  const { workflow } = entity.definition
  if (!workflow) return { step: null, data: [], unmet: [] }
  const [record] = await findStanding(database, entity, [id], [scope])
  if (!record) throw unknownRecord(entity, id)
  const found = await findOpenActions(database, decider, entity, [candidateOf(asker, record)])
  const { open = [], unmet = [] } = found.get(id) ?? {}
  const isHiddenHere = (column: Column) => isHidden(rights, column)
  const isStepHidden = isHiddenHere(getStepColumn(entity))
  const reader = { catalog: decider.catalog, entity, access }
  return {
    step: isStepHidden ? null : printStep(workflow, record.step),
    data: open.map((one) =>
      printAction(workflow, one, formOf(entity, workflow, one.action), isHiddenHere),
    ),
    unmet: unmet.map(({ action, demands }) => ({
      ...printName(action),
      ...printUnmet(reader, action, demands),
    })),
  }
}

/** The actions that are open for at least one of the records that may be read, with the ids of these records. */
export const listActionsOfMany = async (
  database: Queryable,
  asker: Asker,
  ids: readonly number[],
) => {
  const { decider, entity, scope, unlocked } = asker
  const records = await findStanding(database, entity, ids, [scope, unlocked])
  const candidates = records.map((record) => candidateOf(asker, record))
  const found = await findOpenActions(database, decider, entity, candidates)
  const byKey = new Map<string, { readonly action: Action; readonly ids: number[] }>()
  for (const [id, { open }] of found)
    for (const { action } of open) {
      const one = byKey.get(action.key) ?? { action, ids: [] }
      one.ids.push(id)
      byKey.set(action.key, one)
    }
  return actionKeys(getWorkflow(entity)).flatMap((key) => {
    const one = byKey.get(key)
    return one ? [{ ...printName(one.action), ids: one.ids }] : []
  })
}

/** The record with the actions of its step that the role may take and can fill in. */
const candidateOf = ({ entity, rights }: Asker, record: StandingRecord): Candidate => {
  const actions = openActions(getWorkflow(entity), record.step)
  return { ...record, actions: actions.filter((action) => mayTake(entity, rights, action)) }
}

const printName = ({ key, name, kind }: Action) => ({ key, name: name ?? key, kind })

/** A step as a response shows it. */
export const printStep = (workflow: WorkflowDefinition, stepKey: string) => {
  const step = findStep(workflow, stepKey)
  return { key: stepKey, name: step?.name ?? stepKey, final: step?.final ?? false }
}

/** An open action with its form. */
export const printAction = (
  workflow: WorkflowDefinition,
  { action, to }: OpenAction,
  form: Form | undefined,
  isHiddenHere: (column: Column) => boolean,
) => ({
  ...printName(action),
  to: { key: to, name: findStep(workflow, to)?.name ?? to },
  form: form ? printForm(form, isHiddenHere) : null,
})

const printForm = (
  { key, columns, required, callerColumns }: Form,
  isHiddenHere: (column: Column) => boolean,
) => ({
  key,
  fields: columns
    .filter((column) => !isHiddenHere(column))
    .map((column) => ({ ...printField(column), required: required.has(column) })),
  callerFields: callerColumns.map(printField),
})

const printField = ({ name: column, field: { key, name, type } }: Column) => ({
  key,
  column,
  name: name ?? key,
  type,
})

type ActionList = Awaited<ReturnType<typeof listActions>>
type ListedAction = ActionList['data'][number]

/** The lists of several roles as one: what one of them may do, with every field that one of them may fill in. */
export const joinLists = (lists: readonly ActionList[]): ActionList => {
  const [only, ...others] = lists
  if (only && others.length === 0) return only
  const byKey = Map.groupBy(
    lists.flatMap(({ data }) => data),
    ({ key }) => key,
  )
  const unmet = new Map(lists.flatMap((list) => list.unmet).map((one) => [one.key, one]))
  return {
    step: lists.find(({ step }) => step !== null)?.step ?? null,
    data: [...byKey.values()].flatMap(joinForms),
    unmet: [...unmet.values()].filter(({ key }) => !byKey.has(key)),
  }
}

const joinForms = (alike: readonly ListedAction[]): readonly ListedAction[] => {
  const fields = alike.flatMap(({ form }) => form?.fields ?? [])
  const all = [...new Map(fields.map((field) => [field.key, field])).values()]
  return alike
    .slice(0, 1)
    .map(({ form, ...action }) => ({ ...action, form: form && { ...form, fields: all } }))
}

type ManyList = Awaited<ReturnType<typeof listActionsOfMany>>

/** The same for the actions of many records, in the order of the definition. */
export const joinIds = (entity: Entity, lists: readonly ManyList[]): ManyList => {
  const [only, ...others] = lists
  if (only && others.length === 0) return only
  const byKey = Map.groupBy(lists.flat(), ({ key }) => key)
  return actionKeys(getWorkflow(entity)).flatMap((key) => {
    const alike = byKey.get(key) ?? []
    const ids = [...new Set(alike.flatMap((one) => one.ids))]
    return alike.slice(0, 1).map((one) => ({ ...one, ids }))
  })
}
