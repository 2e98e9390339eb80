/** Says whom something would notify before it is done, where the definition notifies anybody of it. */
import { useQuery } from '@tanstack/react-query'
import {
  type Intent,
  maxRecords,
  type Recipients,
  recipientsQuery,
} from '../../api/records/notified.ts'
import { useTexts, useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import './values.css'
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { itemsOf } from '../files/file-values.ts'
import { useDelayed } from './use-delayed.ts'

type NoteProps = { readonly entity: Entity; readonly intent: Intent }

export const RecipientsNote = ({ entity, intent }: NoteProps): ReactNode =>
  entity.notifiedOperations.includes(intent.operation) && (
    <RecipientsLine entity={entity} intent={intent} />
  )

// The others are counted.
const namedPeople = 5

type LineProps = { readonly entity: Entity; readonly intent: Intent }

/** The intent with as many records as the service takes, and how many were asked for. */
const limited = (intent: Intent) => {
  if (intent.operation === 'create') return { asked: intent, count: 1 }
  const count = intent.entityIds.length
  return { asked: { ...intent, entityIds: intent.entityIds.slice(0, maxRecords) }, count }
}

const RecipientsLine = ({ entity, intent }: LineProps): ReactNode => {
  const texts = useWorkTexts().recipients
  const { record } = useTexts()
  const { me } = useSession()
  const { asked, count } = limited(intent)
  const { data } = useQuery(recipientsQuery(entity.key, asked))
  if (!data || data.records === 0) return null
  const nameOf = ({ id, full_name: name }: Recipients['people'][number]) =>
    id === me.id ? record.you(name ?? `${id}`) : (name ?? `${id}`)
  const who = whoOf(data, data.people.slice(0, namedPeople).map(nameOf), texts)
  const parts = [
    data.records > 1 ? `${who} ${texts.about(data.records)}` : who,
    ...(data.emails > 0 ? [texts.emails(data.emails)] : []),
    ...(count > maxRecords ? [texts.ofFirst(maxRecords)] : []),
  ]
  const isHidden = data.isPartial && data.count === 0
  return (
    <p className="recipients-line" dir="auto">
      {isHidden
        ? texts.hidden
        : data.count === 0
          ? texts.nobody
          : texts.notifies(parts.join(' · '))}
      {data.isPartial && !isHidden && <span>{texts.partial}</span>}
    </p>
  )
}

const whoOf = (
  { count, hasMore }: Recipients,
  names: readonly string[],
  texts: WorkTexts['recipients'],
): string => {
  if (hasMore) return texts.moreThan(count)
  if (names.length === 0) return texts.people(count)
  const shown = names.join(', ')
  return names.length < count ? texts.others(shown, count - names.length) : shown
}

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
  // Other parts of the form change without it. Files are no values yet.
  const known = [...values].filter(([, value]) => itemsOf(value).length === 0)
  const typed = useDelayed(JSON.stringify(known), typingDelayMs)
  return (
    <RecipientsNote
      entity={entity}
      intent={{ ...intent, values: Object.fromEntries(JSON.parse(typed)) }}
    />
  )
}
