/** The registry of keyboard shortcuts: parts of the page declare what keys do while they are shown. */
import { useEffect, useRef } from 'react'

export type Shortcut = {
  /** `c`, `?`, `Shift+u`, `Ctrl+k` (on a Mac ⌘ too), or keys after each other: `g i`. */
  readonly keys: string
  readonly label: string
  /** Without it the focused element handles the keys itself; they are only listed. */
  readonly run?: () => void
}

/** Where shortcuts hold; those of a dialog are the only ones while it is open. */
export type Place = 'everywhere' | 'page' | 'dialog'

export type PlacedShortcut = Shortcut & { readonly place: Place }

type Source = { readonly place: Place; readonly current: () => readonly Shortcut[] }

const sources = new Set<Source>()

/** Declares shortcuts as long as the component is shown. */
export const useShortcuts = (shortcuts: readonly Shortcut[], place: Place = 'page'): void => {
  const latest = useRef(shortcuts)
  useEffect(() => {
    latest.current = shortcuts
  }, [shortcuts])
  useEffect(() => {
    const source: Source = { place, current: () => latest.current }
    sources.add(source)
    return () => void sources.delete(source)
  }, [place])
}

/** All that hold now; what was declared last comes first and hides others with its keys. */
export const currentShortcuts = (): readonly PlacedShortcut[] => {
  const byKeys = new Map<string, PlacedShortcut>()
  for (const { place, current } of [...sources].reverse())
    for (const shortcut of current())
      if (!byKeys.has(shortcut.keys)) byKeys.set(shortcut.keys, { ...shortcut, place })
  return [...byKeys.values()]
}

let listsShown = 0

/** Declares that a list is shown, which has keys of its own. */
export const useListKeys = (): void =>
  useEffect(() => {
    listsShown += 1
    return () => {
      listsShown -= 1
    }
  }, [])

export const isListShown = (): boolean => listsShown > 0

type Pressed = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'getModifierState'
>

/** What was pressed, as shortcuts write it; undefined for what none uses. */
export const pressedKey = (event: Pressed): string | undefined => {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  if (altKey || event.getModifierState('AltGraph')) return undefined
  const isLetter = /^\p{L}$/u.test(key)
  // Which keys of a keyboard make a sign such as ? differs; the sign itself does not.
  const hasShift = shiftKey && (isLetter || key.length > 1)
  const name = isLetter ? key.toLowerCase() : key === ' ' ? 'Space' : key
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${hasShift ? 'Shift+' : ''}${name}`
}

/** Whether keys are pressed without Ctrl, so that a slip of the hand or speech may press them (WCAG 2.1.4). */
export const isSingle = (keys: string): boolean => !keys.includes('Ctrl+')
