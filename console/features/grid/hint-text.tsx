/** The hint that cells can be edited, in the foot of a list, and how it is closed for ever. */
import { type ReactNode, useRef } from 'react'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon } from '../../parts/icons.tsx'
import { useEditingHintTexts } from '../../texts/editing-hint/texts.ts'
import './hint-text.css'

export const HintText = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const texts = useEditingHintTexts()
  const hint = useRef<HTMLDivElement>(null)
  const close = () => {
    // What had the focus is gone.
    hint.current?.closest('main')?.querySelector<HTMLElement>('[role=grid]')?.focus()
    onClose()
  }
  return (
    <div ref={hint} className="editing-hint">
      <span>{texts.hint}</span>
      <IconButton label={texts.close} icon={closeIcon} onClick={close} />
    </div>
  )
}
