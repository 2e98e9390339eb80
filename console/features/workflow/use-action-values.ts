/** What is typed into the form of an action. */
import type { Field, OpenAction } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { useKeptForm } from '../drafts/use-kept-form.ts'
import type { TypedLines } from '../forms/copy-typed.tsx'
import { labelOf } from '../list/columns.ts'
import { useReading, useSession } from '../session/session.ts'
import { formatValue } from '../values/format-value.ts'

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

/** A required link to a user is filled with whoever acts. */
const initialValues = (fields: readonly Field[], userId: number) =>
  fields
    .filter(({ entity, required }) => entity === 'user' && required)
    .map(({ column, key }): readonly [string, unknown] => [column ?? key, userId])

/** `fields` are those of the form; `name` is its own among all drafts. */
export const useActionValues = (fields: readonly Field[], name: string) => {
  const { record } = useTexts()
  const { me } = useSession()
  const reading = useReading()
  const kept = useKeptForm(name, { comment: '', values: initialValues(fields, me.id) })
  const { comment } = kept.values
  const values = new Map(kept.values.values)
  const lines: TypedLines = [
    ...fields.map((field): [string, string] => [
      labelOf(field),
      formatValue(values.get(field.column ?? field.key), field, reading),
    ]),
    [record.comment, comment],
  ]
  return {
    ...{ kept, fields, values, comment, lines },
    setValue: (column: string, value: unknown) =>
      kept.set({ values: [...new Map(values).set(column, value)] }),
    setComment: (text: string) => kept.set({ comment: text }),
  }
}

export type TypedAction = ReturnType<typeof useActionValues>
