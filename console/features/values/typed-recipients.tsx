/** Whom something would notify, some time after its form was typed. */
import type { ReactNode } from 'react'
import type { Intent } from '../../api/records/recipients.ts'
import type { Entity } from '../../api/types.ts'
import { RecipientsNote } from './recipients-note.tsx'
import { useDelayed } from './use-delayed.ts'

const typingDelayMs = 400

type TypedProps = {
  readonly entity: Entity
  /** Without its values. */
  readonly intent:
    | { readonly operation: 'create' }
    | Extract<Intent, { readonly operation: 'proceedToStep' }>
  /** What is typed, by column. */
  readonly values: ReadonlyMap<string, unknown>
}

export const TypedRecipients = ({ entity, intent, values }: TypedProps): ReactNode => {
  // Other parts of the form change without it.
  const typed = useDelayed(JSON.stringify([...values]), typingDelayMs)
  return (
    <RecipientsNote
      entity={entity}
      intent={{ ...intent, values: Object.fromEntries(JSON.parse(typed)) }}
    />
  )
}
