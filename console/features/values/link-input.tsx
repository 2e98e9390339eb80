/** The input of a link: search by what records are called, choose one (WAI-ARIA combobox). */
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { choicesQuery } from '../../api/queries.ts'
import { nameQuery } from '../../api/record.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useSession } from '../session/session.ts'
import type { InputProps } from './input-props.ts'
import { useDelayed } from './use-delayed.ts'
import '../../parts/combobox.css'

export const LinkInput = (props: InputProps): ReactNode => {
  const target = useSession().entities.get(props.field.entity ?? '')
  if (!target) return <span>{String(props.value ?? '')}</span>
  return <LinkCombobox {...props} target={target} />
}

const nameOf = (row: RecordRow, { displayField }: Entity): string =>
  String(row[displayField] ?? row.id)

const searchDelayMs = 150

/** What is chosen among, and where the keys stand in it. */
const useChoices = ({ target }: { readonly target: Entity }) => {
  const [words, setWords] = useState<string>()
  const [active, setActive] = useState(0)
  const sought = useDelayed(words ?? '', searchDelayMs)
  const found = useQuery({ ...choicesQuery(target, sought), enabled: words !== undefined })
  // What was found for other words must not be chosen by a key that comes too early.
  const isCurrent = sought === words && !found.isPlaceholderData
  const rows = isCurrent ? (found.data ?? []) : []
  return { words, setWords, rows, active: Math.min(active, rows.length - 1), setActive }
}

/** What the linked record is called: as it came with the value, or as the service says. */
const useLinkedName = (
  { value, linked }: Pick<InputProps, 'value' | 'linked'>,
  target: Entity,
  chosen: RecordRow | undefined,
): string | undefined => {
  const known = chosen?.id === value && chosen ? nameOf(chosen, target) : linked
  const id = typeof value === 'number' ? value : 0
  const asked = useQuery({ ...nameQuery(target, id), enabled: known === undefined && id > 0 })
  if (known !== undefined || !asked.isFetched) return known ?? ''
  return asked.data ? nameOf(asked.data, target) : undefined
}

const LinkCombobox = (props: InputProps & { readonly target: Entity }): ReactNode => {
  const { id, field, target, value, onChange } = props
  const list = useId()
  const { words, setWords, rows, active, setActive } = useChoices(props)
  const [chosen, setChosen] = useState<RecordRow>()
  const known = useLinkedName(props, target, chosen)
  const shown = words ?? (value === null || value === undefined ? '' : (known ?? String(value)))
  const choose = (row: RecordRow | undefined) => {
    setChosen(row)
    setWords(undefined)
    onChange(row?.id ?? null, row && nameOf(row, target))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return setWords(undefined)
    if (event.key === 'Enter' && rows[active]) choose(rows[active])
    else if (event.key === 'ArrowDown') words === undefined ? setWords('') : setActive(active + 1)
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0))
    else return
    event.preventDefault()
  }
  const type = (text: string) => {
    setActive(0)
    if (text === '' && !field.required) choose(undefined)
    else setWords(text)
  }
  return (
    <div className="combobox">
      <input
        id={id}
        className="field-input"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={rows.length > 0}
        aria-controls={list}
        aria-required={field.required === true}
        aria-invalid={props.isInvalid || undefined}
        aria-describedby={props.describedBy}
        {...(rows[active] && { 'aria-activedescendant': `${list}-${rows[active].id}` })}
        autoComplete="off"
        dir="auto"
        value={shown}
        onChange={({ target: input }) => type(input.value)}
        onKeyDown={onKeyDown}
        onBlur={() => setWords(undefined)}
      />
      <div
        id={list}
        role="listbox"
        aria-label={target.name}
        className="combobox-list"
        hidden={rows.length === 0}
      >
        {rows.map((row, at) => (
          <div
            key={row.id}
            id={`${list}-${row.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            dir="auto"
            // Before the input loses the focus.
            onPointerDown={(event) => {
              event.preventDefault()
              choose(row)
            }}
          >
            {nameOf(row, target)}
          </div>
        ))}
      </div>
    </div>
  )
}
