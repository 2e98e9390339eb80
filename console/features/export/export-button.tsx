/** The button that opens the export of a list or of its selected records; the dialog is loaded when it is first opened. */
import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { exportIcon } from '../../parts/icons.tsx'
import { laterPart } from '../../parts/later.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ExportedList } from './export-form.tsx'

const ExportDialog = laterPart(async () => (await import('./export-dialog.tsx')).ExportDialog)

type ButtonProps = ExportedList & {
  /** The label of a button that is not the only one of its page. */
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
      {isOpen && <ExportDialog {...list} onClose={() => setIsOpen(false)} />}
    </>
  )
}
