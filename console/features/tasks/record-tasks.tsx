/** The tasks of a record: open ones first, completed ones below. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import {
  forgetTasks,
  placeOf,
  recordTasksQuery,
  removeTask,
  type Task,
  type TaskPlace,
} from '../../api/tasks.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { moreIcon } from '../../parts/icons.tsx'
import { laterPart } from '../../parts/later.tsx'
import { Menu } from '../../parts/menu.tsx'
import { EmptyNote, ProblemNote, StaleNote, Waiting } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { TaskList, TaskUndo, useTaskChanges } from './task-list.tsx'
import './tasks.css'

const TaskDialog = laterPart(async () => (await import('./task-dialog.tsx')).TaskDialog)

/** The open dialog: of a task to add, to change or to remove. */
type OpenDialog = { readonly kind: 'save'; readonly task?: Task } | { kind: 'remove'; task: Task }

type TasksProps = {
  readonly place: TaskPlace
  /** Otherwise they are the user's own, which they complete. */
  readonly mayWrite: boolean
}

export const RecordTasks = ({ place, mayWrite }: TasksProps): ReactNode => {
  const { ofRecord } = useWorkTexts().tasks
  const texts = useWorkTexts().tasks
  const found = useQuery(recordTasksQuery(place))
  const changes = useTaskChanges()
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const retry = () => void found.refetch()
  if (!found.data)
    return found.error ? <ProblemNote error={found.error} onRetry={retry} /> : <Waiting />
  const done = found.data.filter(({ is_completed }) => is_completed)
  const open = found.data.filter(({ is_completed }) => !is_completed)
  const renderMenu = (task: Task) => <TaskMenu task={task} onOpen={setDialog} />
  const shown = { changes, hasAssignees: true, ...(mayWrite && { renderMenu }) }
  return (
    <section className="record-tasks" aria-label={ofRecord}>
      <StaleNote error={found.error} onRetry={retry} />
      <header>
        <TaskUndo changes={changes} />
        {mayWrite && <Button onClick={() => setDialog({ kind: 'save' })}>{texts.create}</Button>}
      </header>
      {open.length === 0 && <EmptyNote title={texts.noneOfRecord} />}
      <TaskList {...shown} tasks={open} />
      {done.length > 0 && (
        <details>
          <summary>{texts.statuses.completed(done.length)}</summary>
          <TaskList {...shown} tasks={done} />
        </details>
      )}
      {dialog?.kind === 'save' && <TaskDialog {...dialog} place={place} onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveTaskDialog task={dialog.task} onClose={close} />}
    </section>
  )
}

type MenuProps = { readonly task: Task; readonly onOpen: (dialog: OpenDialog) => void }

const TaskMenu = ({ task, onOpen }: MenuProps): ReactNode => {
  const texts = useWorkTexts().tasks
  return (
    <Menu
      label={texts.menuOf(task.description || texts.untitled)}
      face={moreIcon}
      items={[
        { label: texts.change, onSelect: () => onOpen({ kind: 'save', task }) },
        { label: texts.remove, onSelect: () => onOpen({ kind: 'remove', task }) },
      ]}
    />
  )
}

type DialogProps = { readonly task: Task; readonly onClose: () => void }

/** Confirms that a task is removed: it cannot be restored. */
const RemoveTaskDialog = ({ task, onClose }: DialogProps): ReactNode => {
  const tasks = useWorkTexts().tasks
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => removeTask(task),
    onSuccess: () => {
      void forgetTasks(client, placeOf(task))
      onClose()
    },
  })
  return (
    <Dialog title={tasks.removeTitle} onClose={onClose}>
      <p dir="auto">{task.description || tasks.untitled}</p>
      {remove.error && <p role="alert">{remove.error.message}</p>}
      <DialogActions onCancel={onClose}>
        <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {tasks.remove}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
