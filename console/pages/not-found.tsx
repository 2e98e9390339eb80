/** Shown for an address that leads nowhere. */
import type { ReactNode } from 'react'
import { EmptyNote } from '../parts/notes.tsx'
import { useTexts } from '../texts/texts.ts'

export const NotFound = (): ReactNode => {
  const { problem } = useTexts()
  return (
    <EmptyNote title={problem.notFound} isPage>
      <p>{problem.notFoundHint}</p>
    </EmptyNote>
  )
}
