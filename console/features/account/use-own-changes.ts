/** What the user has changed, with what has become of it, read in few requests. */
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { type OwnChange, ownChangesQuery, recordsNowQuery } from '../../api/own/changes.ts'
import { placeKey } from '../../api/record-names.ts'
import { recordTasksQuery } from '../../api/tasks.ts'
import type { Entity } from '../../api/types.ts'
import { useSession } from '../session/session.ts'
import type { Known } from './undo-of.ts'

/** The pages that are shown, and what shows one more. */
const usePages = () => {
  const [starts, setStarts] = useState<readonly (number | undefined)[]>([undefined])
  const pages = useQueries({ queries: starts.map((before) => ownChangesQuery(before)) })
  const next = pages.at(-1)?.data?.next
  return {
    entries: pages.flatMap(({ data }) => data?.data ?? []),
    error: pages.find(({ error }) => error)?.error ?? null,
    isPending: pages.some(({ isPending }) => isPending),
    onMore: typeof next === 'number' ? () => setStarts([...starts, next]) : undefined,
  }
}

/** The columns that the entries of an entity have changed, as far as they may be seen. */
const columnsOf = ({ fields, workflow }: Entity, entries: readonly OwnChange[]) => {
  const changed = new Set(entries.flatMap(({ changes }) => Object.keys(changes)))
  const own = fields.flatMap(({ column }) =>
    column !== null && changed.has(column) ? [column] : [],
  )
  return workflow && fields.some(({ column }) => column === '_step') ? [...own, '_step'] : own
}

/** The records of the entries as they are now, by place. */
const useRecordsNow = (entries: readonly OwnChange[]) => {
  const { entities } = useSession()
  const groups = [...Map.groupBy(entries, ({ entity }) => entity)].flatMap(([key, all]) => {
    const entity = entities.get(key)
    const ids = [...new Set(all.map((one) => one.entity_id))]
    return entity && entity.permissions.read !== false
      ? [recordsNowQuery(entity, ids, columnsOf(entity, all))]
      : []
  })
  return useQueries({
    queries: groups,
    combine: (results) => ({
      isPending: results.some(({ isPending }) => isPending),
      rows: new Map(
        results.flatMap(({ data }, at) =>
          [...(data ?? [])].map(
            ([id, row]) =>
              [placeKey({ entity: String(groups[at]?.queryKey[2]), id }), row] as const,
          ),
        ),
      ),
    }),
  })
}

/** The tasks of the entries as they are now, by id, where the role may see all tasks of their records. */
const useTasksNow = (entries: readonly OwnChange[]) => {
  const { entities } = useSession()
  const ofTasks = entries.filter(
    ({ task_id, entity }) => task_id !== null && entities.get(entity)?.permissions.tasks === true,
  )
  const places = new Map(
    ofTasks.map(({ entity, entity_id: id }) => [placeKey({ entity, id }), { entity, id }]),
  )
  return useQueries({
    queries: [...places.values()].map((place) => recordTasksQuery(place)),
    combine: (results) => ({
      isPending: results.some(({ isPending }) => isPending),
      tasks: new Map(results.flatMap(({ data = [] }) => data.map((task) => [task.id, task]))),
    }),
  })
}

export const useOwnChanges = () => {
  const { entities } = useSession()
  const { entries, ...pages } = usePages()
  const records = useRecordsNow(entries)
  const { tasks, ...ofTasks } = useTasksNow(entries)
  const known = entries.flatMap((change): Known[] => {
    const entity = entities.get(change.entity)
    const row = records.rows.get(placeKey({ entity: change.entity, id: change.entity_id }))
    const task = change.task_id === null ? undefined : tasks.get(change.task_id)
    return entity ? [{ change, entity, row, task }] : []
  })
  const isPending = pages.isPending || records.isPending || ofTasks.isPending
  return { ...pages, known, isPending }
}
