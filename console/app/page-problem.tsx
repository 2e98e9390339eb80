/** Shown instead of a page that could not be loaded or rendered. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { ApiProblem } from '../api/client.ts'
import { PageTitle, withoutStop } from '../features/session/page-title.tsx'
import { ProblemNote } from '../parts/notes.tsx'
import { useTexts } from '../texts/texts.ts'
import { isPartMissing, reloadIfAnswering } from './missing-parts.ts'

const askAgainMs = 2000

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

/** If a file of the page could not be loaded, the page is loaded again as soon as the service answers. */
export const PageProblem = ({ error, reset }: ErrorComponentProps): ReactNode => {
  const { problem } = useTexts()
  const isMissing = isPartMissing(error)
  useEffect(() => {
    if (!isMissing) return
    void reloadIfAnswering()
    const timer = setInterval(reloadIfAnswering, askAgainMs)
    return () => clearInterval(timer)
  }, [isMissing])
  return (
    <>
      <PageTitle of={[withoutStop(problem.unexpected)]} />
      <ProblemNote
        error={isMissing ? new ApiProblem(0, {}) : asError(error)}
        onRetry={isMissing ? () => window.location.reload() : reset}
      />
    </>
  )
}
