/**
 * Reads the body of proceedToStep as far as possible without the record, and checks the values of its form: only its
 * fields, each as in any write, none missing; fills in the caller.
 */
import type { Column, Entity } from '../definitions/catalog.ts'
import type { WorkflowDefinition } from '../definitions/schemas/entity-definition.ts'
import { checkProse } from '../definitions/values/check-text.ts'
import {
  type CheckResult,
  isObject,
  kindOf,
  type SqlValue,
} from '../definitions/values/check-value.ts'
import { presentValueOf } from '../definitions/values/field-defaults.ts'
import { didYouMean } from '../did-you-mean.ts'
import { addIssue, isFull, shorten } from '../issues.ts'
import { checkGivenValues, type FieldIssue } from '../records/write/check-values.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import { recordError } from '../records/write/write-rejected.ts'
import type { Values } from '../records/write/write-statements.ts'
import { type Action, actionKeys, actionKinds, type Form } from './workflow.ts'

/** The action that a caller wants to take, with its values and comment. */
export type ActionRequest = {
  /** A key of an action, or a kind of which exactly one action must be open. */
  readonly actionName: string
  /** Whether the caller's role may take the action of a key. */
  readonly mayTake: (key: string) => boolean
  /** The values of the form, as sent. */
  readonly values: Readonly<Record<string, unknown>>
  readonly comment: string | undefined
  /** Further issues, reported together with those of the values. */
  readonly issues: readonly FieldIssue[]
}

/** Maximum length of a comment, in characters. */
export const longestComment = 10_000

const properties = ['action', 'values', 'comment']

/** Throws request.invalid if there is no such action, because nothing else can be checked then. */
export const parseActionRequest = (
  workflow: WorkflowDefinition,
  body: unknown,
  mayTake: ActionRequest['mayTake'],
): ActionRequest => {
  if (!isObject(body)) throw recordError([malformed('', `must be an object, not ${kindOf(body)}`)])
  const { action, values = {}, comment } = body
  const ofAction = actionIssue(workflow, action)
  const checked = comment === undefined ? undefined : checkComment(comment)
  const issues: FieldIssue[] = []
  for (const name of Object.keys(body).filter((one) => !properties.includes(one)))
    addIssue(issues, malformed(name, 'is not a property of this body'), () =>
      didYouMean(name, properties),
    )
  if (!isObject(values))
    addIssue(issues, malformed('values', `must be an object of fields, not ${kindOf(values)}`))
  if (checked && 'rule' in checked) addIssue(issues, malformed('comment', checked.message))
  if (ofAction !== undefined || typeof action !== 'string')
    throw recordError([malformed('action', ofAction ?? 'is required'), ...issues])
  return {
    actionName: action,
    mayTake,
    values: isObject(values) ? values : {},
    comment: checked && 'value' in checked ? String(checked.value) : undefined,
    issues,
  }
}

const malformed = (path: string, message: string): FieldIssue => ({
  path,
  message,
  rule: 'malformed',
})

const actionIssue = (workflow: WorkflowDefinition, action: unknown): string | undefined => {
  if (action === undefined) return 'is required'
  if (typeof action !== 'string') return `must be a string, not ${kindOf(action)}`
  const known = [...actionKeys(workflow), ...actionKinds(workflow)]
  if (known.includes(action)) return undefined
  const near = didYouMean(action, known)
  return `${JSON.stringify(shorten(action, 40))} is not an action of this workflow${near}`
}

const checkComment = (comment: unknown): CheckResult =>
  comment === ''
    ? { rule: 'malformed', message: 'must not be empty; leave it out instead' }
    : checkProse(comment, {}, longestComment)

/** What an action sets itself, also fields that it empties; times that move are as they are now. */
export const setByAction = (
  { catalog, entity, timeZone }: Pick<WriteContext, 'catalog' | 'entity' | 'timeZone'>,
  { set = {} }: Action,
): Values => {
  const calendar = { timeZone, firstDayOfWeek: catalog.firstDayOfWeek }
  return new Map(
    Object.entries(set).flatMap(([key, given]): (readonly [Column, SqlValue])[] => {
      const column = entity.associations.get(key) ?? entity.columnsByName.get(key)
      return column ? [[column, presentValueOf(column, given, calendar)]] : []
    }),
  )
}

