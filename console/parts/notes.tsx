/** What a page shows instead of its content, or above it: it waits, it is empty, or something went wrong. */
import { type ReactNode, useEffect, useState } from 'react'
import { ApiProblem } from '../api/client.ts'
import { useTexts } from '../texts/texts.ts'
import { Button } from './button.tsx'
import './notes.css'

// What is read sooner needs no sign that it is being read.
const patienceMs = 300

/** The note that something is loading; it is empty at first. */
export const Waiting = (): ReactNode => {
  const texts = useTexts()
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="note" role="status">
      {isLate && texts.common.loading}
    </div>
  )
}

type TitleProps = {
  /** Whether the note is all that the page says. */
  readonly isPage: boolean | undefined
  readonly children: string
}

const Title = ({ isPage, children }: TitleProps): ReactNode =>
  isPage ? <h1>{children}</h1> : <h2>{children}</h2>

type ProblemProps = {
  readonly error: Error
  readonly isPage?: boolean
  readonly onRetry?: () => void
  /** What else can be done about it. */
  readonly children?: ReactNode
}

/** An error, with what to do about it. */
export const ProblemNote = ({ error, isPage, onRetry, children }: ProblemProps): ReactNode => {
  const texts = useTexts()
  const { title, hint } = explain(error, texts)
  return (
    <div className="note" role="alert">
      <Title isPage={isPage}>{title}</Title>
      {hint && <p>{hint}</p>}
      {onRetry && <Button onClick={onRetry}>{texts.common.retry}</Button>}
      {children}
    </div>
  )
}

const explain = (error: Error, { problem }: ReturnType<typeof useTexts>) => {
  if (!(error instanceof ApiProblem)) return { title: problem.unexpected, hint: error.message }
  if (error.status === 0) return { title: problem.unreachable, hint: problem.unreachableHint }
  if (error.status === 404) return { title: problem.notFound, hint: problem.notFoundHint }
  return { title: error.message, hint: error.hint }
}

type EmptyProps = {
  readonly title: string
  readonly isPage?: boolean
  readonly children?: ReactNode
}

export const EmptyNote = ({ title, isPage, children }: EmptyProps): ReactNode => (
  <div className="note">
    <Title isPage={isPage}>{title}</Title>
    {children}
  </div>
)

type StaleProps = { readonly error: Error | null; readonly onRetry: () => void }

/** The note that what is shown could not be read again. */
export const StaleNote = ({ error, onRetry }: StaleProps): ReactNode => {
  const { problem, common } = useTexts()
  if (!error) return null
  return (
    <p role="alert" className="stale-note">
      <span>
        {problem.stale} <span dir="auto">{error.message}</span>
      </span>
      <Button onClick={onRetry}>{common.retry}</Button>
    </p>
  )
}
