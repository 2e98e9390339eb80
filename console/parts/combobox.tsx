/** An input that offers what fits the words in it (WAI-ARIA combobox). */
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import './options.css'
import '../styles/popover.css'

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
  /** What is wrong with words that name no option: they stay, and the form is refused. Without it they go with the focus. */
  readonly unknown?: string
  /** Said below them once they were left: where no form is sent, nothing else would say it. */
  readonly unknownNote?: ((words: string) => string) | undefined
  /** Whether such words were left. */
  readonly onUnknown?: (isUnknown: boolean) => void
  /** The id of the element that describes it. */
  readonly describedBy?: string | undefined
  readonly onWords: (words: string | undefined) => void
  /** Undefined: nothing is chosen any more. */
  readonly onChoose: (option: T | undefined) => void
}

export const Combobox = <T extends Option>(props: ComboboxProps<T>): ReactNode => {
  const { id, chosen, options, isRequired = false, unknownNote, describedBy } = props
  const list = useId()
  const noteId = useId()
  const input = useRef<HTMLInputElement>(null)
  const { isOpen, typed, isUnknown, active, choose, onKeyDown, type, open, leave } =
    useOpenList(props)
  const fault = typed === undefined ? '' : (props.unknown ?? '')
  useLayoutEffect(() => input.current?.setCustomValidity(fault), [fault])
  const note = isUnknown ? unknownNote?.(typed?.trim() ?? '') : undefined
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
        aria-invalid={props.isInvalid || isUnknown || undefined}
        aria-describedby={note === undefined ? describedBy : noteId}
        {...(isOpen && { 'aria-activedescendant': `${list}-${active}` })}
        autoComplete="off"
        dir="auto"
        value={typed ?? chosen}
        onChange={({ target }) => type(target.value)}
        onKeyDown={onKeyDown}
        // What is typed next takes the place of what is there.
        onFocus={({ currentTarget }) => currentTarget.select()}
        // Browsers give up a selection after a click into it.
        onMouseDown={({ currentTarget }) => {
          if (!isOpen) currentTarget.setSelectionRange(0, 0)
        }}
        onClick={({ currentTarget }) => {
          if (!isOpen) open(currentTarget)
        }}
        onBlur={leave}
      />
      <OptionList
        list={list}
        input={input}
        options={options}
        isOpen={isOpen}
        active={active}
        label={props.label}
        onChoose={choose}
      />
      {note !== undefined && (
        <small id={noteId} role="status" className="combobox-note" dir="auto">
          {note}
        </small>
      )}
    </div>
  )
}

type Typed = {
  readonly text: string
  /** What was chosen then: another choice takes the place of the text. */
  readonly chosen: string
}

/** The typed words in place of the chosen option, until they name an option or are discarded. */
const useTypedWords = <T extends Option>(props: ComboboxProps<T>) => {
  const { chosen, words, onWords, onUnknown } = props
  const [kept, setKept] = useState<Typed>()
  const isShown = kept !== undefined && (words !== undefined || kept.chosen === chosen)
  const typed = isShown ? kept.text : undefined
  const keep = (text: string | undefined, sought: string | undefined) => {
    setKept(text === undefined ? undefined : { text, chosen })
    onWords(sought)
    onUnknown?.(text !== undefined && sought === undefined)
  }
  const isUnknown = typed !== undefined && words === undefined
  return { typed, isUnknown, keep }
}

/** The only option that is called so. */
const namedBy = <T extends Option>(text: string, options: readonly T[]): T | undefined => {
  const sought = text.trim().toLowerCase()
  const [named, ...others] = options.filter(({ label }) => label.toLowerCase() === sought)
  return others.length === 0 ? named : undefined
}

/** Whether the list is open, where the keys stand in it, and what they do. */
const useOpenList = <T extends Option>(props: ComboboxProps<T>) => {
  const { chosen, words, options, isRequired = false, onChoose } = props
  const [wanted, setWanted] = useState(0)
  const { typed, isUnknown, keep } = useTypedWords(props)
  const active = Math.min(wanted, options.length - 1)
  const isOpen = words !== undefined && options.length > 0
  const choose = (option: T | undefined) => {
    keep(undefined, undefined)
    onChoose(option)
  }
  const open = (input: HTMLInputElement) => {
    setWanted(0)
    // Until the user types, an open list offers all options.
    keep(typed, '')
    input.select()
  }
  const type = (text: string) => {
    setWanted(0)
    if (text === '' && !isRequired) choose(undefined)
    else keep(text, text)
  }
  const leave = () => {
    const text = typed?.trim() ?? ''
    const isKept = props.unknown !== undefined && text !== '' && text !== chosen
    const named = isKept ? namedBy(text, options) : undefined
    if (named) choose(named)
    else keep(isKept ? typed : undefined, undefined)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    // Keys of an input method, such as one for Japanese, are not for the list.
    if (event.nativeEvent.isComposing) return
    const option = isOpen ? options[active] : undefined
    // The cell of a list saves what it has before the focus is gone.
    if (event.key === 'Tab' && typed !== undefined) return leave()
    if (event.key === 'Escape' && (words ?? typed) !== undefined) keep(undefined, undefined)
    else if (event.key === 'Enter' && option) choose(option)
    else if (event.key === 'ArrowDown') isOpen ? setWanted(active + 1) : open(event.currentTarget)
    else if (event.key === 'ArrowUp') setWanted(Math.max(active - 1, 0))
    else return
    event.preventDefault()
  }
  return { isOpen, typed, isUnknown, active, choose, onKeyDown, type, open, leave }
}

type ListProps<T extends Option> = {
  readonly list: string
  readonly label: string
  readonly input: RefObject<HTMLElement | null>
  readonly options: readonly T[]
  readonly isOpen: boolean
  readonly active: number
  readonly onChoose: (option: T) => void
}

/** The options, above whatever they stand in: a panel or a dialog must not cut them off. */
export const OptionList = <T extends Option>(props: ListProps<T>): ReactNode => {
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
      className="popover combobox-list options"
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
