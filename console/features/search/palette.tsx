/** Goes anywhere by a few letters (Ctrl+K). */
import { type ReactNode, useState } from 'react'
import { laterPart } from '../../parts/later.tsx'
import { useTexts } from '../../texts/texts.ts'
import { currentShortcuts, useShortcuts } from '../session/shortcuts.ts'
import { EarlyInput } from './early-input.tsx'

const PaletteDialog = laterPart(
  async () => (await import('./palette-dialog.tsx')).PaletteDialog,
  EarlyInput,
)

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
  if (words === undefined) return null
  const typed = { words, onWords: setWords, onClose: close }
  return <PaletteDialog {...typed} />
}
