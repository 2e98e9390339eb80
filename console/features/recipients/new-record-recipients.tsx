/** Whom a new record would notify, some time after it was typed. */
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { RecipientsNote } from './recipients-note.tsx'

const typingDelayMs = 400

type NewProps = { readonly entity: Entity; readonly values: ReadonlyMap<string, unknown> }

export const NewRecordRecipients = ({ entity, values }: NewProps): ReactNode => {
  const typed = useDelayed(values, typingDelayMs)
  const given = Object.fromEntries([...typed].filter(([, value]) => value !== null))
  return <RecipientsNote entity={entity} intent={{ operation: 'create', values: given }} />
}
