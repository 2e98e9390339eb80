/** Fields that the service refused: what is wrong with each, and the way to it. */
import { type ReactNode, type RefObject, useEffect, useEffectEvent } from 'react'
import { ApiProblem, issueOf } from '../../api/client.ts'
import type { Entity } from '../../api/types.ts'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { labelOf } from '../values/columns.ts'
import { ownFields } from '../values/own-fields.ts'
import { refusedValue } from '../values/refused-value.tsx'
import type { Faults } from './use-faults.tsx'
import './saving.css'

/** What is wrong with a field, by its column. */
export type FieldIssues = ReadonlyMap<string, { readonly label: string; readonly text: ReactNode }>

type Values = ReadonlyMap<string, unknown>

type Sent = {
  readonly error: Error | null
  readonly values: Values | undefined
  /** What was not sent. */
  readonly faults: Faults
}

/** What was not sent, and what was refused and is still as it was sent. */
export const fieldIssues = (
  entity: Entity,
  { error, values, faults }: Sent,
  current: Values,
): FieldIssues =>
  new Map(
    ownFields(entity).flatMap((field) => {
      const column = field.column ?? field.key
      const value = current.get(column)
      const { combination = [column] } = issueOf(error, column) ?? {}
      const isAsSent = combination.every((one) => current.get(one) === values?.get(one))
      const { fields } = entity
      const refused = isAsSent ? refusedValue({ error, field, value, fields }) : undefined
      const text = faults.get(column) ?? refused
      return text === undefined ? [] : [[column, { label: labelOf(field), text }] as const]
    }),
  )

type Form = RefObject<HTMLFormElement | null>

const focusField = (form: Form, column: string): void =>
  form.current
    ?.querySelector<HTMLElement>(`[data-column="${column}"] :is(input, select, textarea)`)
    ?.focus()

/** Leads to the first field that was refused, which may be far from the button that was pressed. */
export const useFirstIssue = (form: Form, error: Error | null, issues: FieldIssues): void => {
  const lead = useEffectEvent(() => {
    const [first] = issues.keys()
    if (first !== undefined) focusField(form, first)
  })
  useEffect(() => {
    if (error) lead()
  }, [error])
}

// A bar is one line.
const namedFields = 3

export type LinksProps = { readonly issues: FieldIssues; readonly form: Form }

/** Validations that no field has. */
const ofRecord = (error: Error | null): string =>
  error instanceof ApiProblem
    ? error.issues.flatMap(({ path, message }) => (path === '' ? [message] : [])).join(' ')
    : ''

export const IssueLinks = ({
  issues,
  form,
  error,
}: LinksProps & { readonly error: Error | null }): ReactNode => {
  const recordPage = useRecordPageTexts()
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
      {rest > 0 && recordPage.andMore(rest)} {ofRecord(error)}
    </span>
  )
}
