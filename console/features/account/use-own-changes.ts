/** What the user has changed, with the current records and tasks, read in few requests. */
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { type OwnChange, ownChangesQuery, recordsNowQuery } from '../../api/own/changes.ts'
import { placeKey } from '../../api/record-names.ts'
import { recordTasksQuery } from '../../api/tasks.ts'
import type { Entity } from '../../api/types.ts'
import type { Change } from '../forms/undo.ts'
import { useSession } from '../session/session.ts'

/** The loaded pages of entries; `onMore` loads one more. */
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

/** The columns that the entries of an entity have changed, as far as the user may see them. */
const columnsOf = ({ fields, workflow }: Entity, entries: readonly OwnChange[]) => {
  const changed = new Set(entries.flatMap(({ changes }) => Object.keys(changes)))
  const columns = fields.flatMap(({ column }) =>
    column !== null && changed.has(column) ? [column] : [],
  )
  return workflow && fields.some(({ column }) => column === '_step')
    ? [...columns, '_step']
    : columns
}

/** The current records of the entries, by place. */
const useCurrentRecords = (entries: readonly OwnChange[]) => {
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

/** The current tasks of the entries by id, where the role may see all tasks of their records. */
const useCurrentTasks = (entries: readonly OwnChange[]) => {
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
  const records = useCurrentRecords(entries)
  const { tasks, ...ofTasks } = useCurrentTasks(entries)
  const changes = entries.flatMap((entry): Change[] => {
    const { entity_id: id, task_id: taskId } = entry
    const entity = entities.get(entry.entity)
    const row = records.rows.get(placeKey({ entity: entry.entity, id }))
    const task = taskId === null ? undefined : tasks.get(taskId)
    const etag = row && `"${String(row._version)}"`
    return entity ? [{ entry, entity, id, row, etag, task }] : []
  })
  const isPending = pages.isPending || records.isPending || ofTasks.isPending
  return { ...pages, changes, isPending }
}
