/** The tasks of a record: open ones first, completed ones below. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { recordTasksQuery, type Task, type TaskPlace } from '../../api/tasks.ts'
import { Button } from '../../parts/button.tsx'
import { moreIcon } from '../../parts/icons.tsx'
import { Menu } from '../../parts/menu.tsx'
import { EmptyNote, ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { StaleNote } from '../session/stale-note.tsx'
import { RemoveTaskDialog } from './remove-task-dialog.tsx'
import { TaskList, TaskUndo } from './task-list.tsx'
import { useTaskChanges } from './use-task-changes.ts'
import './record-tasks.css'
import { TaskDialog } from './task-dialog.tsx'

/** What is done in a dialog: a task is added, changed or removed. */
type Asked = { readonly kind: 'save'; readonly task?: Task } | { kind: 'remove'; task: Task }

export const RecordTasks = ({ place }: { readonly place: TaskPlace }): ReactNode => {
  const { ofRecord } = useTexts().tasks
  const texts = useWorkTexts().tasks
  const found = useQuery(recordTasksQuery(place))
  const changes = useTaskChanges()
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const retry = () => void found.refetch()
  if (!found.data)
    return found.error ? <ProblemNote error={found.error} onRetry={retry} /> : <Waiting />
  const done = found.data.filter(({ is_completed }) => is_completed)
  const open = found.data.filter(({ is_completed }) => !is_completed)
  const renderMenu = (task: Task) => <TaskMenu task={task} onAsk={setAsked} />
  const shown = { changes, renderMenu, hasAssignees: true }
  return (
    <section className="record-tasks" aria-label={ofRecord}>
      <StaleNote error={found.error} onRetry={retry} />
      <header>
        <TaskUndo changes={changes} />
        <Button onClick={() => setAsked({ kind: 'save' })}>{texts.create}</Button>
      </header>
      {open.length === 0 && <EmptyNote title={texts.noneOfRecord} />}
      <TaskList {...shown} tasks={open} />
      {done.length > 0 && (
        <details>
          <summary>{texts.statuses.completed(done.length)}</summary>
          <TaskList {...shown} tasks={done} />
        </details>
      )}
      {asked?.kind === 'save' && <TaskDialog {...asked} place={place} onClose={close} />}
      {asked?.kind === 'remove' && <RemoveTaskDialog task={asked.task} onClose={close} />}
    </section>
  )
}

type MenuProps = { readonly task: Task; readonly onAsk: (asked: Asked) => void }

const TaskMenu = ({ task, onAsk }: MenuProps): ReactNode => {
  const texts = useWorkTexts().tasks
  return (
    <Menu
      label={texts.menuOf(task.description || texts.untitled)}
      face={moreIcon}
      items={[
        { label: texts.change, onSelect: () => onAsk({ kind: 'save', task }) },
        { label: texts.remove, onSelect: () => onAsk({ kind: 'remove', task }) },
      ]}
    />
  )
}
