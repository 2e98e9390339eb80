/** What is shown instead of a page that could not be loaded or shown, and how it comes back. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { ApiProblem, basePath } from '../api/client.ts'
import { PageTitle, withoutStop } from '../features/session/page-title.tsx'
import { ProblemNote } from '../parts/notes.tsx'
import { useTexts } from '../texts/texts.ts'

const markName = 'docket.reloaded'
// If the file is missing after that too, loading again does not help.
const pauseMs = 60_000

const missing = new Set<unknown>()

/** Whether an error says that a part of the console could not be loaded. */
const isPartMissing = (error: unknown): boolean => missing.has(error)

/** Loads the page again if the service answers, once in a minute at most. */
const reloadIfAnswering = async (): Promise<void> => {
  try {
    const { ok } = await fetch(`${basePath}/api/health/live`, { cache: 'no-store' })
    if (!ok || Date.now() - Number(sessionStorage.getItem(markName)) < pauseMs) return
    sessionStorage.setItem(markName, `${Date.now()}`)
    window.location.reload()
  } catch {
    // The service is away; or the browser stores nothing, and drafts would be lost.
  }
}

/** Notes which parts could not be loaded. */
export const noteMissingParts = (): void =>
  window.addEventListener('vite:preloadError', ({ payload }) => missing.add(payload))

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
