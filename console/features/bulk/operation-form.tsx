/** What an operation needs to know: the field and its value, or the form of an action and a comment. */
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import type { Wanted } from '../../api/bulk.ts'
import { ApiProblem } from '../../api/client.ts'
import type { Entity, Field, WorkflowAction } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { useBulkTexts } from '../../texts/bulk/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { labelOf } from '../list/columns.ts'
import { FieldRow } from '../record/field-row.tsx'
import { useSession } from '../session/session.ts'
import { changeableFields, formFields, issueAt, type Operation } from './operations.ts'

type FormProps = {
  readonly entity: Entity
  /** What the service said of the last attempt. */
  readonly error: Error | undefined
  readonly onCancel: () => void
  readonly onCheck: (wanted: Wanted) => void
}

/** The form of an operation that has one. */
export const OperationForm = ({
  operation,
  ...form
}: FormProps & { readonly operation: Operation }): ReactNode =>
  operation.kind === 'action' ? (
    <ActionForm {...form} action={operation.action} />
  ) : (
    <ChangeForm {...form} />
  )

const issuesOf = (error: Error | undefined) => (error instanceof ApiProblem ? error.issues : [])

const ChangeForm = ({ entity, error, onCancel, onCheck }: FormProps): ReactNode => {
  const bulk = useBulkTexts()
  const choice = useId()
  const fields = changeableFields(entity)
  const [field, setField] = useState(fields[0])
  const [value, setValue] = useState<unknown>(null)
  if (!field) return null
  const column = field.column ?? field.key
  const choose = (key: string) => {
    setField(fields.find((one) => one.key === key))
    setValue(null)
  }
  return (
    <Form {...{ error, onCancel }} onSubmit={() => onCheck({ change: { [column]: value } })}>
      <div className="field-row">
        <label htmlFor={choice}>{bulk.field}</label>
        <select
          id={choice}
          className="field-input"
          value={field.key}
          onChange={({ target }) => choose(target.value)}
        >
          {fields.map((one) => (
            <option key={one.key} value={one.key}>
              {labelOf(one)}
            </option>
          ))}
        </select>
      </div>
      <FieldRow
        key={column}
        {...{ field, value }}
        isReadOnly={false}
        issue={issueAt(issuesOf(error), column)}
        onChange={setValue}
      />
      {!field.required && <p className="bulk-note">{bulk.clears}</p>}
    </Form>
  )
}

type Values = ReadonlyMap<string, unknown>

/** A required link to a user is filled with whoever acts. */
const initialValues = (fields: readonly Field[], userId: number): Values =>
  new Map(
    fields
      .filter(({ entity, required }) => entity === 'user' && required)
      .map(({ column, key }) => [column ?? key, userId]),
  )

type ActionProps = FormProps & { readonly action: WorkflowAction }

const ActionForm = ({ entity, action, error, onCancel, onCheck }: ActionProps): ReactNode => {
  const { record } = useTexts()
  const { me } = useSession()
  const commentId = useId()
  const fields = formFields(entity, action)
  const [values, setValues] = useState(() => initialValues(fields, me.id))
  const [comment, setComment] = useState('')
  const submit = () =>
    onCheck({
      action: action.key,
      ...(values.size > 0 && { values: Object.fromEntries(values) }),
      ...(comment !== '' && { comment }),
    })
  return (
    <Form {...{ error, onCancel }} onSubmit={submit}>
      {fields.map((field) => {
        const column = field.column ?? field.key
        const value = values.get(column)
        return (
          <FieldRow
            key={column}
            {...{ field, value }}
            linked={value === me.id ? record.you(me.full_name ?? '') : undefined}
            isReadOnly={false}
            issue={issueAt(issuesOf(error), column)}
            onChange={(next) => setValues(new Map(values).set(column, next))}
          />
        )
      })}
      <div className="field-row">
        <label htmlFor={commentId}>{record.comment}</label>
        <textarea
          {...{ id: commentId, rows: 3, maxLength: 10_000, dir: 'auto', value: comment }}
          className="field-input"
          onChange={({ target }) => setComment(target.value)}
        />
      </div>
    </Form>
  )
}

type ShellProps = Pick<FormProps, 'error' | 'onCancel'> & {
  readonly onSubmit: () => void
  readonly children: ReactNode
}

const Form = ({ error, onCancel, onSubmit, children }: ShellProps): ReactNode => {
  const bulk = useBulkTexts()
  const { common } = useTexts()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form className="bulk-form" onSubmit={submit}>
      {children}
      {error && (
        <p role="alert" className="bulk-error">
          {error.message}
        </p>
      )}
      <div className="dialog-actions">
        <Button onClick={onCancel}>{common.cancel}</Button>
        <Button type="submit" look="primary">
          {bulk.check}
        </Button>
      </div>
    </form>
  )
}
