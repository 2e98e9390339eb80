/** The form of an action: what it requires, a comment, and the rest of its fields behind a word. */
import { type FormEvent, type ReactNode, useLayoutEffect, useRef } from 'react'
import type { OpenAction } from '../../api/open-actions.ts'
import type { Field } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { GoneNote } from '../forms/gone-note.tsx'
import { useOpenForm } from '../forms/open-forms.ts'
import { RestoredNote } from '../forms/restored-note.tsx'
import { useFaults } from '../forms/use-faults.tsx'
import { useShortcuts } from '../session/shortcuts.ts'
import { labelOf } from '../values/columns.ts'
import { refusedValue } from '../values/refused-value.tsx'
import { ActionComment, ActionField, CallerFacts } from './action-inputs.tsx'
import { actionName } from './action-name.ts'
import { type ActionValues, enteredInAction, type TypedAction } from './use-action-values.ts'

type FormProps = {
  readonly title: string
  readonly action: OpenAction
  readonly typed: TypedAction
  readonly error: Error | null
  readonly isPending: boolean
  /** What is decided on, where the title does not say it. */
  readonly about?: ReactNode
  /** What stands above the buttons. */
  readonly children?: ReactNode
  readonly onSubmit: (values: ActionValues) => void
  readonly onClose: () => void
}

// More than these are counted.
const namedFields = 3

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
  const { title, action, typed, error, isPending, onClose } = props
  const { common } = useTexts()
  const recordPage = useRecordPageTexts()
  const form = useFirstFocus()
  const { isGone } = useOpenForm()
  const { faults, isFit, formProps } = useFaults(form, enteredInAction(typed))
  const optional = typed.fields.filter(({ required }) => !required)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isGone && isFit()) props.onSubmit(typed)
  }
  useShortcuts(
    [{ keys: 'Ctrl+Enter', label: actionName(action), run: () => form.current?.requestSubmit() }],
    'dialog',
  )
  const issueOf = (field: Field) => {
    const column = field.column ?? field.key
    return (
      faults.get(column) ??
      refusedValue({ error, field, value: typed.values.get(column), fields: typed.fields })
    )
  }
  const hasIssue = (field: Field) => issueOf(field) !== undefined
  const rowOf = (field: Field) => (
    <ActionField key={field.key} field={field} typed={typed} issue={issueOf(field)} />
  )
  return (
    <Dialog title={title} onClose={onClose}>
      <form ref={form} className="action-form" onSubmit={submit} {...formProps}>
        {props.about}
        <RestoredNote kept={typed.kept} />
        <CallerFacts typed={typed} />
        {typed.fields.filter(({ required }) => required).map(rowOf)}
        <ActionComment typed={typed} />
        {optional.length > 0 && (
          <details className="action-more" open={optional.some(hasIssue) || undefined}>
            <summary dir="auto">
              {optional.length <= namedFields
                ? `${common.more}: ${optional.map(labelOf).join(', ')}`
                : recordPage.moreFields(optional.length)}
            </summary>
            <div className="action-form">{optional.map(rowOf)}</div>
          </details>
        )}
        {props.children}
        {isGone && <GoneNote lines={typed.lines} />}
        {error && !isGone && !typed.fields.some(hasIssue) && (
          <p role="alert" className="field-issue">
            {error.message}
          </p>
        )}
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary" disabled={isPending || isGone}>
            <span dir="auto">{actionName(action)}</span>
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
