/** What "My day" shows, asked for in one round of requests at the same time. */
import { useQuery } from '@tanstack/react-query'
import { fewRows } from '../../api/own/day.ts'
import { inboxQuery } from '../../api/own/inbox.ts'
import { taskCountsQuery } from '../../api/own/task-counts.ts'
import { approvalCountQuery, unseenQuery } from '../../api/queries.ts'
import { approvalsQuery } from '../../api/records/approvals.ts'
import { ownTasksQuery } from '../../api/tasks.ts'
import { mayDecide, useReading, useSession } from '../session/session.ts'

/** The user's approvals, for those who decide anything. */
const useFirstApprovals = () => {
  const enabled = mayDecide(useSession())
  const list = useQuery({ ...approvalsQuery(fewRows), enabled })
  const count = useQuery({ ...approvalCountQuery, enabled })
  return { list, count }
}

/** Tasks that are late or due today. */
const useUrgentTasks = () => {
  const { timeZone } = useReading()
  const overdue = useQuery(ownTasksQuery('overdue', timeZone, fewRows))
  const today = useQuery(ownTasksQuery('today', timeZone, fewRows))
  const counts = useQuery(taskCountsQuery(timeZone))
  const late = overdue.data ?? []
  // What was due earlier today is in both.
  const later = (today.data ?? []).filter(({ id }) => !late.some((one) => one.id === id))
  return { overdue, today, counts, tasks: [...late, ...later].slice(0, fewRows) }
}

const useUnread = () => ({
  list: useQuery(inboxQuery('unseen', fewRows)),
  count: useQuery(unseenQuery),
})

export const useDay = () => {
  const approvals = useFirstApprovals()
  const tasks = useUrgentTasks()
  const unread = useUnread()
  const queries = [approvals.list, approvals.count, tasks.overdue, tasks.today]
  const all = [...queries, tasks.counts, unread.list, unread.count]
  return {
    approvals,
    tasks,
    unread,
    // One that fails does not keep the others from being shown.
    isWaiting: all.some(({ isLoading, failureCount }) => isLoading && failureCount === 0),
    error: all.find(({ data, error }) => data === undefined && error)?.error ?? undefined,
    isEmpty: [approvals.list.data ?? [], tasks.tasks, unread.list.data ?? []].every(
      (rows) => rows.length === 0,
    ),
  }
}

export type Day = ReturnType<typeof useDay>
