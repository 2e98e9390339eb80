/** Takes what is typed until the search has been loaded, which goes on with it. */
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { useTexts } from '../../texts/texts.ts'
import './early-input.css'

type InputProps = {
  readonly words: string
  readonly onWords: (words: string) => void
  readonly onClose: () => void
}

export const EarlyInput = ({ words, onWords, onClose }: InputProps): ReactNode => {
  const { palette } = useTexts()
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const before = document.activeElement
    input.current?.focus()
    // The search gives the focus back to what has it when it opens.
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <input
      ref={input}
      className="early-input"
      aria-label={palette.title}
      autoComplete="off"
      dir="auto"
      value={words}
      onChange={({ target }) => onWords(target.value)}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    />
  )
}
