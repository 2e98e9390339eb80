/** Listens to the keyboard for the whole page, and shows its shortcuts. */
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { laterPart } from '../../parts/later.tsx'
import { useTexts } from '../../texts/texts.ts'
import { usePages } from './pages.ts'
import { useSession } from './session.ts'
import {
  currentShortcuts,
  isSingle,
  type PlacedShortcut,
  pressedKey,
  useShortcuts,
} from './shortcuts.ts'

const KeysDialog = laterPart(async () => (await import('./keys-dialog.tsx')).KeysDialog)

/** The list of all shortcuts that hold now. */
export const Keys = ({ onClose }: { readonly onClose: () => void }): ReactNode => (
  <KeysDialog onClose={onClose} />
)

/** Runs shortcuts, and declares those that hold on every page. */
export const Keyboard = (): ReactNode => {
  const { keys } = useTexts()
  const pages = usePages()
  const navigate = useNavigate()
  const [isShown, setIsShown] = useState(false)
  useShortcuts(
    [
      { keys: '?', label: keys.title, run: () => setIsShown(true) },
      ...pages.flatMap(({ keys, label, to }) =>
        keys === undefined ? [] : [{ keys, label, run: () => void navigate({ to }) }],
      ),
    ],
    'everywhere',
  )
  useListener()
  return isShown ? <Keys onClose={() => setIsShown(false)} /> : null
}

// The second of two keys counts so long after the first.
const sequenceMs = 1500

const useListener = (): void => {
  const { preferences } = useSession()
  const first = useRef<{ readonly key: string; readonly at: number }>(undefined)
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const key = event.defaultPrevented || event.isComposing ? undefined : pressedKey(event)
    if (key === undefined) return
    const allowed = currentShortcuts().filter(
      ({ keys, place }) => isPlaceOpen(place) && (!isSingle(keys) || maySingle(event)),
    )
    const before = first.current
    const isLate = before === undefined || event.timeStamp - before.at > sequenceMs
    const found = allowed.find(({ keys }) => keys === (isLate ? key : `${before.key} ${key}`))
    const begun = allowed.some(({ keys }) => keys.startsWith(`${key} `))
    first.current = !found && begun ? { key, at: event.timeStamp } : undefined
    const chosen = found ?? allowed.find(({ keys }) => keys === key)
    if (!chosen?.run) return
    event.preventDefault()
    chosen.run()
  })
  const maySingle = (event: KeyboardEvent) => preferences.hasSingleKeys && !takesLetters(event)
  useEffect(() => {
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

const isPlaceOpen = (place: PlacedShortcut['place']): boolean =>
  (place === 'dialog') === (document.querySelector('dialog:modal') !== null)

/** Where letters are typed, or choose an item. */
const letterTakers = [
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit])',
  ...['textarea', 'select', '[contenteditable]', '[role=menu]', '[role=listbox]'],
].join(', ')

const takesLetters = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest(letterTakers) !== null
