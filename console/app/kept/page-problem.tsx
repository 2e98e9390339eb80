/** What is shown instead of a page that could not be loaded or shown. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { ApiProblem } from '../../api/client.ts'
import { PageTitle, withoutStop } from '../../features/session/page-title.tsx'
import { ProblemNote } from '../../parts/notes.tsx'
import { useTexts } from '../../texts/texts.ts'
import { isPartMissing, reloadIfAnswering } from '../missing-parts.ts'

const askAgainMs = 2000

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

/** A page whose part is missing comes back by itself when the service does. */
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
