/** What is shown instead of a page that could not be loaded or shown. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ProblemNote } from '../../parts/notes.tsx'

export const PageProblem = ({ error, reset }: ErrorComponentProps): ReactNode => (
  <ProblemNote error={error instanceof Error ? error : new Error(String(error))} onRetry={reset} />
)
