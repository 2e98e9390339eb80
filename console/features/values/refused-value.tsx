/** Why the service refused the value of a field; the words are loaded when there are any to say. */
import { lazy, type ReactNode, Suspense } from 'react'
import { issueOf } from '../../api/client.ts'
import type { Refusal } from './value-issue.tsx'

const ValueIssue = lazy(async () => ({ default: (await import('./value-issue.tsx')).ValueIssue }))

/** Undefined where nothing is wrong with the field. */
export const refusedValue = (refusal: Refusal): ReactNode =>
  issueOf(refusal.error, refusal.field.column ?? refusal.field.key) === undefined ? undefined : (
    <Suspense>
      <ValueIssue {...refusal} />
    </Suspense>
  )
