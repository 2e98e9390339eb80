/** The form of an action: the fields that it requires, a comment, and its other fields behind a summary. */
import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { labelOf, nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import type { OpenAction } from '../../api/open-actions.ts'
import type { Entity, Field, RecordRow, WorkflowAction } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { isFileField, itemsOf, writtenValue } from '../files/file-values.ts'
import { formatValue } from '../format/field-kinds.ts'
import { type Entered, useFaults, wholeMessage } from '../forms/field-issues.tsx'
import { FieldRow } from '../forms/field-row.tsx'
import { RestoredNote, useKeptForm } from '../forms/kept-form.tsx'
import { GoneNote, type TypedLines, useOpenForm } from '../forms/open-form.tsx'
import { useReading, useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { choiceCondition } from '../values/choice-condition.ts'
import { columnOf } from '../values/own-fields.ts'
import { refusedValue } from '../values/value-issue.tsx'

type FormProps = {
  readonly title: string
  readonly action: OpenAction
  readonly typed: TypedAction
  readonly error: Error | null
  readonly isPending: boolean
  /** The records of the decision, where the title does not name one. */
  readonly about?: ReactNode
  /** Shown above the buttons. */
  readonly children?: ReactNode
  readonly onSubmit: (values: ActionValues) => void
  readonly onClose: () => void
}

// More optional fields than these are counted, not named.
const namedFields = 3

const firstEmpty = ['input', 'textarea', 'select']
  .map((name) => `${name}[aria-required=true]:not([role=combobox])`)
  .join(', ')

/** Focuses the first empty field that is required; without one, the button, so that one more key decides. */
const useFirstFocus = () => {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    const first =
      form.current?.querySelector(firstEmpty) ?? form.current?.querySelector('[type=submit]')
    // The dialog obeys the attribute when it opens, after this effect.
    first?.setAttribute('autofocus', '')
  }, [])
  return form
}

