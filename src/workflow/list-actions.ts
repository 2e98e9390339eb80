/** The actions that a caller may take on a record in its current step. */
import type { EntityRights } from '../auth/permissions.ts'
import { isHidden } from '../auth/permissions.ts'
import type { Queryable } from '../database/pool.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { WorkflowDefinition } from '../definitions/schemas/entity-definition.ts'
import type { Access, RecordScope } from '../query/access.ts'
import type { Decider } from '../query/conditions/decide-conditions.ts'
import { unknownRecord } from '../records/read-records.ts'
import { comparedBy } from './action-conditions.ts'
import { findOpenActions, type OpenAction } from './action-kinds.ts'
import { findStepKey } from './step-store.ts'
import {
  type Action,
  type Form,
  findStep,
  formOf,
  getStepColumn,
  isFillable,
  openActions,
} from './workflow.ts'

type Asker = {
  readonly decider: Decider
  readonly entity: Entity
  readonly rights: EntityRights
  readonly access: Access
  /** The records that may be read. */
  readonly scope: RecordScope
}

/**
 * The step, its actions that the role may take and can fill in, and those of them whose condition does not hold; an
 * error 404 for no such record. An entity without a workflow has no steps.
 */
export const listActions = async (
  database: Queryable,
  { decider, entity, rights, access, scope }: Asker,
  id: number,
) => {
  const { workflow } = entity.definition
  if (!workflow) return { step: null, data: [], unmet: [] }
  const stepKey = await findStepKey(database, entity, id, scope)
  if (stepKey === undefined) throw unknownRecord(entity, id)
  const isHiddenHere = (column: Column) => isHidden(rights, column)
  const taken = openActions(workflow, stepKey).filter(({ key }) => rights.actions.has(key))
  const record = { entity, id, step: stepKey }
  const { open, unmet } = await findOpenActions(database, decider, record, taken)
  const fillable = (list: readonly OpenAction[]) =>
    list
      .map((one) => ({ ...one, form: formOf(entity, workflow, one.action) }))
      .filter(({ form }) => isFillable(form, isHiddenHere))
  const isStepHidden = isHiddenHere(getStepColumn(entity))
  const reader = { catalog: decider.catalog, entity, access }
  return {
    step: isStepHidden ? null : printStep(workflow, stepKey),
    data: fillable(open).map(({ form, ...one }) => printAction(workflow, one, form, isHiddenHere)),
    unmet: fillable(unmet).map(({ action }) => ({
      ...printName(action),
      ...comparedBy(reader, action),
    })),
  }
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
  ...{ key, column, name: name ?? key, type },
})
