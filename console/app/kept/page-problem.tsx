/** What is shown instead of a page that could not be loaded or shown. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageTitle, withoutStop } from '../../features/pages/page-title.tsx'
import { ProblemNote } from '../../parts/notes.tsx'
import { useTexts } from '../../texts/texts.ts'

export const PageProblem = ({ error, reset }: ErrorComponentProps): ReactNode => (
  <>
    <PageTitle of={[withoutStop(useTexts().problem.unexpected)]} />
    <ProblemNote
      error={error instanceof Error ? error : new Error(String(error))}
      onRetry={reset}
    />
  </>
)
