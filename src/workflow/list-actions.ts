/** The actions that a caller may take on a record in its current step. */
import type { EntityRights } from '../auth/permissions.ts'
import { isHidden } from '../auth/permissions.ts'
import type { Queryable } from '../database/pool.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { WorkflowDefinition } from '../definitions/schemas/entity-definition.ts'
import type { RecordScope } from '../query/access.ts'
import { unknownRecord } from '../records/read-records.ts'
import { findOpenActions, type OpenAction } from './action-kinds.ts'
import { findStepKey } from './step-store.ts'
import { type Form, findStep, formOf, getStepColumn, isFillable, openActions } from './workflow.ts'

type Asker = {
  readonly entity: Entity
  readonly rights: EntityRights
  /** The records that may be read. */
  readonly scope: RecordScope
}

/**
 * The step, and its actions that the role may take and can fill in; an error 404 for no such record. An
 * entity without a workflow has no steps.
 */
export const listActions = async (
  database: Queryable,
  { entity, rights, scope }: Asker,
  id: number,
) => {
  const { workflow } = entity.definition
  if (!workflow) return { step: null, data: [] }
  const stepKey = await findStepKey(database, entity, id, scope)
  if (stepKey === undefined) throw unknownRecord(entity, id)
  const isHiddenHere = (column: Column) => isHidden(rights, column)
  const taken = openActions(workflow, stepKey).filter(({ key }) => rights.actions.has(key))
  const open = await findOpenActions(database, { entity, id, step: stepKey }, taken)
  const data = open
    .map((one) => ({ ...one, form: formOf(entity, workflow, one.action) }))
    .filter(({ form }) => isFillable(form, isHiddenHere))
    .map(({ form, ...one }) => printAction(workflow, one, form, isHiddenHere))
  const isStepHidden = isHiddenHere(getStepColumn(entity))
  return { step: isStepHidden ? null : printStep(workflow, stepKey), data }
}

/** A step as a response shows it. */
export const printStep = (workflow: WorkflowDefinition, stepKey: string) => {
  const step = findStep(workflow, stepKey)
  return { key: stepKey, name: step?.name ?? stepKey, final: step?.final ?? false }
}

/** An open action with its form. */
export const printAction = (
  workflow: WorkflowDefinition,
  { action: { key, name, kind }, to }: OpenAction,
  form: Form | undefined,
  isHiddenHere: (column: Column) => boolean,
) => ({
  key,
  name: name ?? key,
  kind,
  to: { key: to, name: findStep(workflow, to)?.name ?? to },
  form: form ? printForm(form, isHiddenHere) : null,
})

const printForm = (
  { key, columns, required }: Form,
  isHiddenHere: (column: Column) => boolean,
) => ({
  key,
  fields: columns
    .filter((column) => !isHiddenHere(column))
    .map((column) => ({
      key: column.field.key,
      column: column.name,
      name: column.field.name ?? column.field.key,
      type: column.field.type,
      required: required.has(column),
    })),
})
