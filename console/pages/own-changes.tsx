/** What the user has changed and may undo, and what was typed and not saved. */
import type { ReactNode } from 'react'
import { OwnChangesList } from '../features/account/own-changes-list.tsx'
import { UnsavedList } from '../features/account/unsaved-list.tsx'
import { PageHeading } from '../features/session/page-title.tsx'
import { useTexts, useWorkTexts } from '../texts/texts.ts'
import './own-changes.css'

export const OwnChanges = (): ReactNode => {
  const { record } = useTexts()
  const texts = useWorkTexts().ownChanges
  return (
    <div className="own-changes">
      <PageHeading title={record.ownChanges} />
      <UnsavedList />
      <section aria-label={record.ownChanges}>
        <p className="own-changes-help">{texts.help}</p>
        <OwnChangesList />
      </section>
    </div>
  )
}
