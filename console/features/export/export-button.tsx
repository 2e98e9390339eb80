/** The button of a list that opens its export; the dialog is loaded when it is first opened. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { exportIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ExportedList } from './exported-list.ts'

const ExportDialog = lazy(async () => ({
  default: (await import('./export-dialog.tsx')).ExportDialog,
}))

export const ExportButton = (list: ExportedList): ReactNode => {
  const texts = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  if (list.entity.permissions.export === false) return null
  return (
    <>
      <Button look="quiet" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        {exportIcon} {texts.list.export}
      </Button>
      {isOpen && (
        <Suspense>
          <ExportDialog {...list} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
