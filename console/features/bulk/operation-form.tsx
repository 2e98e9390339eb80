/** The form of an operation: a field and its new value, or the form of an action. */
import {
  type FormEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
} from 'react'
import type { Instruction } from '../../api/bulk.ts'
import { ApiProblem } from '../../api/client.ts'
import type { Entity, WorkflowAction } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { DialogActions } from '../../parts/dialog.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useFaults } from '../forms/field-issues.tsx'
import { FieldRow } from '../forms/field-row.tsx'
import { type KeptForm, RestoredNote, useKeptForm } from '../forms/kept-form.tsx'
import { labelOf } from '../values/columns.ts'
import { columnOf } from '../values/own-fields.ts'
import {
  ActionComment,
  ActionField,
  CallerFacts,
  definedFormFields,
  enteredInAction,
  printAction,
  useActionValues,
} from '../workflow/action-form.tsx'
import { changeableFields, issueAt, type Operation } from './operations.ts'

type FormProps = {
  readonly entity: Entity
  /** The error of the last attempt. */
  readonly error: Error | undefined
  /** Whether it was written, so that its draft is not needed any more. */
  readonly isWritten: boolean
  readonly onCancel: () => void
  readonly onCheck: (instruction: Instruction) => void
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

/** The field, and its new value. */
type TypedChange = { readonly field: string | undefined; readonly value: unknown }

const ChangeForm = ({ entity, error, isWritten, onCancel, onCheck }: FormProps): ReactNode => {
  const bulk = useWorkTexts().bulk
  const choice = useId()
  const fields = changeableFields(entity)
  const kept = useKeptForm<TypedChange>(`${entity.key} bulk change`, {
    field: fields[0]?.key,
    value: null,
  })
  useForgotten(kept, isWritten)
  const { value } = kept.values
  const field = fields.find(({ key }) => key === kept.values.field)
  const form = useRef<HTMLFormElement>(null)
  const isNeeded = field?.required === true
  const { faults, isFit, formProps } = useFaults(form, field ? [{ field, value, isNeeded }] : [])
  if (!field) return null
  const column = columnOf(field)
  return (
    <Form
      error={error}
      onCancel={onCancel}
      kept={kept}
      form={form}
      formProps={formProps}
      onSubmit={() => isFit() && onCheck({ change: { [column]: value } })}
    >
      <div className="field-row">
        <label htmlFor={choice}>{bulk.field}</label>
        <select
          id={choice}
          className="field-input"
          value={field.key}
          onChange={({ target }) => kept.set({ field: target.value, value: null })}
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
        field={field}
        value={value}
        isReadOnly={false}
        issue={faults.get(column) ?? issueAt(issuesOf(error), column)}
        onChange={(next) => kept.set({ value: next })}
      />
      {!field.required && <p className="bulk-note">{bulk.clears}</p>}
    </Form>
  )
}

/** Forgets the draft of a form that was written. */
const useForgotten = ({ forget }: KeptForm, isWritten: boolean): void => {
  const onWritten = useEffectEvent(forget)
  useEffect(() => {
    if (isWritten) onWritten()
  }, [isWritten])
}

type ActionProps = FormProps & { readonly action: WorkflowAction }

const ActionForm = ({ entity, action, error, isWritten, onCancel, onCheck }: ActionProps) => {
  const typed = useActionValues(
    definedFormFields(entity, action),
    `${entity.key} bulk ${action.key}`,
  )
  const { kept, fields } = typed
  useForgotten(kept, isWritten)
  const form = useRef<HTMLFormElement>(null)
  const { faults, isFit, formProps } = useFaults(form, enteredInAction(typed))
  const issueOf = (column: string) => faults.get(column) ?? issueAt(issuesOf(error), column)
  return (
    <Form
      error={error}
      onCancel={onCancel}
      kept={kept}
      form={form}
      formProps={formProps}
      onSubmit={() => isFit() && onCheck(printAction(action, typed))}
    >
      <CallerFacts typed={typed} />
      {fields.map((field) => (
        <ActionField key={field.key} field={field} typed={typed} issue={issueOf(columnOf(field))} />
      ))}
      <ActionComment typed={typed} />
    </Form>
  )
}

type ShellProps = Pick<FormProps, 'error' | 'onCancel'> & {
  readonly kept: KeptForm
  readonly form: RefObject<HTMLFormElement | null>
  readonly formProps: ReturnType<typeof useFaults>['formProps']
  readonly onSubmit: () => void
  readonly children: ReactNode
}

const Form = ({
  error,
  onCancel,
  kept,
  form,
  formProps,
  onSubmit,
  children,
}: ShellProps): ReactNode => {
  const bulk = useWorkTexts().bulk
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form ref={form} className="bulk-form" onSubmit={submit} {...formProps}>
      <RestoredNote kept={kept} />
      {children}
      {error && (
        <p role="alert" className="bulk-error">
          {error.message}
        </p>
      )}
      <DialogActions onCancel={onCancel}>
        <Button type="submit" look="primary">
          {bulk.check}
        </Button>
      </DialogActions>
    </form>
  )
}
