/** The workflow of an entity for its paths: steps, their actions and forms. */
import { type EntityRights, isHidden } from '../auth/entity-rights.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import type { WorkflowDefinition } from '../definitions/schemas/entity-definition.ts'
import { apiError } from '../errors.ts'

export type Step = WorkflowDefinition['steps'][number]
export type Action = NonNullable<Step['actions']>[number]

/** A form with its resolved fields, in order. */
export type Form = {
  readonly key: string
  readonly columns: readonly Column[]
  /** Those of the columns that must be filled in. */
  readonly required: ReadonlySet<Column>
  /** Links to users that are filled with the user who takes the action. */
  readonly callerColumns: readonly Column[]
}

/** The error 404 of an entity without a workflow, which does not have these paths. */
export const withoutWorkflow = ({ key }: Entity) =>
  apiError('request.no-such-path', `Records of ${key} have no workflow.`)

/** The workflow of an entity; throws the error of one without. */
export const getWorkflow = (entity: Entity): WorkflowDefinition => {
  const { workflow } = entity.definition
  if (!workflow) throw withoutWorkflow(entity)
  return workflow
}

/** The error of a role that may not take an action. */
export const forbiddenAction = ({ key }: Entity, action: string) =>
  apiError('caller.forbidden', `Your role lacks permission for the action "${action}" on "${key}".`)

/** The step of a key; undefined if the definition does not have it any more. */
export const findStep = ({ steps }: WorkflowDefinition, key: string): Step | undefined =>
  steps.find((step) => step.key === key)

/** The current and former keys of a step. */
export const namesOfStep = (workflow: WorkflowDefinition, key: string): readonly string[] => [
  key,
  ...[findStep(workflow, key)?.was ?? []].flat(),
]

/** The step that a history names, which may have another key now. */
export const findStepNow = (workflow: WorkflowDefinition, key: string): Step | undefined =>
  findStep(workflow, key) ??
  workflow.steps.find((step) => namesOfStep(workflow, step.key).includes(key))

/** The actions of a step, for any caller. */
export const openActions = (workflow: WorkflowDefinition, stepKey: string): readonly Action[] =>
  findStep(workflow, stepKey)?.actions ?? []

/** Keys of the actions of all steps, each once: several steps may have an action with the same key. */
export const actionKeys = ({ steps }: WorkflowDefinition): readonly string[] => [
  ...new Set(steps.flatMap(({ actions = [] }) => actions.map(({ key }) => key))),
]

/** Kinds that also name an action, if no action has such a key. */
export const actionKinds = (workflow: WorkflowDefinition): readonly string[] => {
  const keys = new Set(actionKeys(workflow))
  const kinds = workflow.steps.flatMap(({ actions = [] }) => actions.map(({ kind }) => kind))
  return [...new Set<string>(kinds)].filter((kind) => !keys.has(kind))
}

/** The open actions that a name refers to: the one with this key, or all of this kind. */
export const namedActions = <O extends { readonly action: Action }>(
  workflow: WorkflowDefinition,
  open: readonly O[],
  name: string,
): readonly O[] =>
  actionKinds(workflow).includes(name)
    ? open.filter(({ action }) => action.kind === name)
    : open.filter(({ action }) => action.key === name)

/** The form of an action; undefined if it has none. */
export const formOf = (
  entity: Entity,
  { forms = [] }: WorkflowDefinition,
  action: Action,
): Form | undefined => {
  const form = forms.find(({ key }) => key === action.form)
  if (!form) return undefined
  const columnsOf = (names: readonly string[]) =>
    names.flatMap((name) => entity.columns.find(({ field }) => field.key === name) ?? [])
  return {
    key: form.key,
    columns: columnsOf(form.fields),
    required: new Set(columnsOf(form.required ?? [])),
    callerColumns: columnsOf(form.callerFields ?? []),
  }
}

/** Whether a role can fill in the form if these columns are hidden from it. */
export const isFillable = (
  form: Form | undefined,
  isHidden: (column: Column) => boolean,
): boolean => ![...(form?.required ?? []), ...(form?.callerColumns ?? [])].some(isHidden)

/** Whether a role may take an action and can fill in its form, whatever the record. */
export const mayTake = (entity: Entity, rights: EntityRights, action: Action): boolean =>
  rights.actions.has(action.key) &&
  isFillable(formOf(entity, getWorkflow(entity), action), (column) => isHidden(rights, column))
