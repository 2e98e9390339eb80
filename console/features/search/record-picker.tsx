/** Finds a record by words among those of several entities. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { RecordPlace } from '../../api/record-names.ts'
import { foundQuery } from '../../api/records/found.ts'
import type { Entity } from '../../api/types.ts'
import { Combobox, type Option } from '../../parts/combobox.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import { useDelayed } from '../values/use-delayed.ts'

type PickerProps = {
  readonly id: string
  readonly label: string
  /** What the chosen record is called. */
  readonly chosen: string
  /** Of which entities one may be chosen. */
  readonly accepts: (entity: Entity) => boolean
  readonly onChoose: (chosen: ChosenRecord | undefined) => void
}

/** A record, and what it is called. */
export type ChosenRecord = { readonly place: RecordPlace; readonly label: string }

type Choice = Option & ChosenRecord

const searchDelayMs = 150
const mostOfEach = 5

export const RecordPicker = ({ id, label, chosen, accepts, onChoose }: PickerProps): ReactNode => {
  const { entities } = useSession()
  const texts = useWorkTexts().values
  const [words, setWords] = useState<string>()
  const sought = useDelayed(words?.trim() ?? '', searchDelayMs)
  const found = useQuery({ ...foundQuery(sought, mostOfEach), enabled: sought !== '' })
  const isCurrent = sought !== '' && sought === words?.trim() && !found.isPlaceholderData
  // A choice shows its name alone, so one that only links to what has the words would look wrong.
  const named = (found.data?.data ?? []).filter(({ linked }) => linked === undefined)
  const options = (isCurrent ? named : []).flatMap((one): Choice[] => {
    const entity = entities.get(one.entity)
    if (!entity || !accepts(entity)) return []
    const place = { entity: one.entity, id: one.id }
    const name = one.display ?? `${one.id}`
    return [{ key: `${one.entity}/${one.id}`, label: name, note: entity.name, place }]
  })
  return (
    <Combobox
      id={id}
      label={label}
      chosen={chosen}
      words={words}
      options={options}
      isRequired
      unknown={texts.choose}
      unknownNote={texts.noRecord}
      onWords={setWords}
      onChoose={(choice) => onChoose(choice && { place: choice.place, label: choice.label })}
    />
  )
}
