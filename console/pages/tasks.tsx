/** The user's own tasks of all records, by when they are due. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type TaskStatus, taskCountsQuery, taskStatuses } from '../api/own/task-counts.ts'
import { noNames, useRecordNames } from '../api/record-names.ts'
import { ownTasksQuery, type Task, takesTasks } from '../api/tasks.ts'
import { type Limit, MoreWork, useLimit } from '../features/session/list-and-detail.tsx'
import { PageHeading } from '../features/session/page-title.tsx'
import { useReading, useSession } from '../features/session/session.ts'
import { useShortcuts } from '../features/session/shortcuts.ts'
import { TaskList, TaskUndo, useTaskChanges } from '../features/tasks/task-list.tsx'
import { Button } from '../parts/button.tsx'
import { laterPart } from '../parts/later.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../parts/notes.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useTexts, useWorkTexts } from '../texts/texts.ts'
import '../features/tasks/tasks.css'

const TaskDialog = laterPart(
  async () => (await import('../features/tasks/task-dialog.tsx')).TaskDialog,
)

const pageSize = 50

export const Tasks = (): ReactNode => {
  const { title } = useTexts().tasks
  const texts = useWorkTexts().tasks
  const { timeZone } = useReading()
  const { status = 'open' } = useSearch({ from: '/-/tasks' })
  const navigate = useNavigate({ from: '/-/tasks' })
  const limit = useLimit(pageSize)
  const counts = useQuery(taskCountsQuery(timeZone))
  const tasks = useQuery(ownTasksQuery(status, timeZone, limit.limit))
  const changes = useTaskChanges()
  const choose = (chosen: TaskStatus) => {
    limit.reset()
    void navigate({ search: chosen === 'open' ? {} : { status: chosen }, replace: true })
  }
  return (
    <div className="tasks-page">
      <header className="tasks-head">
        <PageHeading title={title} />
        <Link to="/-/settings">{texts.calendar}</Link>
        <CreateTask />
      </header>
      <Tabs
        label={title}
        value={status}
        onChange={choose}
        tabs={taskStatuses.map((value) => ({
          value,
          label: texts.statuses[value](counts.data?.[value] ?? 0),
        }))}
      />
      <TaskUndo changes={changes} />
      {tasks.error && !tasks.data && <ProblemNote error={tasks.error} />}
      {tasks.isPending && <Waiting />}
      {tasks.data?.length === 0 && <EmptyNote title={texts.empty[status]} />}
      {tasks.data && tasks.data.length > 0 && (
        <Rows limit={limit} changes={changes} tasks={tasks.data} />
      )}
    </div>
  )
}

type RowsProps = {
  readonly tasks: readonly Task[]
  readonly changes: ReturnType<typeof useTaskChanges>
  readonly limit: Limit
}

const Rows = ({ tasks, changes, limit }: RowsProps): ReactNode => {
  const { entities } = useSession()
  const places = tasks.map(({ key, entity_id: id }) => ({ entity: key, id }))
  const names = useRecordNames(places, entities) ?? noNames
  return (
    <>
      <TaskList tasks={tasks} changes={changes} names={names} />
      {limit.hasMore(tasks.length) && <MoreWork limit={limit} />}
    </>
  )
}

/** Creates a task, for users who may write tasks of some entity. */
const CreateTask = (): ReactNode => {
  const texts = useWorkTexts().tasks
  const { entities } = useSession()
  const [isCreating, setIsCreating] = useState(false)
  const isAllowed = [...entities.values()].some(takesTasks)
  const open = () => setIsCreating(true)
  useShortcuts(isAllowed ? [{ keys: 'c', label: texts.create, run: open }] : [])
  if (!isAllowed) return null
  return (
    <>
      <Button look="primary" onClick={open}>
        {texts.create}
      </Button>
      {isCreating && <TaskDialog onClose={() => setIsCreating(false)} />}
    </>
  )
}
