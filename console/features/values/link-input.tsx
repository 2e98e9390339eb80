/** The input of a link: search by what records are called, choose one. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { nameQuery } from '../../api/record.ts'
import { choicesQuery } from '../../api/records/choices.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import type { InputProps } from './input-props.ts'
import { useDelayed } from './use-delayed.ts'

type LinkProps = InputProps & {
  /** What is said of words that name no record, where no form is sent. */
  readonly unknownNote?: (words: string) => string
}

export const LinkInput = (props: LinkProps): ReactNode => {
  const target = useSession().entities.get(props.field.entity ?? '')
  const { noChoice } = useWorkTexts().values
  // Only a record that the user may read can be linked.
  if (!target || target.permissions.read === false)
    return (
      <output id={props.id} className="field-output">
        {props.linked ?? String(props.value ?? noChoice)}
      </output>
    )
  return <LinkCombobox {...props} target={target} />
}

const nameOf = (row: RecordRow, { displayField }: Entity): string =>
  String(row[displayField] ?? row.id)

const searchDelayMs = 150

/** What fits the words. */
const useChoices = (
  target: Entity,
  words: string | undefined,
  where: InputProps['choices'],
): readonly RecordRow[] => {
  const sought = useDelayed(words ?? '', searchDelayMs)
  const found = useQuery({ ...choicesQuery(target, sought, where), enabled: words !== undefined })
  // What was found for other words must not be chosen by a key that comes too early.
  const isCurrent = sought === words && !found.isPlaceholderData
  return isCurrent ? (found.data ?? []) : []
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

const LinkCombobox = (props: LinkProps & { readonly target: Entity }): ReactNode => {
  const { id, field, target, value, isInvalid, describedBy, onChange } = props
  const [words, setWords] = useState<string>()
  const [chosen, setChosen] = useState<RecordRow>()
  const rows = useChoices(target, words, props.choices)
  const known = useLinkedName(props, target, chosen)
  const texts = useWorkTexts().values
  return (
    <Combobox
      id={id}
      words={words}
      isInvalid={isInvalid}
      describedBy={describedBy}
      label={target.name}
      isRequired={field.required === true}
      chosen={value === null || value === undefined ? '' : (known ?? String(value))}
      options={rows.map((row) => ({ key: `${row.id}`, label: nameOf(row, target), row }))}
      unknown={texts.choose}
      unknownNote={props.unknownNote}
      onWords={setWords}
      onChoose={(option) => {
        setChosen(option?.row)
        onChange(option?.row.id ?? null, option?.label)
      }}
    />
  )
}
