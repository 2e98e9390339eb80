/** The draft of a task: what is typed, sending it, and merging it with what others have saved. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isRefusal, statusOf } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import {
  changeTask,
  createTask,
  forgetTasks,
  type NewTask,
  type Person,
  recordTasksQuery,
  type Task,
  type TaskPlace,
} from '../../api/tasks.ts'
import type { Me } from '../../api/types.ts'
import { useKeptForm } from '../forms/kept-form.tsx'
import type { ChosenRecord } from '../search/record-picker.tsx'
import { useReading, useSession } from '../session/session.ts'
import { fromLocalTime, toLocalTime } from '../values/local-text.ts'

export type TaskFormProps = {
  /** The record of a new task; without one the user picks it. */
  readonly place?: TaskPlace
  /** The task that is changed. */
  readonly task?: Task
  readonly onClose: () => void
}

/** What is typed. */
type TypedTask = {
  readonly description: string
  /** A local time in the zone of the user, or typed text that cannot be read. */
  readonly due: string
  readonly assignee: Person | undefined
  /** The record that the user picked. */
  readonly chosen: ChosenRecord | undefined
}

/** A field of the form, and its column. */
const columns = { description: 'description', due: 'due_date', assignee: 'assigne_id' } as const
type FormField = keyof typeof columns
const formFields: readonly FormField[] = ['description', 'due', 'assignee']

/** A field that the user and another user changed to different values. */
export type TaskConflict = { readonly field: FormField; readonly theirs: TypedTask }

/** Whether another user has saved first. */
export const isStale = (error: Error): boolean => statusOf(error) === 412

/** The key of everything that is read of a record. */
const recordKey = ({ entity, id }: TaskPlace) => [userKey, 'record', entity, id]

/** The name of the draft: of a task, of a record, or of the page of tasks. */
const draftName = ({ place, task }: TaskFormProps): string => {
  if (task) return `${task.key}/${task.entity_id} task ${task.id}`
  return place ? `${place.entity}/${place.id} task` : 'task'
}

/** A new task belongs to the user until another one is chosen. */
const firstAssignee = (me: Me, changed: Task | undefined): Person | undefined => {
  if (!changed) return { id: me.id, full_name: me.full_name ?? null }
  return changed.assigne ?? undefined
}

/** Converts between a task of the service and the values of the form. */
const useConversion = () => {
  const { me } = useSession()
  const { timeZone } = useReading()
  const formOf = (task: Task | undefined): TypedTask => ({
    description: task?.description ?? '',
    due: toLocalTime(task?.due_date ?? '', timeZone),
    assignee: firstAssignee(me, task),
    chosen: undefined,
  })
  const bodyOf = ({ description, due, assignee }: TypedTask): NewTask => ({
    description: description.trim(),
    due_date: fromLocalTime(due, timeZone),
    assigne_id: assignee?.id ?? null,
  })
  const differ = (one: TypedTask, other: TypedTask): readonly FormField[] =>
    formFields.filter((field) => bodyOf(one)[columns[field]] !== bodyOf(other)[columns[field]])
  return { formOf, bodyOf, differ }
}

/** Which columns of tasks the role of the user may not write. */
export const useReadOnlyOfTasks = (): ((column: string) => boolean) => {
  const fields = useSession().entities.get('task')?.fields ?? []
  return (name) => fields.some(({ column, isReadOnly }) => column === name && isReadOnly === true)
}

/** Merges what was typed on an earlier version with the version that others saved. */
const useVersions = (props: TaskFormProps) => {
  const { formOf, bodyOf, differ } = useConversion()
  const [base, setBase] = useState(props.task)
  const [conflicts, setConflicts] = useState<readonly TaskConflict[]>([])
  const compare = (mine: TypedTask, before: TypedTask, theirs: TypedTask) => {
    const touched = differ(before, theirs)
    const typed = differ(mine, before)
    const open = differ(mine, theirs).filter((f) => typed.includes(f) && touched.includes(f))
    setConflicts(open.map((field) => ({ field, theirs })))
    return touched.filter((field) => !typed.includes(field))
  }
  // A restored draft must not overwrite what others have saved since.
  const kept = useKeptForm<TypedTask>(draftName(props), formOf(props.task), (mine, before) => {
    const theirs = formOf(props.task)
    if (props.task) compare(mine, { ...theirs, ...before }, theirs)
  })
  const merge = (current: Task) => {
    const theirs = formOf(current)
    const taken = compare(kept.values, formOf(base), theirs)
    kept.set(Object.fromEntries(taken.map((field) => [field, theirs[field]])))
    setBase(current)
  }
  const settle = (field: FormField) =>
    setConflicts((all) => all.filter((one) => one.field !== field))
  const takeTheirs = ({ field, theirs }: TaskConflict) => {
    kept.set({ [field]: theirs[field] })
    settle(field)
  }
  const discard = () => {
    kept.set(formOf(base))
    setConflicts([])
  }
  const body = bodyOf(kept.values)
  const changes = Object.fromEntries(
    differ(kept.values, formOf(base)).map((field) => [columns[field], body[columns[field]]]),
  )
  return {
    base,
    body,
    changes,
    conflicts,
    merge,
    takeTheirs,
    keepMine: settle,
    kept: { ...kept, discard },
  }
}

/** The form of a task, sent once; of a changed task only the changed fields, on the version that was read. */
export const useTaskForm = (props: TaskFormProps) => {
  const client = useQueryClient()
  const { base, body, changes, merge, ...form } = useVersions(props)
  const { kept } = form
  const isReadOnly = useReadOnlyOfTasks()
  const written = Object.entries(body).filter(([column]) => !isReadOnly(column))
  const place = props.place ?? kept.values.chosen?.place
  const save = useMutation({
    mutationFn: async () => {
      if (!place) return
      if (!base) await createTask(place, Object.fromEntries(written), kept.idempotencyKey)
      else if (Object.keys(changes).length > 0) await changeTask(base, changes)
    },
    onSuccess: () => {
      kept.forget()
      if (place) void forgetTasks(client, place)
      props.onClose()
    },
    onError: async (error) => {
      // The next request differs from the refused one.
      if (isRefusal(error)) kept.renewKey()
      if (!place) return
      // The record may be gone; its page then says so.
      void client.invalidateQueries({ queryKey: recordKey(place) })
      if (!isStale(error)) return
      const query = { ...recordTasksQuery(place), staleTime: 0 }
      const tasks = await client.fetchQuery(query).catch(() => undefined)
      const current = tasks?.find(({ id }) => id === base?.id)
      if (current) merge(current)
    },
  })
  const isComplete = kept.values.description.trim() !== '' && place !== undefined
  return { ...form, save, isComplete, isReadOnly }
}

export type TaskForm = ReturnType<typeof useTaskForm>
