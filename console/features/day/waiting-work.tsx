/** What waits for the user, as "My day" shows it: approvals, tasks and notifications, read at the same time. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Approval } from '../../api/open-actions.ts'
import { inboxQuery } from '../../api/own/inbox.ts'
import { taskCountsQuery } from '../../api/own/task-counts.ts'
import { approvalCountQuery, unseenQuery } from '../../api/queries.ts'
import { noNames, useRecordNames } from '../../api/record-names.ts'
import { approvalsQuery } from '../../api/records/approvals.ts'
import { ownTasksQuery } from '../../api/tasks.ts'
import type { Notification } from '../../api/types.ts'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { approvalKey, type Summary, useSummaries } from '../approvals/queue.ts'
import { formatMoment } from '../format/format-value.ts'
import { useMarks, wayTo } from '../inbox/notifications.tsx'
import { DaySection, fewRows } from '../search/day-section.tsx'
import { mayDecide, useReading, useSession } from '../session/session.ts'
import { useAuthorName } from '../session/user-names.tsx'
import { TaskList, TaskUndo, useTaskChanges } from '../tasks/task-list.tsx'

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

type Day = ReturnType<typeof useDay>

/** A number as the service counted it. */
export const useNumber = () => {
  const { locale } = useReading()
  return (count: number, isMore = false): string =>
    `${new Intl.NumberFormat(locale).format(count)}${isMore ? '+' : ''}`
}

export const FirstApprovals = ({ approvals }: Pick<Day, 'approvals'>): ReactNode => {
  const texts = useTexts()
  const dayTexts = useWorkTexts().day
  const print = useNumber()
  const rows = approvals.list.data ?? []
  const summaries = useSummaries(rows)
  const { data: count } = approvals.count
  if (rows.length === 0) return null
  return (
    <DaySection
      title={texts.approvals.title}
      count={count && print(count.count, count.isCapped)}
      all={<Link to="/-/approvals">{dayTexts.decide}</Link>}
    >
      <ul className="day-rows">
        {rows.map((one) => (
          <li key={`${one.entity}/${one.id}`}>
            <ApprovalRow approval={one} summary={summaries.get(approvalKey(one))} />
          </li>
        ))}
      </ul>
    </DaySection>
  )
}

type RowProps = { readonly approval: Approval; readonly summary: Summary | undefined }

const ApprovalRow = ({ approval, summary }: RowProps): ReactNode => {
  const texts = useWorkTexts().day
  const { locale, timeZone } = useReading()
  const { entities } = useSession()
  const authorName = useAuthorName()
  const { entity, id, display, step, since, by, acting_user: acting } = approval
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone })
  return (
    <Link className="day-row" to="/$entity/$id" params={{ entity, id: `${id}` }}>
      <span className="day-title" dir="auto">
        {display}
        {summary?.about.map((text) => (
          <span className="day-about" key={text}>
            {' '}
            {text}
          </span>
        ))}
      </span>
      {summary?.amount && <span className="day-amount">{summary.amount}</span>}
      <span className="day-note" dir="auto">
        {entities.get(entity)?.name} · {step.name ?? step.key}
        {by?.full_name && ` · ${authorName(by, acting)}`}
      </span>
      {since !== null && <time dateTime={since}>{texts.since(day.format(new Date(since)))}</time>}
    </Link>
  )
}

export const UrgentTasks = ({ tasks: { tasks, counts } }: Pick<Day, 'tasks'>): ReactNode => {
  const texts = useTexts()
  const dayTexts = useWorkTexts().day
  const print = useNumber()
  const { entities } = useSession()
  const changes = useTaskChanges()
  const places = tasks.map(({ key, entity_id: id }) => ({ entity: key, id }))
  const names = useRecordNames(places, entities) ?? noNames
  const { overdue = 0, today = 0 } = counts.data ?? {}
  if (tasks.length === 0 && !changes.last && !changes.error) return null
  return (
    <DaySection
      title={texts.tasks.title}
      count={[
        ...(overdue > 0 ? [dayTexts.overdue(print(overdue))] : []),
        ...(today > 0 ? [dayTexts.today(print(today))] : []),
      ].join(' · ')}
      all={<Link to="/-/tasks">{dayTexts.allTasks}</Link>}
    >
      <TaskUndo changes={changes} />
      <TaskList tasks={tasks} changes={changes} names={names} />
    </DaySection>
  )
}

export const Unread = ({ unread }: Pick<Day, 'unread'>): ReactNode => {
  const texts = useTexts()
  const dayTexts = useWorkTexts().day
  const print = useNumber()
  const marks = useMarks()
  const rows = unread.list.data ?? []
  if (rows.length === 0) return null
  return (
    <DaySection
      title={dayTexts.unread}
      count={unread.count.data === undefined ? undefined : print(unread.count.data)}
      all={<Link to="/-/inbox">{texts.inbox.title}</Link>}
    >
      <ul className="day-rows">
        {rows.map((one) => (
          <li key={one._id}>
            <UnreadRow
              notification={one}
              onFollow={() => marks.mark({ ids: [one._id], status: 'seen' })}
            />
          </li>
        ))}
      </ul>
    </DaySection>
  )
}

type UnreadProps = { readonly notification: Notification; readonly onFollow: () => void }

/** Leads to the record or the comment, which counts as having read it. */
const UnreadRow = ({ notification, onFollow }: UnreadProps): ReactNode => {
  const reading = useReading()
  const { content, timestamp } = notification
  return (
    <Link className="day-row" {...wayTo(notification)} onClick={onFollow}>
      <span className="day-title" dir="auto">
        {content.title}
      </span>
      <span className="day-note" dir="auto">
        {content.message}
      </span>
      <time dateTime={timestamp}>{formatMoment(timestamp, reading)}</time>
    </Link>
  )
}
