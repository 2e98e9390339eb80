/**
 * What a field is for: behind a sign beside its name, shown to whoever rests on it, presses it, or asks for it by F1 in the
 * field. Screen readers read it with the field in any case.
 */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef } from 'react'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import '../../styles/popover.css'
import './field-help.css'

/** The key that asks for the help of the field that has the focus. */
export const helpKey = 'F1'

type HelpProps = {
  /** Of the text, which describes the field. */
  readonly id: string
  /** Of the name of the field. */
  readonly labelId: string
  readonly text: string
  /** Where the field takes no focus, its key cannot be pressed there. */
  readonly isTabStop: boolean
}

// Whoever only passes by wants to read nothing, and needs time to move into the text.
const restMs = 200

/** Shows and hides the text; what was pressed stays until it is put away. */
const useHelp = () => {
  const text = useRef<HTMLSpanElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isHovered = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  const isOpen = () => text.current?.matches(':popover-open') === true
  const later = (work: () => void) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(work, restMs)
  }
  const show = () => {
    if (!isOpen()) text.current?.showPopover()
  }
  const onPointerEnter = ({ pointerType }: PointerEvent) => {
    if (pointerType !== 'mouse') return
    later(() => {
      isHovered.current ||= !isOpen()
      show()
    })
  }
  const onPointerLeave = () => later(() => isHovered.current && text.current?.hidePopover())
  const onToggle = ({ newState }: { readonly newState: string }) => {
    if (newState === 'closed') isHovered.current = false
  }
  /** Whether it was only rested on before. */
  const pin = (): boolean => {
    const was = isHovered.current && isOpen()
    isHovered.current = false
    return was
  }
  return { text, onToggle, pin, pointer: { onPointerEnter, onPointerLeave } }
}

export const FieldHelp = ({ id, labelId, text, isTabStop }: HelpProps): ReactNode => {
  const texts = useRecordPageTexts()
  const help = useHelp()
  return (
    <span className="field-help-sign" {...help.pointer}>
      <button
        type="button"
        aria-label={texts.help}
        aria-describedby={labelId}
        popoverTarget={id}
        tabIndex={isTabStop ? 0 : -1}
        onClick={(event) => help.pin() && event.preventDefault()}
      >
        <span aria-hidden="true">?</span>
      </button>
      <span
        ref={help.text}
        id={id}
        popover="auto"
        dir="auto"
        className="popover"
        onToggle={help.onToggle}
      >
        {text}
      </span>
    </span>
  )
}

/** Shows the help of the field that has the focus, or puts it away. */
export const onHelpKey = (event: KeyboardEvent<HTMLElement>): void => {
  if (event.key !== helpKey) return
  const text = event.currentTarget.querySelector<HTMLElement>('.field-help-sign > [popover]')
  // Browsers have a help of their own.
  if (text) event.preventDefault()
  text?.togglePopover()
}
