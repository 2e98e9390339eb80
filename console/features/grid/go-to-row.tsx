/** Leads to a row of a list by its number (Ctrl+G). */
import { type ReactNode, useState } from 'react'
import { laterPart } from '../../parts/later.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import type { Place } from './grid-keys.ts'

const RowDialog = laterPart(async () => (await import('./row-dialog.tsx')).RowDialog)

type GoProps = {
  readonly count: number
  readonly active: Place
  readonly onActive: (place: Place) => void
}

export const GoToRow = ({ count, active, onActive }: GoProps): ReactNode => {
  const { cells } = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  const run = () => {
    // Where the focus is before a dialog, it is afterwards.
    document.querySelector<HTMLElement>('[role=grid]')?.focus()
    setIsOpen(true)
  }
  useShortcuts([{ keys: 'Ctrl+g', label: cells.goToRow, run }])
  if (!isOpen) return null
  return (
    <RowDialog
      count={count}
      row={active.row}
      onRow={(row) => onActive({ ...active, row })}
      onClose={() => setIsOpen(false)}
    />
  )
}
