/** What is typed to take an action: a field of its form, and a comment. */
import { type ReactNode, useId } from 'react'
import type { Field } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { FieldRow } from '../record/field-row.tsx'
import { useSession } from '../session/session.ts'
import type { TypedAction } from './use-action-values.ts'

type TypedProps = { readonly typed: TypedAction }

type FieldProps = TypedProps & { readonly field: Field; readonly issue: ReactNode }

export const ActionField = ({ field, typed, issue }: FieldProps): ReactNode => {
  const { record } = useTexts()
  const { me } = useSession()
  const column = field.column ?? field.key
  const value = typed.values.get(column)
  return (
    <FieldRow
      {...{ field, value, issue }}
      linked={value === me.id ? record.you(me.full_name ?? '') : undefined}
      isReadOnly={false}
      onChange={(next) => typed.setValue(column, next)}
    />
  )
}

// As many characters as the service takes.
const longestComment = 10_000

export const ActionComment = ({ typed }: TypedProps): ReactNode => {
  const { record } = useTexts()
  const id = useId()
  return (
    <div className="field-row">
      <label htmlFor={id}>{record.comment}</label>
      <textarea
        {...{ id, rows: 2, maxLength: longestComment, dir: 'auto', value: typed.comment }}
        className="field-input"
        onChange={({ target }) => typed.setComment(target.value)}
      />
    </div>
  )
}
