/** How the user wants to see the console. The browser keeps a copy of what must be known before the first paint. */
import type { Settings } from '../../api/own/session.ts'
import { isLanguage, type Language } from '../../texts/texts.ts'

export const themes = ['system', 'light', 'dark'] as const
export const densities = ['normal', 'compact'] as const

export type Preferences = {
  readonly theme: (typeof themes)[number]
  readonly density: (typeof densities)[number]
  /** Undefined: that of the browser. */
  readonly language: Language | undefined
  /** Undefined: that of the project. */
  readonly timeZone: string | undefined
  /** Whether keys without Ctrl or Alt do something outside of inputs (WCAG 2.1.4). */
  readonly hasSingleKeys: boolean
}

const isZone = (text: string): boolean => {
  try {
    return Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** Reads settings that any version of the page may have written. */
export const readPreferences = (settings: Settings): Preferences => {
  const { theme, density, language, timeZone, singleKeys } = settings
  return {
    theme: themes.find((one) => one === theme) ?? 'system',
    density: densities.find((one) => one === density) ?? 'normal',
    language: typeof language === 'string' && isLanguage(language) ? language : undefined,
    timeZone: typeof timeZone === 'string' && isZone(timeZone) ? timeZone : undefined,
    hasSingleKeys: singleKeys !== false,
  }
}

const copied = ['theme', 'density', 'language'] as const

const copyName = (name: string): string => `docket.${name}`

// Without storage there is no copy, and the settings come with the first answer.
const readCopy = (name: string): string | null => {
  try {
    return localStorage.getItem(copyName(name))
  } catch {
    return null
  }
}

const writeCopy = (name: string, value: string | undefined): void => {
  try {
    if (value === undefined) localStorage.removeItem(copyName(name))
    else localStorage.setItem(copyName(name), value)
  } catch {
    return
  }
}

/** The preferences as this browser has a copy of them. */
export const copiedPreferences = (): Preferences =>
  readPreferences(Object.fromEntries(copied.map((name) => [name, readCopy(name)])))

/** Shows the page as preferred, and keeps the copy for the next first paint. */
export const applyPreferences = (preferences: Preferences): void => {
  const { dataset } = document.documentElement
  const { theme, density } = preferences
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  if (density === 'normal') delete dataset.density
  else dataset.density = density
  const initial = readPreferences({})
  for (const name of copied)
    writeCopy(name, preferences[name] === initial[name] ? undefined : preferences[name])
}
