/** Records that the user opened last, as far as they may still see them. */
import type { ReactNode } from 'react'
import { placeKey, useRecordNames } from '../../api/record-names.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { DaySection } from '../search/day-section.tsx'
import { useSession } from '../session/session.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import { visitsIn } from '../session/visits.ts'

export const RecentRecords = (): ReactNode => {
  const day = useWorkTexts().day
  const { entities } = useSession()
  const { settings } = useConsoleSettings()
  const names = useRecordNames(visitsIn(settings), entities)
  const rows = visitsIn(settings).flatMap((place) => {
    const name = names?.get(placeKey(place))
    const entity = entities.get(place.entity)
    return name === undefined || !entity ? [] : [{ ...place, name, entityName: entity.name }]
  })
  if (rows.length === 0) return null
  return (
    <DaySection title={day.recent}>
      <ul className="day-rows">
        {rows.map(({ entity, id, name, entityName }) => (
          <li key={`${entity}/${id}`} className="day-recent">
            <RecordLink entity={entity} id={id} className="day-title">
              {name === '' ? `${entityName} ${id}` : name}
            </RecordLink>
            <span className="day-note" dir="auto">
              {entityName}
            </span>
          </li>
        ))}
      </ul>
    </DaySection>
  )
}
