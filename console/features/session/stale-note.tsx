/** Says above what stays on the screen that it could not be read anew. */
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import './stale-note.css'

type StaleProps = { readonly error: Error | null; readonly onRetry: () => void }

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
