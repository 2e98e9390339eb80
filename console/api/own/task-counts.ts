/** The numbers of the user's tasks, which every page shows. */
import { queryOptions } from '@tanstack/react-query'
import type { TaskCount } from '../../../src/tasks/own-endpoints.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export const taskStatuses: readonly TaskStatus[] = [
  'open',
  'overdue',
  'today',
  'upcoming',
  'completed',
]
export type TaskStatus = keyof TaskCount

/** The first key of everything about tasks. */
export const tasksKey = [userKey, 'tasks'] as const

/** The numbers of the user's own tasks; what is due today depends on the zone. */
export const taskCountsQuery = (timeZone: string) =>
  queryOptions({
    queryKey: [...tasksKey, 'counts', timeZone],
    queryFn: ({ signal }) =>
      request<TaskCount>('/api/tasks/count', { query: { timeZone }, signal }),
    // That a task becomes overdue is no event.
    refetchInterval: 60_000,
  })
