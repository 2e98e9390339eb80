/** Shown for an address that leads nowhere. */
import type { ReactNode } from 'react'
import { PageTitle, withoutStop } from '../features/session/page-title.tsx'
import { laterPart } from '../parts/later.tsx'
import { EmptyNote } from '../parts/notes.tsx'
import { useTexts } from '../texts/texts.ts'

const WayOn = laterPart(async () => (await import('../features/search/way-on.tsx')).WayOn)

export const NotFound = (): ReactNode => {
  const { problem } = useTexts()
  return (
    <EmptyNote title={problem.notFound} isPage>
      <PageTitle of={[withoutStop(problem.notFound)]} />
      <p>{problem.notFoundHint}</p>
      <WayOn />
    </EmptyNote>
  )
}
