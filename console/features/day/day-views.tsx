/** The records that the user opened last, as far as they may still see them, and views of all entities. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { searchRecords } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import { placeKey, useRecordNames } from '../../api/record-names.ts'
import type { Condition, Me } from '../../api/types.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { pinIcon } from '../../parts/icons.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { DaySection } from '../search/day-section.tsx'
import { useSession } from '../session/session.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import { visitsIn } from '../session/visits.ts'
import { meantFor } from '../views/views.ts'
import { useNumber } from './waiting-work.tsx'

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

const few = 6
const most = 200

const pinnedIn = (pinned: unknown): readonly number[] =>
  Array.isArray(pinned) ? pinned.filter((one) => Number.isSafeInteger(one) && one > 0) : []

/** Which views are shown: without any that are pinned, the user's own. */
const conditionOf = (
  pinned: readonly number[],
  isAll: boolean,
  meant: Condition,
  userId: number,
) => {
  if (isAll) return meant
  return pinned.length > 0 ? { id: { $in: pinned } } : { _created_by: userId }
}

const useViews = () => {
  const { me, entities } = useSession()
  const { settings, change } = useConsoleSettings()
  const pinned = pinnedIn(settings.pinnedViews)
  const [isAll, setIsAll] = useState(false)
  const meant = meantFor(me)
  const enabled = (entities.get('saved_view')?.permissions.read ?? false) !== false
  const limit = isAll ? most : few
  const shown = useQuery({
    ...viewLinksQuery(me, conditionOf(pinned, isAll, meant, me.id), limit),
    enabled,
  })
  const total = useQuery({ ...viewLinksQuery(me, meant, 1), enabled })
  const togglePin = (id: number) =>
    change({
      pinnedViews: pinned.includes(id) ? pinned.filter((one) => one !== id) : [...pinned, id],
    })
  const views = (shown.data?.views ?? []).filter(({ entity }) => entities.has(entity))
  return { views, pinned, total: total.data?.total ?? 0, isAll, setIsAll, togglePin }
}

export const DayViews = (): ReactNode => {
  const { views: texts } = useTexts()
  const day = useWorkTexts().day
  const print = useNumber()
  const { views, pinned, total, isAll, setIsAll, togglePin } = useViews()
  if (total === 0) return null
  const isMore = isAll || total > views.length
  return (
    <DaySection
      title={texts.title}
      all={
        isMore && (
          <Button look="quiet" onClick={() => setIsAll(!isAll)}>
            {isAll ? day.fewer : day.all(print(total))}
          </Button>
        )
      }
    >
      {views.length === 0 && <p className="day-note">{day.noPins}</p>}
      <ul className="day-rows">
        {views.map((view) => (
          <li key={view.id} className="day-view">
            <ViewRow view={view} />
            <IconButton
              label={day.pin(view.name)}
              aria-pressed={pinned.includes(view.id)}
              icon={pinIcon}
              onClick={() => togglePin(view.id)}
            />
          </li>
        ))}
      </ul>
    </DaySection>
  )
}

const ViewRow = ({ view }: { readonly view: ViewLink }): ReactNode => {
  const { entities } = useSession()
  return (
    <Link
      className="day-row"
      to="/$entity"
      params={{ entity: view.entity }}
      search={{ view: view.id }}
    >
      <span className="day-title" dir="auto">
        {view.name}
      </span>
      <span className="day-note" dir="auto">
        {entities.get(view.entity)?.name}
      </span>
    </Link>
  )
}

type ViewLink = {
  readonly id: number
  readonly name: string
  readonly entity: string
}

/** Views of all entities that fit a condition, by name, and their number. */
const viewLinksQuery = (me: Me, condition: Condition, limit: number) =>
  queryOptions({
    queryKey: [userKey, 'views', 'links', me.id, condition, limit],
    queryFn: async ({ signal }) => {
      const $select = ['id', 'name', 'entity_key']
      const body = { $where: condition, $select, $orderBy: ['name', 'id'], $count: true }
      const page = await searchRecords('saved_view', body, { limit, signal })
      const views = page.data.map(
        ({ id, name, entity_key }): ViewLink => ({
          id,
          name: String(name),
          entity: String(entity_key),
        }),
      )
      return { views, total: page.total ?? views.length }
    },
  })
