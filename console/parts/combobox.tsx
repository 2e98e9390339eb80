/** An input that offers what fits the words in it (WAI-ARIA combobox). */
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import './combobox.css'

export type Option = { readonly key: string; readonly label: string; readonly note?: string }

type ComboboxProps<T extends Option> = {
  readonly id: string
  readonly label: string
  /** The label of what is chosen. */
  readonly chosen: string
  /** Undefined while nobody searches. */
  readonly words: string | undefined
  readonly options: readonly T[]
  readonly isRequired?: boolean
  readonly onWords: (words: string | undefined) => void
  /** Undefined: nothing is chosen any more. */
  readonly onChoose: (option: T | undefined) => void
}

export const Combobox = <T extends Option>(props: ComboboxProps<T>): ReactNode => {
  const { id, label, chosen, words, options, isRequired = false, onWords, onChoose } = props
  const list = useId()
  const [wanted, setWanted] = useState(0)
  const active = Math.min(wanted, options.length - 1)
  const isOpen = words !== undefined && options.length > 0
  const choose = (option: T | undefined) => {
    onWords(undefined)
    onChoose(option)
  }
  const type = (text: string) => {
    setWanted(0)
    if (text === '' && !isRequired) choose(undefined)
    else onWords(text)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const option = isOpen ? options[active] : undefined
    if (event.key === 'Escape' && words !== undefined) onWords(undefined)
    else if (event.key === 'Enter' && option) choose(option)
    else if (event.key === 'ArrowDown') isOpen ? setWanted(active + 1) : onWords(words ?? '')
    else if (event.key === 'ArrowUp') setWanted(Math.max(active - 1, 0))
    else return
    event.preventDefault()
  }
  return (
    <div className="combobox">
      <input
        id={id}
        className="field-input"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-required={isRequired}
        {...(isOpen && { 'aria-activedescendant': `${list}-${active}` })}
        autoComplete="off"
        dir="auto"
        value={words ?? chosen}
        onChange={({ target }) => type(target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => onWords(undefined)}
      />
      <div id={list} role="listbox" aria-label={label} className="combobox-list" hidden={!isOpen}>
        {options.map((option, at) => (
          <div
            key={option.key}
            id={`${list}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            // Before the input loses the focus.
            onPointerDown={(event) => {
              event.preventDefault()
              choose(option)
            }}
          >
            <span dir="auto">{option.label}</span>{' '}
            {option.note !== undefined && <small dir="auto">{option.note}</small>}
          </div>
        ))}
      </div>
    </div>
  )
}
