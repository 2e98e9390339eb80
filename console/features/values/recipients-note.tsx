/** Says whom something would notify before it is done, where the definition notifies anybody of it. */
import type { ReactNode } from 'react'
import type { Intent } from '../../api/records/recipients.ts'
import type { Entity } from '../../api/types.ts'
import { RecipientsLine } from './recipients-line.tsx'

type NoteProps = { readonly entity: Entity; readonly intent: Intent }

export const RecipientsNote = ({ entity, intent }: NoteProps): ReactNode =>
  entity.notifiedOperations.includes(intent.operation) && (
    <RecipientsLine entity={entity} intent={intent} />
  )
