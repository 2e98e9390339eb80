/** Who is signed in, and what they may see: known to every page. */
import { createContext, use } from 'react'
import type { Entity, Me, ServiceConfig } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Preferences } from '../settings/preferences.ts'
import type { Reading } from '../values/format-value.ts'
import { regionalLocale } from '../values/formatters.ts'

export type Session = {
  readonly config: ServiceConfig
  readonly me: Me
  readonly entities: ReadonlyMap<string, Entity>
  readonly preferences: Preferences
}

export const SessionContext = createContext<Session | undefined>(undefined)

/** The session; only pages ask, and they are shown to whoever is signed in. */
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
  return readingOf(locale, preferences.timeZone ?? config.timeZone, config.timeZone, common)
}

type Words = { readonly yes: string; readonly no: string }

// Hundreds of cells ask in a frame, and nearly always for the same.
let latest: { readonly reading: Reading; readonly of: readonly unknown[] } | undefined

const readingOf = (locale: string, timeZone: string, usual: string, words: Words): Reading => {
  const of = [locale, timeZone, usual, words]
  if (latest && of.every((one, at) => one === latest?.of[at])) return latest.reading
  const { yes, no } = words
  const reading = { locale, timeZone, isZoneNamed: timeZone !== usual, words: { yes, no } }
  latest = { reading, of }
  return reading
}
