/** The workflow of an entity for its paths: steps, their actions and forms, and who can take an action. */
import { type EntityRights, isHidden, type Permissions } from '../auth/permissions.ts'
import type { Queryable } from '../database/pool.ts'
import { allOf, anyOf, type Sql, sql, text, texts } from '../database/sql.ts'
import type { Catalog, Column, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import type { WorkflowDefinition } from '../definitions/schemas/entity-definition.ts'
import { type ApiError, apiError } from '../errors.ts'
import {
  type ComparedPaths,
  comparedPaths,
  printCompared,
  type Reader,
  withMessage,
} from '../query/conditions/compared-paths.ts'
import {
  type Conditional,
  type DecidedConditions,
  type Decider,
  decideConditions,
  findUnmetOfEach,
  parsedCondition,
} from '../query/conditions/decide-conditions.ts'

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

/** The column with the step of a record. */
export const getStepColumn = ({ key, columnsByName }: Entity): Column => {
  const column = columnsByName.get('_step')
  if (!column) throw new Error(`The entity ${key} has no step.`)
  return column
}

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

/** The conditions of some actions for the user of an id; actions without a condition are left out. */
export const decideActions = (
  deps: Pick<Decider, 'catalog' | 'timeZone'>,
  user: Sql,
  entity: Entity,
  actions: readonly Action[],
): DecidedConditions<Action> => decideConditions(deps, user, entity, conditionsOf(actions))

/** For each of the records the actions whose condition does not hold for it. */
export const findUnmetActions = (
  database: Queryable,
  decider: Decider,
  records: { readonly entity: Entity; readonly ids: readonly number[] },
  actions: readonly Action[],
): Promise<ReadonlyMap<number, ReadonlySet<Action>>> =>
  findUnmetOfEach(database, decider, records, conditionsOf(actions))

const conditionsOf = (actions: readonly Action[]): Conditional<Action> =>
  new Map(
    actions.flatMap((action) => {
      const { condition } = action
      return condition ? [[action, parsedCondition(condition)] as const] : []
    }),
  )

/** What its condition compares; an action without one compares nothing. */
export const comparedBy = (reader: Reader, { condition }: Action): ComparedPaths =>
  condition ? comparedPaths(reader, parsedCondition(condition)) : { fields: [], callerFields: [] }

/** 409, for a record in whose step the action would be open. */
export const unmetCondition = (reader: Reader, id: number, action: Action): ApiError => {
  const on = printCompared(comparedBy(reader, action))
  return apiError(
    'workflow.condition-not-met',
    withMessage(
      `The action "${action.key}" is not open to you for ${reader.entity.key} ${id}: its condition${on} does not hold.`,
      action.message,
    ),
  )
}

type Deps = {
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly timeZone: string
}

/** Who takes it: the id of a user, and the key of their role. */
type Taker = { readonly user: Sql; readonly role: Sql }

export type Takers = {
  /** What follows the table or rows of the entity as `t`. */
  readonly joins: Sql
  /** Whether the user can take the action of the record `t`, if they may read it. */
  readonly canTake: Sql
}

/**
 * Several steps may have the action. One that leads back has no step to lead to without the history of the record:
 * `docket check` refuses it here.
 */
export const compileTakers = (
  deps: Deps,
  entity: Entity,
  actionKey: string,
  { user, role }: Taker,
): Takers => {
  const { steps } = getWorkflow(entity)
  const found = steps.flatMap(({ key: step, actions = [] }) =>
    actions.filter(({ key }) => key === actionKey).map((action) => ({ step, action })),
  )
  const actions = found.map(({ action }) => action)
  const { joins, byKey } = decideActions(deps, user, entity, actions)
  const ways = found.map(({ step, action }) =>
    allOf([
      sql`t._step = ${text(step)}`,
      sql`${role} = ANY (${texts(rolesFor(deps, entity, action))})`,
      byKey.get(action) ?? sql`true`,
    ]),
  )
  return { joins, canTake: anyOf(ways) }
}

const rolesFor = ({ catalog, permissions }: Deps, entity: Entity, action: Action) =>
  [...new Set([administratorRole, ...catalog.roles.keys()])].filter((roleKey) =>
    mayTake(entity, permissions.rightsOf({ userId: 0, roleKey }, entity), action),
  )
