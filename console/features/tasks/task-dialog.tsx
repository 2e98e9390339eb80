/** The form of a task: a new one of a record, or one that is changed. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { isRefusal } from '../../api/idempotency-key.ts'
import { userKey } from '../../api/queries.ts'
import {
  changeTask,
  createTask,
  forgetTasks,
  type Person,
  peopleQuery,
  type Task,
  type TaskPlace,
} from '../../api/tasks.ts'
import type { Me } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useTaskTexts } from '../../texts/tasks/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { RestoredNote } from '../drafts/restored-note.tsx'
import { useKeptForm } from '../drafts/use-kept-form.ts'
import type { TypedLines } from '../forms/copy-typed.tsx'
import { GoneNote } from '../forms/gone-note.tsx'
import { useOpenForm } from '../forms/open-forms.ts'
import { useReading, useSession } from '../session/session.ts'
import { fromLocalTime, toLocalTime } from '../values/local-time.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { usePersonName } from './person-name.tsx'
import { type ChosenRecord, RecordPicker } from './record-picker.tsx'
import './tasks.css'

type DialogProps = {
  /** Where it is created from; without one the user picks the record. */
  readonly place?: TaskPlace
  /** One that is changed. */
  readonly task?: Task
  readonly onClose: () => void
}

/** Of everything that is read of a record. */
const recordKey = ({ entity, id }: TaskPlace) => [userKey, 'record', entity, id]

const maxDescription = 10_000

/** What is typed. */
type TypedTask = {
  readonly description: string
  /** As the input of the browser has it, in the zone of the user. */
  readonly due: string
  readonly assignee: Person | undefined
  /** Where the user has found the record. */
  readonly chosen: ChosenRecord | undefined
}

/** The form among all drafts: of a task, of a record, or of the page of tasks. */
const draftName = ({ place, task }: DialogProps): string => {
  if (task) return `${task.key}/${task.entity_id} task ${task.id}`
  return place ? `${place.entity}/${place.id} task` : 'task'
}

/** What is typed, kept until it is sent, and sending it once. */
const useTaskForm = (props: DialogProps) => {
  const { task: changed, onClose } = props
  const client = useQueryClient()
  const { me } = useSession()
  const { timeZone } = useReading()
  const kept = useKeptForm<TypedTask>(draftName(props), {
    description: changed?.description ?? '',
    due: toLocalTime(changed?.due_date ?? '', timeZone),
    assignee: firstAssignee(me, changed),
    chosen: undefined,
  })
  const { description, due, assignee, chosen } = kept.values
  const place = props.place ?? chosen?.place
  const save = useMutation({
    mutationFn: async () => {
      if (!place) return
      const due_date = fromLocalTime(due, timeZone)
      const task = { description: description.trim(), due_date, assigne_id: assignee?.id ?? null }
      await (changed ? changeTask(changed, task) : createTask(place, task, kept.idempotencyKey))
    },
    onSuccess: () => {
      kept.forget()
      if (place) void forgetTasks(client, place)
      onClose()
    },
    onError: (error) => {
      // What was refused will be sent changed.
      if (isRefusal(error)) kept.renewKey()
      // The record may be gone, which its page says.
      if (place) void client.invalidateQueries({ queryKey: recordKey(place) })
    },
  })
  return { kept, save, isComplete: description.trim() !== '' && place !== undefined }
}

/** A new task is one's own, until it is given to somebody else. */
const firstAssignee = (me: Me, changed: Task | undefined): Person | undefined => {
  if (!changed) return { id: me.id, full_name: me.full_name ?? null }
  const { assigne_id: id } = changed
  return typeof id === 'number' ? { id, full_name: null } : undefined
}

export const TaskDialog = (props: DialogProps): ReactNode => {
  const { common } = useTexts()
  const texts = useTaskTexts()
  const id = useId()
  const { kept, save, isComplete } = useTaskForm(props)
  const { isGone } = useOpenForm()
  const { description, due, assignee, chosen } = kept.values
  const title = props.task ? texts.change : texts.create
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isGone) save.mutate()
  }
  const lines: TypedLines = [
    [texts.description, description],
    [texts.due, due],
  ]
  return (
    <Dialog title={title} onClose={props.onClose}>
      <form className="task-form" onSubmit={submit}>
        <RestoredNote kept={kept} />
        <div>
          <label htmlFor={`${id}-description`}>{texts.description}</label>
          <textarea
            id={`${id}-description`}
            className="field-input"
            dir="auto"
            rows={3}
            required
            maxLength={maxDescription}
            value={description}
            onChange={({ target }) => kept.set({ description: target.value })}
          />
        </div>
        {props.place === undefined && (
          <RecordPicker
            id={`${id}-record`}
            chosen={chosen}
            onChoose={(next) => kept.set({ chosen: next })}
          />
        )}
        <Assignee
          id={`${id}-assignee`}
          chosen={assignee}
          onChoose={(next) => kept.set({ assignee: next })}
        />
        <div>
          <label htmlFor={`${id}-due`}>{texts.due}</label>
          <input
            id={`${id}-due`}
            className="field-input"
            type="datetime-local"
            value={due}
            onChange={({ target }) => kept.set({ due: target.value })}
          />
        </div>
        {isGone && <GoneNote lines={lines} />}
        {save.error && !isGone && (
          <p role="alert" className="task-error">
            {save.error.message}
          </p>
        )}
        <div className="dialog-actions">
          <Button look="quiet" onClick={props.onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" look="primary" disabled={!isComplete || save.isPending || isGone}>
            {props.task ? common.save : texts.create}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

type AssigneeProps = {
  readonly id: string
  readonly chosen: Person | undefined
  readonly onChoose: (person: Person | undefined) => void
}

const searchDelayMs = 150

const Assignee = ({ id, chosen, onChoose }: AssigneeProps): ReactNode => {
  const { record } = useTexts()
  const texts = useTaskTexts()
  const { me } = useSession()
  const [words, setWords] = useState<string>()
  const sought = useDelayed(words?.trim() ?? '', searchDelayMs)
  const found = useQuery({ ...peopleQuery(sought), enabled: words !== undefined })
  const known = usePersonName(chosen?.id ?? null)
  const nameOf = ({ id: userId, full_name: name }: Person) => {
    const shown = name ?? `${userId}`
    return userId === me.id ? record.you(shown) : shown
  }
  // What was found for other words must not be chosen by a key that comes too early.
  const isCurrent = sought === words?.trim() && !found.isPlaceholderData
  const options = (isCurrent ? (found.data ?? []) : []).map((person) => ({
    ...{ person, key: `${person.id}`, label: nameOf(person) },
  }))
  return (
    <div>
      <label htmlFor={id}>{texts.assignee}</label>
      <Combobox
        {...{ id, words, options }}
        label={texts.assignee}
        chosen={chosen?.full_name === null ? known : chosen ? nameOf(chosen) : ''}
        onWords={setWords}
        onChoose={(option) => onChoose(option?.person)}
      />
    </div>
  )
}
