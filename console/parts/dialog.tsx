/** A dialog over the page: the browser keeps the focus inside and closes it by Escape. */
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react'
import './dialog.css'

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Open as long as it is rendered. */
export const Dialog = ({ title, onClose, children }: DialogProps): ReactNode => {
  const heading = useId()
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => element.current?.showModal(), [])
  // While it is still in the page: only then the browser gives the focus back to what had it before.
  useLayoutEffect(() => {
    const dialog = element.current
    return () => dialog?.close()
  }, [])
  return (
    <dialog ref={element} className="dialog" aria-labelledby={heading} onClose={onClose}>
      <h2 id={heading} dir="auto">
        {title}
      </h2>
      {children}
    </dialog>
  )
}
