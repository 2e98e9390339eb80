/** Who is signed in, and what they may see: known to every page. */
import { createContext, use, useSyncExternalStore } from 'react'
import type { Entity, Me, ServiceConfig } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Reading } from '../format/format-value.ts'
import { kept, regionalLocale } from '../format/formatters.ts'
import { hasNumbers, onNumbers } from '../format/phone-numbers.ts'
import type { Preferences } from './preferences.ts'

export type Session = {
  readonly config: ServiceConfig
  readonly me: Me
  readonly entities: ReadonlyMap<string, Entity>
  readonly preferences: Preferences
}

export const SessionContext = createContext<Session | undefined>(undefined)

/** The session; pages are rendered for signed-in users only. */
export const useSession = (): Session => {
  const session = use(SessionContext)
  if (!session) throw new Error('A page is shown without a session.')
  return session
}

/** How this user reads values. */
export const useReading = (): Reading => {
  const { config, preferences } = useSession()
  const { common } = useTexts()
  const locale = regionalLocale(document.documentElement.lang || config.locale)
  const { timeZone: usual } = config
  const { yes, no } = common
  return readingOf(
    locale,
    preferences.timeZone ?? usual,
    usual,
    yes,
    no,
    useSyncExternalStore(onNumbers, hasNumbers),
  )
}

// Hundreds of cells call it in a frame, nearly always with the same arguments.
const readingOf = kept(
  (
    locale: string,
    timeZone: string,
    usual: string,
    yes: string,
    no: string,
    hasNumbers: boolean,
  ): Reading => ({
    locale,
    timeZone,
    isZoneNamed: timeZone !== usual,
    words: { yes, no },
    hasNumbers,
  }),
)

/** Whether the user may take an action of a workflow somewhere, so that records may wait for them. */
export const mayDecide = ({ entities }: Session): boolean =>
  [...entities.values()].some(
    ({ workflow, permissions }) => workflow !== null && permissions.actions.length > 0,
  )

/** Whether the removed records of an entity can be found. What is part of another record is written below that one. */
export const findsRemoved = ({ permissions, fields, isPartOfRecord }: Entity): boolean =>
  permissions.read !== false &&
  !isPartOfRecord &&
  fields.some(({ column }) => column === '_is_deleted')

/** Whether the user may restore records of the project; nearly everybody has saved views, which are not its records. */
export const mayRestore = ({ entities }: Session): boolean =>
  [...entities.values()].some(
    (one) => !one.isNative && findsRemoved(one) && one.permissions.delete !== false,
  )

/** Whether an invitation leads to a way in. */
export const mayInvite = ({ ways, signIn }: ServiceConfig): boolean =>
  ways.length > 0 || signIn === 'issuer'
