/** Goes anywhere by a few letters (Ctrl+K). */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../keys/shortcuts.ts'

const PaletteDialog = lazy(async () => ({
  default: (await import('./palette-dialog.tsx')).PaletteDialog,
}))

/** The keys that open it. */
export const searchKeys = 'Ctrl+k'

/** Open while it is asked for by its keys. */
export const Palette = (): ReactNode => {
  const { palette } = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  useShortcuts(
    [{ keys: searchKeys, label: palette.title, run: () => setIsOpen(true) }],
    'everywhere',
  )
  return isOpen ? (
    <Suspense>
      <PaletteDialog onClose={() => setIsOpen(false)} />
    </Suspense>
  ) : null
}
