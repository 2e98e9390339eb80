/** Says whom something would notify before it is done, where the definition notifies anybody of it. */
import { lazy, type ReactNode, Suspense } from 'react'
import type { Intent } from '../../api/records/recipients.ts'
import type { Entity } from '../../api/types.ts'

const RecipientsLine = lazy(async () => ({
  default: (await import('./recipients-line.tsx')).RecipientsLine,
}))

type NoteProps = { readonly entity: Entity; readonly intent: Intent }

export const RecipientsNote = ({ entity, intent }: NoteProps): ReactNode =>
  entity.notifiedOperations.includes(intent.operation) && (
    <Suspense>
      <RecipientsLine entity={entity} intent={intent} />
    </Suspense>
  )
