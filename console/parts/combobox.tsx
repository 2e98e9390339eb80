/** An input that offers what fits the words in it (WAI-ARIA combobox). */
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import './combobox.css'

export type Option = {
  readonly key: string
  readonly label: string
  readonly note?: string
  /** The heading that it stands below, with those before and after it that have the same. */
  readonly group?: string
}

type ComboboxProps<T extends Option> = {
  readonly id: string
  readonly label: string
  /** The label of what is chosen. */
  readonly chosen: string
  /** Undefined while nobody searches. */
  readonly words: string | undefined
  readonly options: readonly T[]
  readonly isRequired?: boolean
  readonly isInvalid?: boolean
  /** Names the element that tells more. */
  readonly describedBy?: string | undefined
  readonly onWords: (words: string | undefined) => void
  /** Undefined: nothing is chosen any more. */
  readonly onChoose: (option: T | undefined) => void
}

export const Combobox = <T extends Option>(props: ComboboxProps<T>): ReactNode => {
  const { id, chosen, words, options, isRequired = false } = props
  const list = useId()
  const input = useRef<HTMLInputElement>(null)
  const { isOpen, isTyped, active, choose, onKeyDown, type, open, close } = useOpenList(props)
  return (
    <div className="combobox">
      <input
        ref={input}
        id={id}
        className="field-input"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-required={isRequired}
        aria-invalid={props.isInvalid || undefined}
        aria-describedby={props.describedBy}
        {...(isOpen && { 'aria-activedescendant': `${list}-${active}` })}
        autoComplete="off"
        dir="auto"
        value={isTyped ? (words ?? chosen) : chosen}
        onChange={({ target }) => type(target.value)}
        onKeyDown={onKeyDown}
        onClick={({ currentTarget }) => {
          if (words === undefined) open(currentTarget)
        }}
        onBlur={close}
      />
      <OptionList
        {...{ list, input, options, isOpen, active }}
        label={props.label}
        onChoose={choose}
      />
    </div>
  )
}

/** Whether the list is open, where the keys stand in it, and what they do. */
const useOpenList = <T extends Option>(props: ComboboxProps<T>) => {
  const { words, options, isRequired = false, onWords, onChoose } = props
  const [wanted, setWanted] = useState(0)
  // Until somebody types, an open list offers everything beside what is chosen.
  const [isTyped, setIsTyped] = useState(false)
  const active = Math.min(wanted, options.length - 1)
  const isOpen = words !== undefined && options.length > 0
  const setWords = (next: string | undefined, typed: boolean) => {
    setIsTyped(typed)
    onWords(next)
  }
  const choose = (option: T | undefined) => {
    setWords(undefined, false)
    onChoose(option)
  }
  const open = (input: HTMLInputElement) => {
    setWanted(0)
    setWords('', false)
    // What is typed next takes the place of what is chosen.
    input.select()
  }
  const type = (text: string) => {
    setWanted(0)
    if (text === '' && !isRequired) choose(undefined)
    else setWords(text, true)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const option = isOpen ? options[active] : undefined
    if (event.key === 'Escape' && words !== undefined) setWords(undefined, false)
    else if (event.key === 'Enter' && option) choose(option)
    else if (event.key === 'ArrowDown') isOpen ? setWanted(active + 1) : open(event.currentTarget)
    else if (event.key === 'ArrowUp') setWanted(Math.max(active - 1, 0))
    else return
    event.preventDefault()
  }
  const close = () => setWords(undefined, false)
  return { isOpen, isTyped, active, choose, onKeyDown, type, open, close }
}

type ListProps<T extends Option> = {
  readonly list: string
  readonly label: string
  readonly input: RefObject<HTMLInputElement | null>
  readonly options: readonly T[]
  readonly isOpen: boolean
  readonly active: number
  readonly onChoose: (option: T) => void
}

/** The options, above whatever they stand in: a panel or a dialog must not cut them off. */
const OptionList = <T extends Option>(props: ListProps<T>): ReactNode => {
  const { list, label, input, options, isOpen, active, onChoose } = props
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) element.current?.hidePopover()
    else if (input.current) element.current?.showPopover({ source: input.current })
  }, [isOpen, input])
  useEffect(() => {
    if (isOpen) document.getElementById(`${list}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [isOpen, list, active])
  const groups = [...Map.groupBy(options.entries(), ([, { group = '' }]) => group)]
  return (
    <div
      ref={element}
      id={list}
      popover="manual"
      role="listbox"
      aria-label={label}
      className="combobox-list"
      // The input keeps the focus, also when the bar of the list is dragged.
      onMouseDown={(event) => event.preventDefault()}
    >
      {groups.map(([group, entries]) => (
        <Group key={group} name={group}>
          {entries.map(([at, option]) => (
            <div
              key={option.key}
              id={`${list}-${at}`}
              role="option"
              tabIndex={-1}
              aria-selected={at === active}
              onMouseDown={() => onChoose(option)}
            >
              <span dir="auto">{option.label}</span>{' '}
              {option.note !== undefined && <small dir="auto">{option.note}</small>}
            </div>
          ))}
        </Group>
      ))}
    </div>
  )
}

type GroupProps = { readonly name: string; readonly children: ReactNode }

const Group = ({ name, children }: GroupProps): ReactNode =>
  name === '' ? (
    children
  ) : (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset may not stand in a list of options
    <div role="group" aria-label={name}>
      <div className="combobox-group" aria-hidden="true" dir="auto">
        {name}
      </div>
      {children}
    </div>
  )
