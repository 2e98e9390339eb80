/** A dialog over the page: the browser keeps the focus inside and closes it by Escape. */
import {
  type ComponentProps,
  type ReactNode,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useTexts } from '../texts/texts.ts'
import { Button, IconButton } from './button.tsx'
import './dialog.css'
import { closeIcon } from './icons.tsx'

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Open as long as it is rendered. Where its content has no end of its own, a cross closes it. */
export const Dialog = ({ title, onClose, children }: DialogProps): ReactNode => {
  const { common } = useTexts()
  const heading = useId()
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => element.current?.showModal(), [])
  // While it is still in the page: only then the browser gives the focus back to what had it before.
  useLayoutEffect(() => {
    const dialog = element.current
    return () => dialog?.close()
  }, [])
  const onCancel = (event: SyntheticEvent) => {
    if (event.target !== event.currentTarget) return
    // The browser sends its event of closing later; a key that is pressed before that would open nothing.
    event.preventDefault()
    onClose()
  }
  return (
    <dialog
      ref={element}
      className="dialog"
      aria-labelledby={heading}
      onCancel={onCancel}
      onClose={onClose}
    >
      <h2 id={heading} dir="auto">
        {title}
      </h2>
      {children}
      {/* The last: what is filled in has the focus first. */}
      <IconButton label={common.close} icon={closeIcon} onClick={onClose} />
    </dialog>
  )
}

type ActionsProps = {
  readonly onCancel: () => void
  /** What the dialog is for, where it is one thing. */
  readonly children?: ReactNode
}

type EndProps = {
  readonly onClose: () => void
  /** By default `primary`, which has the focus. */
  readonly look?: 'plain' | 'primary'
  /** What else can be done. */
  readonly children?: ReactNode
}

/** The end of a dialog that has said everything. */
export const DialogEnd = ({ onClose, look = 'primary', children }: EndProps): ReactNode => {
  const { common } = useTexts()
  return (
    <div className="dialog-actions">
      {children}
      <Button look={look} autoFocus={look === 'primary'} onClick={onClose}>
        {common.close}
      </Button>
    </div>
  )
}

/** The end of a form: the way out, then what it does. */
export const DialogActions = ({ onCancel, children }: ActionsProps): ReactNode => {
  const { common } = useTexts()
  return (
    <div className="dialog-actions">
      <Button onClick={onCancel}>{common.cancel}</Button>
      {children}
    </div>
  )
}

// A button that opens a dialog.

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
