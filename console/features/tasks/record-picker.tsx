/** Finds the record that a task is for, among those whose tasks the user may write. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { foundQuery } from '../../api/records/found.ts'
import type { TaskPlace } from '../../api/tasks.ts'
import type { Entity } from '../../api/types.ts'
import { Combobox, type Option } from '../../parts/combobox.tsx'
import { useTaskTexts } from '../../texts/tasks/texts.ts'
import { useSession } from '../session/session.ts'
import { useDelayed } from '../values/use-delayed.ts'

type PickerProps = {
  readonly id: string
  readonly chosen: ChosenRecord | undefined
  readonly onChoose: (chosen: ChosenRecord | undefined) => void
}

/** A record, and what it is called. */
export type ChosenRecord = { readonly place: TaskPlace; readonly label: string }

type Choice = Option & ChosenRecord

const searchDelayMs = 150

/** Whether tasks of every record of an entity may be written; those of own ones only are written in the record. */
export const takesTasks = ({ permissions, isNative }: Entity): boolean =>
  !isNative && permissions.read !== false && permissions.tasks === true

export const RecordPicker = ({ id, chosen, onChoose }: PickerProps): ReactNode => {
  const texts = useTaskTexts()
  const { entities } = useSession()
  const [words, setWords] = useState<string>()
  const sought = useDelayed(words?.trim() ?? '', searchDelayMs)
  const found = useQuery({ ...foundQuery(sought), enabled: sought !== '' })
  const isCurrent = sought !== '' && sought === words?.trim() && !found.isPlaceholderData
  const options = (isCurrent ? (found.data ?? []) : []).flatMap((one): Choice[] => {
    const entity = entities.get(one.entity)
    if (!entity || !takesTasks(entity)) return []
    const place = { entity: one.entity, id: one.id }
    const label = one.display ?? `${one.id}`
    return [{ key: `${one.entity}/${one.id}`, label, note: entity.name, place }]
  })
  return (
    <div>
      <label htmlFor={id}>{texts.record}</label>
      <Combobox
        {...{ id, words, options }}
        isRequired
        label={texts.record}
        chosen={chosen?.label ?? ''}
        onWords={setWords}
        onChoose={(choice) => onChoose(choice && { place: choice.place, label: choice.label })}
      />
      <small className="task-place">{texts.recordHelp}</small>
    </div>
  )
}