type Filled = Pick<WriteContext, 'catalog' | 'entity' | 'isHidden' | 'timeZone' | 'userId'> & {
  readonly action: Action
  readonly form: Form | undefined
  readonly given: Readonly<Record<string, unknown>>
}

type CheckedForm = {
  readonly values: Values
  readonly issues: readonly FieldIssue[]
  /** Required fields that were not given: valid if the record has a value. */
  readonly left: readonly Column[]
}

/** The values to write, of the form and those that the action sets; paths of issues begin with `values.`. */
export const checkForm = ({
  catalog,
  entity,
  isHidden,
  timeZone,
  userId,
  action,
  form,
  given,
}: Filled): CheckedForm => {
  const set = setByAction({ catalog, entity, timeZone }, action)
  if (!form) return { values: set, issues: untaken(action, given), left: [] }
  const { callerColumns } = form
  const columns = [...form.columns.filter((column) => !isHidden(column)), ...callerColumns]
  const names = new Set(columns.map(({ name }) => name))
  const body = Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name)))
  const { values, issues } = checkGivenValues({
    entity,
    body,
    timeZone,
    isHidden,
    // Who may take the action may fill in its form.
    isReadOnly: () => false,
    isOfAction: true,
  })
  const wrong = new Set(issues.map(({ path }) => path))
  const required = columns.filter((column) => form.required.has(column))
  const others = callerColumns.filter(
    (column) => !wrong.has(column.name) && values.has(column) && values.get(column) !== userId,
  )
  return {
    values: new Map([
      ...set,
      ...values,
      ...callerColumns.map((column) => [column, userId] as const),
    ]),
    issues: [
      ...refused(given, names, (name) => unknownName(entity, form, columns, name)),
      ...issues.map((issue) => ({ ...issue, path: pathOf(issue.path) })),
      ...required
        .filter((column) => !wrong.has(column.name) && isEmpty(values.get(column)))
        .map(missing),
      ...others.map((column) => notTheCaller(column, userId)),
    ],
    left: required.filter(({ name }) => !Object.hasOwn(body, name)),
  }
}

/** The issue of an empty required field. */
export const missing = ({ name }: Column): FieldIssue => ({
  path: pathOf(name),
  message: 'is required',
  rule: 'refused',
})

const notTheCaller = ({ name }: Column, userId: number): FieldIssue =>
  malformed(
    pathOf(name),
    `is filled with the user who takes the action: leave it out, or give your own id, ${userId}`,
  )

/** The path of a value in the body. */
export const pathOf = (name: string): string => `values.${name}`

const untaken = ({ key }: Action, given: Filled['given']): FieldIssue[] =>
  refused(given, new Set(), () => ({ message: `is not accepted: "${key}" has no form to fill in` }))

type Message = { readonly message: string; readonly hint?: () => string }

/** The issues of unknown names. */
const refused = (
  given: Filled['given'],
  taken: ReadonlySet<string>,
  messageOf: (name: string) => Message,
): FieldIssue[] => {
  const issues: FieldIssue[] = []
  for (const name of Object.keys(given)) {
    if (isFull(issues)) break
    if (taken.has(name)) continue
    const { message, hint } = messageOf(name)
    addIssue(issues, malformed(pathOf(name), message), hint)
  }
  return issues
}

// A required text must not be empty, as in any write.
const isEmpty = (value: SqlValue | undefined): boolean => value === null || value === ''

const unknownName = (
  entity: Entity,
  form: Form,
  columns: readonly Column[],
  name: string,
): Message => {
  const association = entity.associations.get(name)
  if (association && columns.includes(association)) {
    // The target is not named: the caller may not know it.
    return { message: `is an association; set "${association.name}" to the id of a record` }
  }
  const names = columns.map((column) => column.name)
  const message = `is not a field of the form "${form.key}"`
  return { message, hint: () => didYouMean(name, names) }
}
