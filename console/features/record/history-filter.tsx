/** Which entries of the history are shown: those that changed a field, and those of one person. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type HistoryFilter, historyQuery, tasksWord } from '../../api/records/history.ts'
import type { Entity, HistoryEntry } from '../../api/types.ts'
import { useHistoryTexts } from '../../texts/history/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { labelOf } from '../values/columns.ts'
import './history-filter.css'

type FilterProps = {
  readonly entity: Entity
  readonly id: number
  readonly filter: HistoryFilter
  readonly onFilter: (filter: HistoryFilter) => void
}

/** Who has done something, also acting as somebody else, by id. */
const peopleIn = (entries: readonly HistoryEntry[]): ReadonlyMap<number, string> =>
  new Map(
    entries
      .flatMap(({ user, acting_user: acting }) => [user, acting])
      .flatMap((one) => (one ? [[one.id, one.full_name ?? `${one.id}`]] : [])),
  )

export const HistoryFilterBar = ({ entity, id, filter, onFilter }: FilterProps): ReactNode => {
  const { tasks } = useTexts()
  const texts = useHistoryTexts()
  const { data = [] } = useQuery(historyQuery(entity.key, id))
  const { by, field } = filter
  const people = peopleIn(data)
  const named = by === undefined || people.has(by) ? people : new Map([...people, [by, `${by}`]])
  const fields = entity.fields.filter(({ column, isSystem }) => column !== null && !isSystem)
  const chooseField = (text: string) =>
    onFilter({ ...(by !== undefined && { by }), ...(text !== '' && { field: text }) })
  const choosePerson = (text: string) =>
    onFilter({ ...(field !== undefined && { field }), ...(text !== '' && { by: Number(text) }) })
  return (
    <div className="history-filter">
      <select
        className="field-input"
        aria-label={texts.field}
        value={field ?? ''}
        onChange={({ target }) => chooseField(target.value)}
      >
        <option value="">{texts.allFields}</option>
        {fields.map((one) => (
          <option key={one.key} value={one.column ?? one.key}>
            {labelOf(one)}
          </option>
        ))}
        {entity.workflow && <option value="_step">{texts.steps}</option>}
        <option value={tasksWord}>{tasks.ofRecord}</option>
      </select>
      <select
        className="field-input"
        aria-label={texts.person}
        value={by ?? ''}
        onChange={({ target }) => choosePerson(target.value)}
      >
        <option value="">{texts.everybody}</option>
        {[...named].map(([person, name]) => (
          <option key={person} value={person}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
