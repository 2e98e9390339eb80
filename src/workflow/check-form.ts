/** Checks what a form is filled in with: its fields only, each as in any write, none missing. */
import type { Column, Entity } from '../definitions/catalog.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { addMistake, isFull } from '../mistakes.ts'
import { suggestion } from '../near-miss.ts'
import { checkGivenValues, type ValueMistake } from '../records/write/check-values.ts'
import type { Writing } from '../records/write/writing.ts'
import type { Action, Form } from './workflow.ts'

type Filled = Pick<Writing, 'entity' | 'isHidden' | 'timeZone'> & {
  readonly action: Action
  readonly form: Form | undefined
  readonly given: Readonly<Record<string, unknown>>
}

export type CheckedForm = {
  readonly values: ReadonlyMap<Column, SqlValue>
  readonly mistakes: readonly ValueMistake[]
  /** Required fields that were not given: right where the record holds something in them. */
  readonly left: readonly Column[]
}

/** The values to write; paths of mistakes begin with `values.`. */
export const checkForm = ({
  entity,
  isHidden,
  timeZone,
  action,
  form,
  given,
}: Filled): CheckedForm => {
  if (!form) return { values: new Map(), mistakes: untaken(action, given), left: [] }
  const columns = form.columns.filter((column) => !isHidden(column))
  const names = new Set(columns.map(({ name }) => name))
  const body = Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name)))
  const { values, mistakes } = checkGivenValues({ entity, body, timeZone, isHidden })
  const wrong = new Set(mistakes.map(({ path }) => path))
  const required = columns.filter((column) => form.required.has(column))
  return {
    values,
    mistakes: [
      ...refused(given, names, (name) => unknownName(entity, form, columns, name)),
      ...mistakes.map((mistake) => ({ ...mistake, path: pathOf(mistake.path) })),
      ...required
        .filter((column) => !wrong.has(column.name) && isEmpty(values.get(column)))
        .map(missing),
    ],
    left: required.filter(({ name }) => !Object.hasOwn(body, name)),
  }
}

/** The mistake of a required field that holds nothing. */
export const missing = ({ name }: Column): ValueMistake => ({
  path: pathOf(name),
  message: 'is required',
  rule: 'refused',
})

/** Where a value stands in the body. */
export const pathOf = (name: string): string => `values.${name}`

const malformed = (name: string, message: string): ValueMistake => ({
  path: pathOf(name),
  message,
  rule: 'malformed',
})

const untaken = ({ key }: Action, given: Filled['given']): ValueMistake[] =>
  refused(given, new Set(), () => ({ message: `is not taken: "${key}" has no form to fill in` }))

type Told = { readonly message: string; readonly hint?: () => string }

/** The mistakes of names that are not taken. */
const refused = (
  given: Filled['given'],
  taken: ReadonlySet<string>,
  tell: (name: string) => Told,
): ValueMistake[] => {
  const mistakes: ValueMistake[] = []
  for (const name of Object.keys(given)) {
    if (isFull(mistakes)) break
    if (taken.has(name)) continue
    const { message, hint } = tell(name)
    addMistake(mistakes, malformed(name, message), hint)
  }
  return mistakes
}

// A required text must not be empty, as in any write.
const isEmpty = (value: SqlValue | undefined): boolean => value === null || value === ''

const unknownName = (
  entity: Entity,
  form: Form,
  columns: readonly Column[],
  name: string,
): Told => {
  const association = entity.associations.get(name)
  if (association && columns.includes(association)) {
    const { name: column, target } = association
    return { message: `is an association; set "${column}" to the id of a ${target}` }
  }
  const names = columns.map((column) => column.name)
  const message = `is not a field of the form "${form.key}"`
  return { message, hint: () => suggestion(name, names) }
}
