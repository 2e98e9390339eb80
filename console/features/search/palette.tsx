/** Goes anywhere by a few letters (Ctrl+K). */
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { useTexts } from '../../texts/texts.ts'
import './early-input.css'
import { laterPart } from '../../parts/later.tsx'
import { currentShortcuts, useShortcuts } from '../session/shortcuts.ts'

type InputProps = {
  readonly words: string
  readonly onWords: (words: string) => void
  readonly onClose: () => void
}

const EarlyInput = ({ words, onWords, onClose }: InputProps): ReactNode => {
  const { palette } = useTexts()
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const before = document.activeElement
    input.current?.focus()
    // The search gives the focus back to what has it when it opens.
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <input
      ref={input}
      className="early-input"
      aria-label={palette.title}
      autoComplete="off"
      dir="auto"
      value={words}
      onChange={({ target }) => onWords(target.value)}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    />
  )
}

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

/** The palette, from its keys until it is closed. */
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
