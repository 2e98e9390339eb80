/** Words that the rows of a list contain; the list follows while one types. */
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { useDelayed } from '../values/use-delayed.ts'

type InputProps = {
  readonly words: string
  readonly onWords: (words: string) => void
  /** What it finds, where that is not a list of records. */
  readonly label?: string
}

const delayMs = 250

export const SearchInput = ({ words, onWords, label }: InputProps): ReactNode => {
  const { list } = useTexts()
  const name = label ?? list.find
  const [typed, setTyped] = useState(words)
  const settled = useDelayed(typed.trim(), delayMs)
  const sent = useRef(words)
  const input = useRef<HTMLInputElement>(null)
  const focus = () => {
    input.current?.focus()
    input.current?.select()
  }
  useShortcuts([{ keys: '/', label: name, run: focus }])
  const send = useEffectEvent((text: string) => {
    if (text === sent.current || text !== typed.trim()) return
    sent.current = text
    onWords(text)
  })
  useEffect(() => send(settled), [settled])
  useEffect(() => {
    // The list was changed from elsewhere, such as by clearing its filter.
    if (words === sent.current) return
    sent.current = words
    setTyped(words)
  }, [words])
  return (
    <input
      ref={input}
      type="search"
      className="filter-search"
      aria-label={name}
      placeholder={name}
      dir="auto"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}
