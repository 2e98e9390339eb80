/** What is wrong with the value of a field; the words are loaded when there are any to say. */
import type { ReactNode } from 'react'
import type { Field } from '../../api/types.ts'
import { issueOf, type Refusal, ValueIssue } from './value-issue.tsx'

/** Why the service refused it; undefined where it did not. */
export const refusedValue = (refusal: Refusal): ReactNode =>
  issueOf(refusal.error, refusal.field.column ?? refusal.field.key) === undefined ? undefined : (
    <ValueIssue {...refusal} />
  )

/** Why the service would refuse it. */
export const faultyValue = (field: Field, value: unknown): ReactNode => (
  <ValueIssue field={field} value={value} error={null} />
)
