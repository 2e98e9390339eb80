/** The button of a list, or of what is selected in it, that opens its export; the dialog is loaded when it is first opened. */
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { exportIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ExportedList } from './exported-list.ts'

export const LazyExportDialog = lazy(async () => ({
  default: (await import('./export-dialog.tsx')).ExportDialog,
}))

type ButtonProps = ExportedList & {
  /** Of a button that is not the only one of its page. */
  readonly label?: string
}

export const ExportButton = ({ label, ...list }: ButtonProps): ReactNode => {
  const texts = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  if (list.entity.permissions.export === false) return null
  return (
    <>
      <Button
        look="quiet"
        aria-haspopup="dialog"
        aria-label={label}
        onClick={() => setIsOpen(true)}
      >
        {exportIcon} <span className="wide-text">{texts.list.export}</span>
      </Button>
      {isOpen && (
        <Suspense>
          <LazyExportDialog {...list} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