export const ActionForm = (props: FormProps): ReactNode => {
  const { title, action, typed, error, isPending, onClose } = props
  const { common } = useTexts()
  const recordPage = useWorkTexts().record
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
    const column = columnOf(field)
    return (
      faults.get(column) ??
      refusedValue({ error, field, value: typed.values.get(column), fields: typed.fields })
    )
  }
  const hasIssue = (field: Field) => issueOf(field) !== undefined
  const isAtField = typed.fields.some(hasIssue)
  const refusal = error && !isGone && (isAtField ? wholeMessage(error) : error.message)
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
        {refusal && (
          <p role="alert" className="field-issue">
            {refusal}
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

type TypedProps = { readonly typed: TypedAction }

type FieldProps = TypedProps & { readonly field: Field; readonly issue: ReactNode }

export const ActionField = ({ field, typed, issue }: FieldProps): ReactNode => {
  const column = columnOf(field)
  return (
    <FieldRow
      field={field}
      issue={issue}
      value={typed.values.get(column)}
      choices={typed.choicesOf(field)}
      isReadOnly={false}
      onChange={(next) => typed.setValue(column, next)}
    />
  )
}

const ignore = () => undefined

/** The fields that the service fills with the user, and those that several records have to be given one by one. */
export const CallerFacts = ({ typed: { callerFields, single } }: TypedProps): ReactNode => {
  const { record } = useTexts()
  const { files } = useWorkTexts()
  const { me } = useSession()
  return (
    <>
      {/* Without a value, whose link would lead away from the form, and without help, as the user fills in nothing. */}
      {callerFields.map(({ description: _, ...field }) => (
        <FieldRow
          key={field.key}
          field={field}
          value={null}
          onChange={ignore}
          linked={record.you(me.full_name ?? '')}
          isReadOnly
        />
      ))}
      {single.length > 0 && (
        <p className="field-help" dir="auto">
          {files.alone(single.map(labelOf).join(', '))}
        </p>
      )}
    </>
  )
}

// The limit of the service, in characters.
const longestComment = 10_000

export const ActionComment = ({ typed }: TypedProps): ReactNode => {
  const { comments } = useWorkTexts()
  const id = useId()
  return (
    <div className="field-row">
      <label htmlFor={id}>{comments.comment}</label>
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

export type ActionValues = {
  readonly fields: readonly Field[]
  readonly values: ReadonlyMap<string, unknown>
  readonly comment: string
}

/** The body of a request that takes an action. */
export const printAction = (
  action: Pick<OpenAction, 'key'>,
  { fields, values, comment }: ActionValues,
) => {
  const written = fields.flatMap((field) => {
    const column = columnOf(field)
    const value = values.get(column)
    // Files are added to those that the record has.
    const isNone = isFileField(field) && itemsOf(value).length === 0
    return values.has(column) && !isNone ? [[column, writtenValue(field, value, [])] as const] : []
  })
  return {
    action: action.key,
    ...(written.length > 0 && { values: Object.fromEntries(written) }),
    ...(comment !== '' && { comment }),
  }
}

type KeptValues = readonly (readonly [column: string, value: unknown])[]

const noValues: KeptValues = []

/**
 * What is typed into the form of an action; `name` is the form's name among all drafts. The choices of its links follow what is typed, and
 * what the shown record has where nothing is.
 */
export const useActionValues = (
  { entity, fields, callerFields, single = [] }: FormFields,
  name: string,
  shown?: RecordRow,
) => {
  const { comments } = useWorkTexts()
  const reading = useReading()
  const kept = useKeptForm(name, { comment: '', values: noValues })
  const { comment } = kept.values
  // The draft may come from a form that has changed since.
  const columns = new Set(fields.map(columnOf))
  const values = new Map(kept.values.values.filter(([column]) => columns.has(column)))
  const lines: TypedLines = [
    ...fields.map((field): [string, string] => [
      labelOf(field),
      formatValue(values.get(columnOf(field)), field, reading),
    ]),
    [comments.comment, comment],
  ]
  return {
    kept,
    fields,
    callerFields,
    single,
    values,
    comment,
    lines,
    choicesOf: (field: Field) =>
      choiceCondition(entity, field, (column) =>
        values.has(column) ? values.get(column) : shown?.[column],
      ),
    setValue: (column: string, value: unknown) =>
      kept.set({ values: [...new Map(values).set(column, value)] }),
    setComment: (text: string) => kept.set({ comment: text }),
  }
}

type TypedAction = ReturnType<typeof useActionValues>

/** The entered values to check. A required value may be in the record already, so the service alone checks that. */
export const enteredInAction = ({ fields, values }: TypedAction): readonly Entered[] =>
  fields.map((field) => ({ field, value: values.get(columnOf(field)), isNeeded: false }))

type FormFields = {
  readonly entity: Entity
  /** The fields that the user fills in; `required` as the form says. */
  readonly fields: readonly Field[]
  /** The fields that the service fills with the user. */
  readonly callerFields: readonly Field[]
  /** The fields that one record alone can be given. */
  readonly single?: readonly Field[]
}

/** A form for several records: an upload becomes a file of one. */
export const forSeveral = (form: FormFields): FormFields => ({
  ...form,
  fields: form.fields.filter((field) => !isFileField(field)),
  single: form.fields.filter(isFileField),
})

const fieldsOf = (
  entity: Entity,
  formFields: readonly { readonly key: string; readonly required: boolean }[],
  callerKeys: readonly string[],
): FormFields => {
  const find = (key: string) => entity.fields.find((one) => one.key === key)
  return {
    entity,
    fields: formFields.flatMap(({ key, required }) => {
      const field = find(key)
      return field ? [{ ...field, required }] : []
    }),
    callerFields: callerKeys.flatMap((key) => find(key) ?? []),
  }
}

/** The form of an open action. */
export const openFormFields = (entity: Entity, { form }: OpenAction): FormFields =>
  fieldsOf(entity, form?.fields ?? [], form?.callerFields.map(({ key }) => key) ?? [])

/** The form of an action of the definition. */
export const definedFormFields = (entity: Entity, { form }: WorkflowAction): FormFields => {
  const found = entity.workflow?.forms?.find(({ key }) => key === form)
  const formFields = (found?.fields ?? []).map((key) => ({
    key,
    required: found?.required?.includes(key) ?? false,
  }))
  return fieldsOf(entity, formFields, found?.callerFields ?? [])
}

/** The name of an action, or its key as words. */
export const actionName = ({ key, name }: Pick<OpenAction, 'key' | 'name'>): string =>
  name === key ? nameOfKey(key) : name
