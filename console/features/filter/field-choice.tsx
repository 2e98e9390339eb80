/** Chooses the field of a condition by words of its name: those of the list first, then all others by their links. */
import { type ReactNode, useMemo, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Combobox, type Option } from '../../parts/combobox.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { type FilterField, filterFields, shownFields } from './filter-fields.ts'

type ChoiceProps = {
  readonly id: string
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly chosen: string
  /** What the input is called, if not the field of the condition. */
  readonly label?: string
  /** Whether a field is offered; without it each one. */
  readonly offers?: (field: FilterField) => boolean
  /** What is wrong with it, other than a name that no field has. */
  readonly fault?: string | undefined
  readonly onChoose: (field: FilterField) => void
}

type FieldOption = Option & { readonly found: FilterField }

// More than anybody reads; further letters find the others.
const maxOptions = 200

export const FieldChoice = (props: ChoiceProps): ReactNode => {
  const { id, entity, columns, chosen, label, offers = () => true, onChoose } = props
  const texts = useWorkTexts().filter
  const { entities } = useSession()
  const [words, setWords] = useState<string>()
  const [isUnknown, setIsUnknown] = useState(false)
  const { noField } = useWorkTexts().issues
  const first = useMemo(
    () => unique(shownFields(columns, entity, entities)),
    [columns, entity, entities],
  )
  const options = useMemo(
    () => (words === undefined ? [] : filterFields(entity, entities)),
    [words, entity, entities],
  )
  const shown = new Set(first.map(({ path }) => path))
  const isNamed = fitting(words ?? '')
  const fits = (one: FilterField) => offers(one) && isNamed(one)
  const found: FieldOption[] = [
    ...first.filter(fits).map((one) => optionOf(one, texts.chosenColumns)),
    ...options
      .filter((one) => !shown.has(one.path) && fits(one))
      .map((one) => optionOf(one, one.behind === '' ? entity.name : one.behind)),
  ]
  const isNothing = isUnknown || (words !== undefined && found.length === 0)
  const fault = isNothing ? noField : props.fault
  return (
    <>
      <Combobox
        id={id}
        words={words}
        chosen={chosen}
        label={label ?? texts.field}
        isRequired
        isInvalid={fault !== undefined}
        describedBy={fault === undefined ? undefined : `${id}-fault`}
        options={words === undefined ? [] : found.slice(0, maxOptions)}
        unknown={noField}
        onUnknown={setIsUnknown}
        onWords={setWords}
        onChoose={(option) => option && onChoose(option.found)}
      />
      {fault && (
        <small id={`${id}-fault`} role="alert" className="filter-fault">
          {fault}
        </small>
      )}
    </>
  )
}

const optionOf = (found: FilterField, group: string): FieldOption => ({
  key: found.path,
  label: found.label,
  group,
  found,
})

const unique = (fields: readonly FilterField[]): readonly FilterField[] => [
  ...new Map(fields.map((field) => [field.path, field])).values(),
]

/** Whether each of the words is in the name of a field, in any case. */
const fitting = (words: string) => {
  const sought = words.toLowerCase().split(/\s+/)
  return ({ label }: FilterField): boolean => {
    const text = label.toLowerCase()
    return sought.every((word) => text.includes(word))
  }
}
