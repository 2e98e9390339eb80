/** What is wrong with the fields of a form: faults that the page finds, and what the service refused. */

import {
  type FocusEvent,
  type FormEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useState,
} from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { ApiProblem } from '../../api/client.ts'
import type { Entity, Field } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { isFileField, isUnsent, itemsOf } from '../files/file-values.ts'
import { isBlank, isFaulty, prepareRules } from '../values/entered.ts'
import { columnOf, ownFields } from '../values/own-fields.ts'
import { faultyValue, issueOf, refusedValue } from '../values/value-issue.tsx'
import './forms.css'

/** A field with the entered value. */
export type Entered = {
  readonly field: Field
  readonly value: unknown
  /** Whether it must not be left empty. */
  readonly isNeeded: boolean
}

/** Issues that are those of no single value. */
const ofWhole = (error: Error | null): string =>
  error instanceof ApiProblem
    ? error.issues.flatMap(({ path, message }) => (path === '' ? [message] : [])).join(' ')
    : ''

/** What an error says without its issues of values: they are told at their fields, in the words of the user. */
export const wholeMessage = (error: Error): string =>
  error instanceof ApiProblem && error.issues.some(({ path }) => path !== '')
    ? ofWhole(error)
    : error.message

/** Texts by column. */
type Faults = ReadonlyMap<string, ReactNode>

/** The input of an event, with the column of its field. */
const inputOf = ({ target }: FormEvent) => {
  const input = target as HTMLInputElement
  const row = input.matches('input, select, textarea') ? input.closest('[data-column]') : null
  return { input, column: row?.getAttribute('data-column') ?? '' }
}

const isWrong = ({ field, value, isNeeded }: Entered): boolean => {
  if (!isFileField(field)) return isBlank(value) ? isNeeded : isFaulty(value, field)
  return itemsOf(value).length === 0 ? isNeeded : isUnsent(value)
}

type Form = RefObject<HTMLFormElement | null>

/** Focuses the first field that is one of these, or whose input is invalid for the browser. */
const focusFirst = (form: Form, columns: ReadonlySet<string>): void => {
  const rows = form.current?.querySelectorAll<HTMLElement>('[data-column]') ?? []
  const first = [...rows].find(
    (row) => columns.has(row.dataset.column ?? '') || row.querySelector(':invalid'),
  )
  first?.querySelector<HTMLElement>(':is(input, select, textarea)')?.focus()
}

// Marks a field that the rules of its definition judge: the browser can read its input.
const judged = ''

/**
 * Faults of the entered values: of a field when it is left, of all fields before the form is sent. The page shows them
 * at each field, in place of the bubbles of the browser.
 */
export const useFaults = (form: Form, entered: readonly Entered[]) => {
  // The message of the browser by column, or `judged`. A field that is being typed into has no entry.
  const [checked, setChecked] = useState<ReadonlyMap<string, string>>(new Map())
  const report = (column: string, text: string) =>
    setChecked((all) => new Map(all).set(column, text))
  const forget = (column: string) =>
    setChecked((all) => new Map([...all].filter(([one]) => one !== column)))
  const find = (column: string) => entered.find(({ field }) => columnOf(field) === column)
  const onFocus = () => {
    // Fields that were left before the rules came are judged now. If loading fails, the next field tries again.
    prepareRules(entered.map(({ field }) => field)).then(
      () => setChecked((all) => (all.size > 0 ? new Map(all) : all)),
      () => undefined,
    )
  }
  const onInvalidCapture = (event: FormEvent<HTMLFormElement>) => {
    const { input, column } = inputOf(event)
    if (column === '') return
    event.preventDefault()
    report(column, input.validationMessage)
  }
  const onInput = (event: FormEvent<HTMLFormElement>) => {
    const { column } = inputOf(event)
    if (checked.has(column)) forget(column)
  }
  const onBlur = (event: FocusEvent<HTMLFormElement>) => {
    const { input, column } = inputOf(event)
    // A message that appears now would move the button that is being pressed.
    if (column === '' || event.relatedTarget?.matches(':active') || !input.checkValidity()) return
    const one = find(column)
    // Leaving an empty field is no mistake yet.
    if (one && !isBlank(one.value)) report(column, judged)
    else forget(column)
  }
  const faults: Faults = new Map(
    [...checked].flatMap(([column, text]): [string, ReactNode][] => {
      if (text !== judged) return [[column, text]]
      const one = find(column)
      return one && isWrong(one) ? [[column, faultyValue(one.field, one.value)]] : []
    }),
  )
  /** Shows all faults and focuses the first one; true if there is none. */
  const isFit = (): boolean => {
    setChecked(new Map(entered.map(({ field }) => [columnOf(field), judged])))
    const wrong = new Set(entered.filter(isWrong).map(({ field }) => columnOf(field)))
    const isRead = form.current?.checkValidity() ?? true
    if (isRead && wrong.size === 0) return true
    focusFirst(form, wrong)
    return false
  }
  return {
    faults,
    isFit,
    /** Starts again, as if no field had been left. */
    forgetFaults: () => setChecked(new Map()),
    formProps: { onFocus, onInvalidCapture, onInput, onBlur, noValidate: true },
  }
}

/** What is wrong with fields, by column. */
type FieldIssues = ReadonlyMap<string, { readonly label: string; readonly text: ReactNode }>

type Values = ReadonlyMap<string, unknown>

type Sent = {
  readonly error: Error | null
  readonly values: Values | undefined
  /** Faults that kept the form from being sent. */
  readonly faults: Faults
}

/** Faults of the form, and refusals of values that have not changed since they were sent. */
export const fieldIssues = (
  entity: Entity,
  { error, values, faults }: Sent,
  current: Values,
): FieldIssues =>
  new Map(
    ownFields(entity).flatMap((field) => {
      const column = columnOf(field)
      const value = current.get(column)
      const { combination = [column] } = issueOf(error, column) ?? {}
      const isAsSent = combination.every((one) => current.get(one) === values?.get(one))
      const { fields } = entity
      const refused = isAsSent ? refusedValue({ error, field, value, fields }) : undefined
      const text = faults.get(column) ?? refused
      return text === undefined ? [] : [[column, { label: labelOf(field), text }] as const]
    }),
  )

const focusField = (form: Form, column: string): void =>
  form.current
    ?.querySelector<HTMLElement>(`[data-column="${column}"] :is(input, select, textarea)`)
    ?.focus()

/** Focuses the first refused field, which may be far from the pressed button. */
export const useFirstIssue = (form: Form, error: Error | null, issues: FieldIssues): void => {
  const lead = useEffectEvent(() => {
    const [first] = issues.keys()
    if (first !== undefined) focusField(form, first)
  })
  useEffect(() => {
    if (error) lead()
  }, [error])
}

// The bar is one line.
const namedFields = 3

export type LinksProps = { readonly issues: FieldIssues; readonly form: Form }

export const IssueLinks = ({
  issues,
  form,
  error,
}: LinksProps & { readonly error: Error | null }): ReactNode => {
  const recordPage = useWorkTexts().record
  const rest = issues.size - namedFields
  return (
    <span role="alert" className="save-issues">
      {recordPage.refused(issues.size)}{' '}
      {[...issues].slice(0, namedFields).map(([column, { label }]) => (
        <button
          key={column}
          type="button"
          className="link-button"
          dir="auto"
          onClick={() => focusField(form, column)}
        >
          {label}
        </button>
      ))}
      {rest > 0 && recordPage.andMore(rest)} {ofWhole(error)}
    </span>
  )
}
