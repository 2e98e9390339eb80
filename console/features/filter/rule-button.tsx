/** A button that opens the dialog of a condition, which is loaded when it is first opened. */
import { type ComponentProps, type ReactNode, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { laterPart } from '../../parts/later.tsx'
import type { RuleDialog as RuleDialogPart } from './rule-dialog.tsx'

const RuleDialog = laterPart(async () => (await import('./rule-dialog.tsx')).RuleDialog)

type ButtonProps = Omit<ComponentProps<typeof RuleDialogPart>, 'onClose' | 'title'> & {
  readonly label: string
  readonly face: ReactNode
}

export const RuleButton = ({ label, face, ...form }: ButtonProps): ReactNode => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        look="quiet"
        aria-haspopup="dialog"
        aria-label={label}
        onClick={() => setIsOpen(true)}
      >
        {face}
      </Button>
      {isOpen && <RuleDialog {...form} title={label} onClose={() => setIsOpen(false)} />}
    </>
  )
}
