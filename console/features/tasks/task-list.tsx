/** Tasks, each with a box that completes it, and a bar that undoes the last completion. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { placeKey } from '../../api/record-names.ts'
import { completeTask, forgetTasks, type Person, placeOf, type Task } from '../../api/tasks.ts'
import { Button } from '../../parts/button.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { useReading, useSession } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import { useReadOnlyOfTasks } from './use-task-form.ts'
import './tasks.css'

type ListProps = {
  readonly tasks: readonly Task[]
  readonly changes: TaskChanges
  /** The names of their records; undefined in the list of one record. */
  readonly names?: ReadonlyMap<string, string> | undefined
  /** Whether they belong to several users. */
  readonly hasAssignees?: boolean
  /** The menu of a task. */
  readonly renderMenu?: (task: Task) => ReactNode
}

export const TaskList = ({ tasks, ...rest }: ListProps): ReactNode => (
  <ul className="task-list">
    {tasks.map((task) => (
      <li key={task.id}>
        <TaskItem {...rest} task={task} />
      </li>
    ))}
  </ul>
)

type ItemProps = Omit<ListProps, 'tasks'> & { readonly task: Task }

const TaskItem = (props: ItemProps): ReactNode => {
  const { task, changes, names, hasAssignees = false, renderMenu } = props
  const texts = useWorkTexts().tasks
  const personName = usePersonName()
  const id = useId()
  const isReadOnly = useReadOnlyOfTasks()
  const { pending } = changes
  const isCompleted =
    pending?.task.id === task.id ? pending.isCompleted : task.is_completed === true
  return (
    <div className="task" data-completed={isCompleted || undefined}>
      <input
        id={id}
        type="checkbox"
        className="task-box"
        checked={isCompleted}
        disabled={task.is_completed === undefined || isReadOnly('is_completed')}
        onChange={({ target }) => changes.setCompleted(task, target.checked)}
      />
      <div className="task-text">
        <label htmlFor={id} dir="auto" title={task.description ?? undefined}>
          {task.description || texts.untitled}
        </label>
        {names && <Place task={task} names={names} />}
        {hasAssignees && task.assigne && (
          <span className="task-place">
            <span dir="auto">{personName(task.assigne)}</span>
          </span>
        )}
      </div>
      {task.due_date && <Due due={task.due_date} isCompleted={isCompleted} />}
      {renderMenu?.(task)}
    </div>
  )
}

type PlaceProps = { readonly task: Task; readonly names: ReadonlyMap<string, string> }

/** The record of a task, where the user may see it. */
const Place = ({ task, names }: PlaceProps): ReactNode => {
  const entity = useSession().entities.get(task.key)
  const place = { entity: task.key, id: task.entity_id }
  const name = names.get(placeKey(place))
  if (!entity || name === undefined) return null
  return (
    <span className="task-place">
      <RecordLink {...place}>{name === '' ? `${entity.name} ${task.entity_id}` : name}</RecordLink>
      <span dir="auto">{entity.name}</span>
    </span>
  )
}

type DueProps = { readonly due: string; readonly isCompleted: boolean }

const Due = ({ due, isCompleted }: DueProps): ReactNode => {
  const texts = useWorkTexts().tasks
  const reading = useReading()
  const isOverdue = !isCompleted && Date.parse(due) < Date.now()
  const text = formatMoment(due, reading)
  return (
    <time className="task-due" dateTime={due} data-overdue={isOverdue || undefined}>
      {isOverdue ? texts.overdueSince(text) : text}
    </time>
  )
}

/** The last completion, and its undo; screen readers announce it. */
export const TaskUndo = ({ changes }: { readonly changes: TaskChanges }): ReactNode => {
  const { common } = useTexts()
  const texts = useWorkTexts().tasks
  const { last, undo, error } = changes
  return (
    <>
      <div role="status" className="task-undo" hidden={!last}>
        {last && (
          <>
            <span dir="auto">
              {(last.isCompleted ? texts.completed : texts.reopened)(
                last.task.description || texts.untitled,
              )}
            </span>
            <Button onClick={undo}>{common.undo}</Button>
          </>
        )}
      </div>
      {error && (
        <p role="alert" className="task-error">
          {error.message}
        </p>
      )}
    </>
  )
}

type Change = { readonly task: Task; readonly isCompleted: boolean; readonly isUndo?: boolean }

/** Completes and reopens tasks at once, and undoes the last change. */
export const useTaskChanges = () => {
  const texts = useWorkTexts().tasks
  const client = useQueryClient()
  const [last, setLast] = useState<Change>()
  const { mutate, error, variables, isPending } = useMutation({
    mutationFn: ({ task, isCompleted }: Change) => completeTask(task, isCompleted),
    onSuccess: (_answer, change) => {
      setLast(change.isUndo ? undefined : change)
      return forgetTasks(client, placeOf(change.task))
    },
    // The task may have been removed or assigned to another user.
    onError: (_error, { task }) => forgetTasks(client, placeOf(task)),
  })
  const undo = last
    ? () => mutate({ task: last.task, isCompleted: !last.isCompleted, isUndo: true })
    : undefined
  useShortcuts(undo ? [{ keys: 'z', label: texts.undo, run: undo }] : [])
  return {
    /** The change that is being written. */
    pending: isPending ? variables : undefined,
    last,
    error,
    undo,
    setCompleted: (task: Task, isCompleted: boolean) => mutate({ task, isCompleted }),
  }
}

type TaskChanges = ReturnType<typeof useTaskChanges>

/** Prints the name; the id for a role that hides names, and nothing without a user. */
export const usePersonName = (): ((person: Person | null | undefined) => string) => {
  const { record } = useTexts()
  const { me } = useSession()
  return (person) => {
    if (!person) return ''
    const name = person.full_name ?? `${person.id}`
    return person.id === me.id ? record.you(name) : name
  }
}
