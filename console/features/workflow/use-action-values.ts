/** What is typed into the form of an action. */
import { useState } from 'react'
import type { Entity, Field, OpenAction } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import type { TypedLines } from '../forms/copy-typed.tsx'
import { labelOf } from '../list/columns.ts'
import { useReading, useSession } from '../session/session.ts'
import { formatValue } from '../values/format-value.ts'

export type ActionValues = {
  readonly values: ReadonlyMap<string, unknown>
  readonly comment: string
}

/** What a request says of an action that is taken. */
export const printAction = (action: OpenAction, { values, comment }: ActionValues) => ({
  action: action.key,
  ...(values.size > 0 && { values: Object.fromEntries(values) }),
  ...(comment !== '' && { comment }),
})

/** The fields of the form; those that it requires are marked so. */
const fieldsOf = ({ fields }: Entity, { form }: OpenAction): readonly Field[] =>
  (form?.fields ?? []).flatMap(({ key, required }) => {
    const field = fields.find((one) => one.key === key)
    return field ? [{ ...field, required }] : []
  })

/** A required link to a user is filled with whoever acts. */
const initialValues = (fields: readonly Field[], userId: number): ReadonlyMap<string, unknown> =>
  new Map(
    fields
      .filter(({ entity, required }) => entity === 'user' && required)
      .map(({ column, key }) => [column ?? key, userId]),
  )

export const useActionValues = (entity: Entity, action: OpenAction) => {
  const { record } = useTexts()
  const { me } = useSession()
  const reading = useReading()
  const fields = fieldsOf(entity, action)
  const [values, setValues] = useState(() => initialValues(fields, me.id))
  const [comment, setComment] = useState('')
  const lines: TypedLines = [
    ...fields.map((field): [string, string] => [
      labelOf(field),
      formatValue(values.get(field.column ?? field.key), field, reading),
    ]),
    [record.comment, comment],
  ]
  return {
    ...{ fields, values, comment, setComment, lines },
    setValue: (column: string, value: unknown) => setValues(new Map(values).set(column, value)),
  }
}
