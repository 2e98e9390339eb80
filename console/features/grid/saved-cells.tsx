/** What is said of saved cells; loaded when the first one is edited. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Cells } from './use-cells.ts'

const SavedNote = lazy(async () => ({ default: (await import('./saved-note.tsx')).SavedNote }))

export const SavedCells = ({ cells }: { readonly cells: Cells }): ReactNode => {
  const [wasUsed, setWasUsed] = useState(false)
  if (!wasUsed && (cells.open || cells.edits.size > 0)) setWasUsed(true)
  return <Suspense>{wasUsed && <SavedNote cells={cells} />}</Suspense>
}
