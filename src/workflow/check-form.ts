/** Checks the values of a form: only its fields, each as in any write, none missing; fills in the caller. */
import type { Column, Entity } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { didYouMean } from '../did-you-mean.ts'
import { addIssue, isFull } from '../issues.ts'
import { checkGivenValues, type FieldIssue } from '../records/write/check-values.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import type { Action, Form } from './workflow.ts'

type Filled = Pick<WriteContext, 'entity' | 'isHidden' | 'timeZone' | 'userId'> & {
  readonly action: Action
  readonly form: Form | undefined
  readonly given: Readonly<Record<string, unknown>>
}

export type CheckedForm = {
  readonly values: ReadonlyMap<Column, SqlValue>
  readonly issues: readonly FieldIssue[]
  /** Required fields that were not given: valid if the record has a value. */
  readonly left: readonly Column[]
}

/** The values to write; paths of issues begin with `values.`. */
export const checkForm = ({
  entity,
  isHidden,
  timeZone,
  userId,
  action,
  form,
  given,
}: Filled): CheckedForm => {
  if (!form) return { values: new Map(), issues: untaken(action, given), left: [] }
  const { callerColumns } = form
  const columns = [...form.columns.filter((column) => !isHidden(column)), ...callerColumns]
  const names = new Set(columns.map(({ name }) => name))
  const body = Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name)))
  const { values, issues } = checkGivenValues({
    entity,
    body,
    timeZone,
    isHidden,
    isOfAction: true,
  })
  const wrong = new Set(issues.map(({ path }) => path))
  const required = columns.filter((column) => form.required.has(column))
  const others = callerColumns.filter(
    (column) => !wrong.has(column.name) && values.has(column) && values.get(column) !== userId,
  )
  return {
    values: new Map([...values, ...callerColumns.map((column) => [column, userId] as const)]),
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
    `is filled with whoever takes the action: leave it out, or give your own id, ${userId}`,
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
