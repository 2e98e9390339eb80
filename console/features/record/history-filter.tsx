/** Which entries of a history are shown: of one kind, of one field, or by one user. */

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { type HistoryFilter, historyQuery, subjectWord } from '../../api/records/history.ts'
import type { Entity, HistoryEntry } from '../../api/types.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { isFileField } from '../files/file-values.ts'
import { columnOf } from '../values/own-fields.ts'
import './record.css'

type FilterBarProps = {
  readonly entity: Entity
  readonly id: number
  readonly filter: HistoryFilter
  readonly onFilter: (filter: HistoryFilter) => void
}

/** The users of the entries by id, also those who acted as another user. */
const usersIn = (entries: readonly HistoryEntry[]): ReadonlyMap<number, string> =>
  new Map(
    entries
      .flatMap(({ user, acting_user: acting }) => [user, acting])
      .flatMap((one) => (one ? [[one.id, one.full_name ?? `${one.id}`]] : [])),
  )

const notices = subjectWord('notices')

/** Chooses the entries of one kind, of one field, or of one user. */
export const HistoryFilterBar = ({ entity, id, filter, onFilter }: FilterBarProps): ReactNode => {
  const { tasks, history: texts } = useWorkTexts()
  const subjectNames = useWorkTexts().comments.subjects
  const { data = [] } = useQuery(historyQuery(entity.key, id))
  const { by, field } = filter
  const users = usersIn(data)
  const named = by === undefined || users.has(by) ? users : new Map([...users, [by, `${by}`]])
  const fields = entity.fields.filter(({ column, isSystem }) => column !== null && !isSystem)
  const chooseField = (text: string) =>
    onFilter({ ...(by !== undefined && { by }), ...(text !== '' && { field: text }) })
  const chooseUser = (text: string) =>
    onFilter({
      // Who was notified is one list, no matter who did it.
      ...(field !== undefined && (text === '' || field !== notices) && { field }),
      ...(text !== '' && { by: Number(text) }),
    })
  return (
    <div className="history-filter">
      {entity.comments && <SubjectTabs entity={entity} filter={filter} onFilter={onFilter} />}
      <select
        className="field-input"
        aria-label={texts.field}
        value={field?.startsWith('~') && entity.comments ? '' : (field ?? '')}
        onChange={({ target }) => chooseField(target.value)}
      >
        <option value="">{texts.allFields}</option>
        {fields.map((one) => (
          <option key={one.key} value={columnOf(one)}>
            {labelOf(one)}
          </option>
        ))}
        {entity.workflow && <option value="_step">{texts.steps}</option>}
        {!entity.comments && hasNotices(entity) && (
          <option value={notices}>{subjectNames.notices}</option>
        )}
        {!entity.comments && <option value={subjectWord('tasks')}>{tasks.ofRecord}</option>}
        {!entity.comments && fields.some(isFileField) && (
          <option value={subjectWord('files')}>{subjectNames.files}</option>
        )}
      </select>
      <select
        className="field-input"
        aria-label={texts.person}
        value={by ?? ''}
        onChange={({ target }) => chooseUser(target.value)}
      >
        <option value="">{texts.everybody}</option>
        {[...named].map(([user, name]) => (
          <option key={user} value={user}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}

const hasNotices = ({ notifiedOperations }: Entity): boolean => notifiedOperations.length > 0

const subjects = ['record', 'comments', 'tasks', 'files', 'notices'] as const

/** Chooses between what was changed, what was said, what is to be done, files, and who was notified. */
const SubjectTabs = ({
  entity,
  filter: { by, field },
  onFilter,
}: Omit<FilterBarProps, 'id'>): ReactNode => {
  const texts = useWorkTexts().comments
  const shown = subjects.find((one) => subjectWord(one) === field)
  const offered = subjects.filter((one) => one !== 'notices' || hasNotices(entity))
  const tabs = (['all', ...offered] as const).map((value) => ({
    value,
    label: texts.subjects[value],
  }))
  return (
    <Tabs
      label={texts.subject}
      value={shown ?? (field === undefined ? 'all' : 'record')}
      tabs={tabs}
      onChange={(value) =>
        onFilter({
          ...(by !== undefined && value !== 'notices' && { by }),
          ...(value !== 'all' && { field: subjectWord(value) }),
        })
      }
    />
  )
}
