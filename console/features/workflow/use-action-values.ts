/** What is typed into the form of an action. */
import type { OpenAction } from '../../api/open-actions.ts'
import type { Field } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { formatValue } from '../format/format-value.ts'
import type { TypedLines } from '../forms/copy-typed.tsx'
import type { Entered } from '../forms/use-faults.tsx'
import { useKeptForm } from '../forms/use-kept-form.ts'
import { useReading } from '../session/session.ts'
import { labelOf } from '../values/columns.ts'
import type { FormFields } from './action-fields.ts'

export type ActionValues = {
  readonly values: ReadonlyMap<string, unknown>
  readonly comment: string
}

/** What a request says of an action that is taken. */
export const printAction = (
  action: Pick<OpenAction, 'key'>,
  { values, comment }: ActionValues,
) => ({
  action: action.key,
  ...(values.size > 0 && { values: Object.fromEntries(values) }),
  ...(comment !== '' && { comment }),
})

type KeptValues = readonly (readonly [column: string, value: unknown])[]

const noValues: KeptValues = []

const columnOf = ({ column, key }: Field): string => column ?? key

/** `name` is that of the form among all drafts. */
export const useActionValues = ({ fields, callerFields }: FormFields, name: string) => {
  const { record } = useTexts()
  const reading = useReading()
  const kept = useKeptForm(name, { comment: '', values: noValues })
  const { comment } = kept.values
  // What was kept may be of a form that has changed since.
  const columns = new Set(fields.map(columnOf))
  const values = new Map(kept.values.values.filter(([column]) => columns.has(column)))
  const lines: TypedLines = [
    ...fields.map((field): [string, string] => [
      labelOf(field),
      formatValue(values.get(columnOf(field)), field, reading),
    ]),
    [record.comment, comment],
  ]
  return {
    kept,
    fields,
    callerFields,
    values,
    comment,
    lines,
    setValue: (column: string, value: unknown) =>
      kept.set({ values: [...new Map(values).set(column, value)] }),
    setComment: (text: string) => kept.set({ comment: text }),
  }
}

export type TypedAction = ReturnType<typeof useActionValues>

/** What was typed into the form, to be checked. What it requires may be in the record already, so that the service decides about that. */
export const enteredInAction = ({ fields, values }: TypedAction): readonly Entered[] =>
  fields.map((field) => ({ field, value: values.get(columnOf(field)), isNeeded: false }))
