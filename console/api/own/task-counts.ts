/** The numbers of the user's tasks, which every page shows. */
import { queryOptions } from '@tanstack/react-query'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export const taskStatuses = ['open', 'overdue', 'today', 'upcoming', 'completed'] as const
export type TaskStatus = (typeof taskStatuses)[number]

export type TaskCounts = Readonly<Record<TaskStatus, number>>

/** The first key of everything about tasks. */
export const tasksKey = [userKey, 'tasks'] as const

/** The numbers of the user's own tasks; what is due today depends on the zone. */
export const taskCountsQuery = (timeZone: string) =>
  queryOptions({
    queryKey: [...tasksKey, 'counts', timeZone],
    queryFn: ({ signal }) =>
      request<TaskCounts>('/api/tasks/count', { query: { timeZone }, signal }),
    // That a task becomes overdue is no event.
    refetchInterval: 60_000,
  })
