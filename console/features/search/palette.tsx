/** Goes anywhere by a few letters (Ctrl+K). */
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { currentShortcuts, useShortcuts } from '../session/shortcuts.ts'
import { EarlyInput } from './early-input.tsx'

const load = async () => {
  const { PaletteDialog, texts } = await import('./palette-dialog.tsx')
  await Promise.all(texts.map(({ load }) => load()))
  return { default: PaletteDialog }
}
const PaletteDialog = lazy(load)

// Whoever opens it types at once. The page itself comes first.
const loadAfterMs = 3000

/** The keys that open it. */
const searchKeys = 'Ctrl+k'

/** Opens it as its keys do. */
export const openSearch = (): void =>
  currentShortcuts()
    .find(({ keys }) => keys === searchKeys)
    ?.run?.()

/** Open while it is asked for by its keys. */
export const Palette = (): ReactNode => {
  const { palette } = useTexts()
  // Undefined while it is closed.
  const [words, setWords] = useState<string>()
  const open = () => setWords((current) => current ?? '')
  const close = () => setWords(undefined)
  useShortcuts([{ keys: searchKeys, label: palette.title, run: open }], 'everywhere')
  useEffect(() => {
    // What cannot be loaded now is loaded when it is opened.
    const timer = setTimeout(() => void load().catch(() => undefined), loadAfterMs)
    return () => clearTimeout(timer)
  }, [])
  if (words === undefined) return null
  const typed = { words, onWords: setWords, onClose: close }
  return (
    <Suspense fallback={<EarlyInput {...typed} />}>
      <PaletteDialog {...typed} />
    </Suspense>
  )
}
