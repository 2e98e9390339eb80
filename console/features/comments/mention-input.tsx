/** An input for the text of a comment: `@` offers people who may read the record, by keys and by the pointer. */
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { type CommentPlace, readersQuery } from '../../api/records/comments.ts'
import type { Person } from '../../api/tasks.ts'
import { type Option, OptionList } from '../../parts/combobox.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { type Mentioned, nameIn, type Sought, soughtAt, withMention } from './mentions.ts'
import './comments.css'

type InputProps = {
  readonly label: string
  readonly place: CommentPlace
  readonly text: string
  readonly mentioned: readonly Mentioned[]
  /** Whether it is for users alone who see internal comments. */
  readonly isInternal: boolean
  readonly isReadOnly: boolean
  /** Whether it has the focus first. */
  readonly isFirst: boolean
  readonly onChange: (text: string, mentioned: readonly Mentioned[]) => void
  readonly onSend: () => void
  readonly onCancel?: (() => void) | undefined
}

const maxText = 10_000

export const MentionInput = (props: InputProps): ReactNode => {
  const { label, text, isReadOnly, isFirst, onSend, onCancel } = props
  const texts = useWorkTexts().comments
  const list = useId()
  const input = useRef<HTMLTextAreaElement>(null)
  const { sought, options, isOpen, isNobody, active, seek, onKey, choose, stop } = useMentioning(
    props,
    input,
  )
  useLayoutEffect(() => {
    if (isFirst) input.current?.focus()
  }, [isFirst])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSend()
    else if (!onKey(event.key)) {
      if (event.key !== 'Escape' || !onCancel) return
      onCancel()
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="mention-input">
      <textarea
        ref={input}
        className="field-input"
        dir="auto"
        rows={2}
        aria-label={label}
        placeholder={texts.placeholder}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        {...(isOpen && { 'aria-controls': list, 'aria-activedescendant': `${list}-${active}` })}
        readOnly={isReadOnly}
        maxLength={maxText}
        value={text}
        onChange={({ target }) => {
          props.onChange(target.value, props.mentioned)
          seek(target)
        }}
        onKeyDown={onKeyDown}
        onSelect={({ currentTarget }) => seek(currentTarget)}
        onBlur={stop}
      />
      <OptionList
        list={list}
        input={input}
        options={options}
        isOpen={isOpen}
        active={active}
        label={texts.people}
        onChoose={choose}
      />
      <small role="status" className="mention-note" dir="auto">
        {isOpen && <span className="visually-hidden">{texts.found(options.length)}</span>}
        {isNobody && texts.nobody(sought?.words ?? '')}
      </small>
    </div>
  )
}

type PersonOption = Option & { readonly person: Person }

const searchDelayMs = 150

/** Whom the words after an `@` may mean. */
const usePeople = ({ place, isInternal }: InputProps, sought: Sought | undefined) => {
  const { me } = useSession()
  const words = sought?.words.trim() ?? ''
  const searched = useDelayed(words, searchDelayMs)
  const found = useQuery({
    ...readersQuery(place, searched, isInternal),
    enabled: sought !== undefined,
  })
  // People found by other words must not be chosen by a key that is pressed too early.
  const isCurrent = sought !== undefined && searched === words && !found.isPlaceholderData
  const people = isCurrent ? (found.data ?? []) : []
  // Users are not notified of what they write themselves.
  const options = people
    .filter(({ id }) => id !== me.id)
    .map((person): PersonOption => {
      const { id, full_name: name } = person
      return { person, key: `${id}`, label: name ?? `${id}` }
    })
  const isNobody = isCurrent && words !== '' && found.data?.length === 0
  return { options, isNobody }
}

/** The list of people: whom it offers, where the keys stand in it, and what a choice writes. */
const useMentioning = (
  props: InputProps,
  input: { readonly current: HTMLTextAreaElement | null },
) => {
  const { text, mentioned, onChange } = props
  const [sought, setSought] = useState<Sought>()
  const [closedAt, setClosedAt] = useState<number>()
  const [wanted, setWanted] = useState(0)
  const [caret, setCaret] = useState<number>()
  // Where the caret stands since a choice, until it is moved.
  const [chosenAt, setChosenAt] = useState<number>()
  const { options, isNobody } = usePeople(props, sought)
  const isOpen = options.length > 0
  const active = Math.min(wanted, options.length - 1)
  const stop = () => setSought(undefined)
  // The caret stands behind the name once it is in the input.
  useLayoutEffect(() => {
    if (caret === undefined) return
    input.current?.setSelectionRange(caret, caret)
    setCaret(undefined)
  }, [caret, input])
  const seek = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement) => {
    if (selectionStart !== chosenAt) setChosenAt(undefined)
    const next = selectionStart === selectionEnd ? soughtAt(value, selectionStart) : undefined
    if (next?.begin === sought?.begin && next?.words === sought?.words) return
    setWanted(0)
    // What was closed stays closed until another `@` is typed.
    setSought(next?.begin === closedAt ? undefined : next)
    if (!next) setClosedAt(undefined)
  }
  const choose = ({ person }: PersonOption) => {
    if (!sought) return
    const name = nameIn(person, mentioned)
    const written = name === undefined ? `@[${person.id}]` : `@${name}`
    const next = withMention(text, sought, written)
    const isKnown = name === undefined || mentioned.some(({ id }) => id === person.id)
    onChange(next.text, isKnown ? mentioned : [...mentioned, { id: person.id, name }])
    setCaret(next.caret)
    setChosenAt(next.caret)
    setClosedAt(sought.begin)
    stop()
  }
  /** Whether the list takes the key. */
  const onKey = (key: string): boolean => {
    // The space that is typed behind a name is there already.
    if (key === ' ' && chosenAt !== undefined && text[chosenAt - 1] === ' ') {
      setChosenAt(undefined)
      return true
    }
    const option = options[active]
    if (!isOpen || !option) return false
    if (key === 'ArrowDown') setWanted((active + 1) % options.length)
    else if (key === 'ArrowUp') setWanted((active + options.length - 1) % options.length)
    else if (key === 'Enter' || key === 'Tab') choose(option)
    else if (key === 'Escape') {
      setClosedAt(sought?.begin)
      stop()
    } else return false
    return true
  }
  return { sought, options, isOpen, isNobody, active, seek, onKey, choose, stop }
}
