/** What is given to take an action: a field of its form, a comment, and who takes it. */
import { type ReactNode, useId } from 'react'
import type { Field } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { FieldRow } from '../forms/field-row.tsx'
import { useSession } from '../session/session.ts'
import type { TypedAction } from './use-action-values.ts'

type TypedProps = { readonly typed: TypedAction }

type FieldProps = TypedProps & { readonly field: Field; readonly issue: ReactNode }

export const ActionField = ({ field, typed, issue }: FieldProps): ReactNode => {
  const column = field.column ?? field.key
  return (
    <FieldRow
      field={field}
      issue={issue}
      value={typed.values.get(column)}
      isReadOnly={false}
      onChange={(next) => typed.setValue(column, next)}
    />
  )
}

const nobodyElse = () => undefined

/** What the service fills with the user, which is told and not asked. */
export const CallerFacts = ({ typed: { callerFields } }: TypedProps): ReactNode => {
  const { record } = useTexts()
  const { me } = useSession()
  // Without a value, because a link would lead away from the form, and without help, because nothing is filled in.
  return callerFields.map(({ description: _, ...field }) => (
    <FieldRow
      key={field.key}
      field={field}
      value={null}
      onChange={nobodyElse}
      linked={record.you(me.full_name ?? '')}
      isReadOnly
    />
  ))
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
        id={id}
        rows={2}
        maxLength={longestComment}
        dir="auto"
        value={typed.comment}
        className="field-input"
        onChange={({ target }) => typed.setComment(target.value)}
      />
    </div>
  )
}
