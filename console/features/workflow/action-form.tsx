/** The form of an action: what it requires, a comment, and the rest of its fields behind a word. */
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import type { Entity, Field, OpenAction } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../keys/shortcuts.ts'
import { FieldRow } from '../record/field-row.tsx'
import { issueOf } from '../record/fields.tsx'
import { useSession } from '../session/session.ts'
import { actionName } from './action-name.ts'

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

type FormProps = {
  readonly title: string
  readonly entity: Entity
  readonly action: OpenAction
  readonly error: Error | null
  readonly isPending: boolean
  /** What stands above the buttons. */
  readonly children?: ReactNode
  readonly onSubmit: (values: ActionValues) => void
  readonly onClose: () => void
}

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

const firstEmpty = ['input', 'textarea', 'select']
  .map((name) => `${name}[aria-required=true]:not([role=combobox])`)
  .join(', ')

/** Whoever decides begins where something is missing; if nothing is, one key more decides. */
const useFirstFocus = () => {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    const first =
      form.current?.querySelector(firstEmpty) ?? form.current?.querySelector('[type=submit]')
    // Which a dialog obeys when it opens, after this.
    first?.setAttribute('autofocus', '')
  }, [])
  return form
}

export const ActionForm = (props: FormProps): ReactNode => {
  const { title, entity, action, error, isPending, onClose } = props
  const { record, recordPage, common } = useTexts()
  const { me } = useSession()
  const comment = useId()
  const form = useFirstFocus()
  const fields = fieldsOf(entity, action)
  const optional = fields.filter(({ required }) => !required)
  const [values, setValues] = useState(() => initialValues(fields, me.id))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('comment'))
    props.onSubmit({ values, comment: text })
  }
  useShortcuts(
    [{ keys: 'Ctrl+Enter', label: actionName(action), run: () => form.current?.requestSubmit() }],
    'dialog',
  )
  const rowOf = (field: Field) => {
    const column = field.column ?? field.key
    return (
      <FieldRow
        key={column}
        field={field}
        value={values.get(column)}
        linked={values.get(column) === me.id ? record.you(me.full_name ?? '') : undefined}
        isReadOnly={false}
        issue={issueOf(error, column)}
        onChange={(value) => setValues(new Map(values).set(column, value))}
      />
    )
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form ref={form} className="action-form" onSubmit={submit}>
        {fields.filter(({ required }) => required).map(rowOf)}
        <div className="field-row">
          <label htmlFor={comment}>{record.comment}</label>
          <textarea id={comment} name="comment" rows={2} className="field-input" dir="auto" />
        </div>
        {optional.length > 0 && (
          <details className="action-more">
            <summary>{recordPage.moreFields(optional.length)}</summary>
            <div className="action-form">{optional.map(rowOf)}</div>
          </details>
        )}
        {props.children}
        {error && (
          <p role="alert" className="action-error">
            {error.message}
          </p>
        )}
        <div className="dialog-actions">
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" look="primary" disabled={isPending}>
            <span dir="auto">{actionName(action)}</span>
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
