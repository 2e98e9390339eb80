/** The form of an operation: a field and its new value, or the form of an action. */

import { useQuery } from '@tanstack/react-query'
import {
  type FormEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
} from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import type { Instruction } from '../../api/bulk.ts'
import { groupsQuery } from '../../api/totals.ts'
import type { Criteria, Entity, Field, WorkflowAction } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { DialogActions } from '../../parts/dialog.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useFaults, wholeMessage } from '../forms/field-issues.tsx'
import { FieldRow } from '../forms/field-row.tsx'
import { type KeptForm, RestoredNote, useKeptForm } from '../forms/kept-form.tsx'
import { columnOf } from '../values/own-fields.ts'
import { refusedValue } from '../values/value-issue.tsx'
import {
  ActionComment,
  ActionField,
  CallerFacts,
  definedFormFields,
  enteredInAction,
  forSeveral,
  printAction,
  useActionValues,
} from '../workflow/action-form.tsx'
import { changeableFields, countOf, lockedCounts, type Operation } from './operations.ts'

type FormProps = {
  readonly entity: Entity
  /** Of the selected records. */
  readonly criteria: Pick<Criteria, '$where' | '$search'>
  /** The error of the last attempt. */
  readonly error: Error | null
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

/** The field, and its new value. */
type TypedChange = { readonly field: string | undefined; readonly value: unknown }

/** How many of the records have each field locked by their step. What locks them otherwise, the check says of each. */
const useLocked = (entity: Entity, criteria: FormProps['criteria'], fields: readonly Field[]) => {
  const locks = entity.workflow?.steps.some((step) => step.locks !== undefined) === true
  const { data } = useQuery({
    ...groupsQuery({ entity: entity.key, criteria, path: undefined }, ['_step']),
    enabled: locks && entity.fields.some(({ column }) => column === '_step'),
  })
  const groups = data?.groupsAreComplete ? data.groups : []
  return { counts: lockedCounts(entity, fields, groups), total: countOf(groups) }
}

const ChangeForm = (props: FormProps): ReactNode => {
  const { entity, criteria, error, isWritten, onCancel, onCheck } = props
  const bulk = useWorkTexts().bulk
  const choice = useId()
  const fields = changeableFields(entity)
  const { counts, total } = useLocked(entity, criteria, fields)
  const isClosed = ({ key }: Field) => total > 0 && counts.get(key) === total
  const kept = useKeptForm<TypedChange>(`${entity.key} bulk change`, {
    field: fields[0]?.key,
    value: null,
  })
  useForgotten(kept, isWritten)
  const chosen = fields.find(({ key }) => key === kept.values.field)
  // A field that is locked for all of them is chosen only where the others are too.
  const field =
    chosen && isClosed(chosen) ? (fields.find((one) => !isClosed(one)) ?? chosen) : chosen
  const value = field === chosen ? kept.values.value : null
  const form = useRef<HTMLFormElement>(null)
  const isNeeded = field?.required === true
  const { faults, isFit, formProps } = useFaults(form, field ? [{ field, value, isNeeded }] : [])
  if (!field) return null
  const column = columnOf(field)
  const locked = counts.get(field.key) ?? 0
  const refused = refusedValue({ error, field, value, fields: entity.fields })
  return (
    <Form
      error={error}
      isAtField={refused !== undefined}
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
            <option key={one.key} value={one.key} disabled={isClosed(one)}>
              {isClosed(one) ? bulk.lockedField(labelOf(one)) : labelOf(one)}
            </option>
          ))}
        </select>
      </div>
      <FieldRow
        key={column}
        field={field}
        value={value}
        isReadOnly={false}
        issue={faults.get(column) ?? refused}
        onChange={(next) => kept.set({ field: field.key, value: next })}
      />
      {locked > 0 && <p className="bulk-note">{bulk.lockedForSome(bulk.outOf(locked, total))}</p>}
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
    forSeveral(definedFormFields(entity, action)),
    `${entity.key} bulk ${action.key}`,
  )
  const { kept, fields } = typed
  useForgotten(kept, isWritten)
  const form = useRef<HTMLFormElement>(null)
  const { faults, isFit, formProps } = useFaults(form, enteredInAction(typed))
  const issueOf = (field: Field) => {
    const value = typed.values.get(columnOf(field))
    return faults.get(columnOf(field)) ?? refusedValue({ error, field, value, fields })
  }
  return (
    <Form
      error={error}
      isAtField={fields.some((field) => issueOf(field) !== undefined)}
      onCancel={onCancel}
      kept={kept}
      form={form}
      formProps={formProps}
      onSubmit={() => isFit() && onCheck(printAction(action, typed))}
    >
      <CallerFacts typed={typed} />
      {fields.map((field) => (
        <ActionField key={field.key} field={field} typed={typed} issue={issueOf(field)} />
      ))}
      <ActionComment typed={typed} />
    </Form>
  )
}

type ShellProps = Pick<FormProps, 'error' | 'onCancel'> & {
  /** Whether a field says what is wrong with its value. */
  readonly isAtField: boolean
  readonly kept: KeptForm
  readonly form: RefObject<HTMLFormElement | null>
  readonly formProps: ReturnType<typeof useFaults>['formProps']
  readonly onSubmit: () => void
  readonly children: ReactNode
}

const Form = ({
  error,
  isAtField,
  onCancel,
  kept,
  form,
  formProps,
  onSubmit,
  children,
}: ShellProps): ReactNode => {
  const bulk = useWorkTexts().bulk
  const refusal = error && (isAtField ? wholeMessage(error) : error.message)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form ref={form} className="bulk-form" onSubmit={submit} {...formProps}>
      <RestoredNote kept={kept} />
      {children}
      {refusal && (
        <p role="alert" className="bulk-error">
          {refusal}
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
