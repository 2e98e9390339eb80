/** A button that opens a dialog. */
import { type ComponentProps, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'

type Props = Omit<ComponentProps<typeof Button>, 'onClick'> & {
  readonly dialog: (onClose: () => void) => ReactNode
}

export const DialogButton = ({ dialog, ...button }: Props): ReactNode => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button aria-haspopup="dialog" {...button} onClick={() => setIsOpen(true)} />
      {isOpen && dialog(() => setIsOpen(false))}
    </>
  )
}
