/** Creates a task of a record. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { isRefusal, newIdempotencyKey } from '../../api/idempotency-key.ts'
import { createTask, type Person, peopleQuery, type TaskPlace, tasksKey } from '../../api/tasks.ts'
import { Button } from '../../parts/button.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import { fromLocalTime } from '../values/local-time.ts'
import { useDelayed } from '../values/use-delayed.ts'
import { RecordPicker } from './record-picker.tsx'
import './tasks.css'

type DialogProps = {
  /** Where it is created from; without one the user picks the record. */
  readonly place?: TaskPlace
  readonly onClose: () => void
}

const maxDescription = 10_000

/** What is typed, and sending it once. */
const useNewTask = ({ place, onClose }: DialogProps) => {
  const client = useQueryClient()
  const { me } = useSession()
  const { timeZone } = useReading()
  const [description, setDescription] = useState('')
  const [due, setDue] = useState('')
  const [chosenPlace, setChosenPlace] = useState(place)
  const [assignee, setAssignee] = useState<Person | undefined>({
    id: me.id,
    full_name: me.full_name ?? null,
  })
  const [key, setKey] = useState(newIdempotencyKey)
  const create = useMutation({
    mutationFn: async () => {
      if (!chosenPlace) return
      const due_date = fromLocalTime(due, timeZone)
      const task = { description: description.trim(), due_date, assigne_id: assignee?.id ?? null }
      await createTask(chosenPlace, task, key)
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: tasksKey })
      onClose()
    },
    onError: (error) => {
      // What was refused will be sent changed.
      if (isRefusal(error)) setKey(newIdempotencyKey())
    },
  })
  return {
    ...{ description, setDescription, due, setDue, assignee, setAssignee },
    ...{ chosenPlace, setChosenPlace, create },
    isComplete: description.trim() !== '' && chosenPlace !== undefined,
  }
}

export const NewTaskDialog = (props: DialogProps): ReactNode => {
  const { tasks: texts, common } = useTexts()
  const id = useId()
  const form = useNewTask(props)
  const { create } = form
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <Dialog title={texts.create} onClose={props.onClose}>
      <form className="task-form" onSubmit={submit}>
        <div>
          <label htmlFor={`${id}-description`}>{texts.description}</label>
          <textarea
            id={`${id}-description`}
            className="field-input"
            dir="auto"
            rows={3}
            required
            maxLength={maxDescription}
            value={form.description}
            onChange={({ target }) => form.setDescription(target.value)}
          />
        </div>
        {props.place === undefined && (
          <RecordPicker id={`${id}-record`} onChoose={form.setChosenPlace} />
        )}
        <Assignee id={`${id}-assignee`} chosen={form.assignee} onChoose={form.setAssignee} />
        <div>
          <label htmlFor={`${id}-due`}>{texts.due}</label>
          <input
            id={`${id}-due`}
            className="field-input"
            type="datetime-local"
            value={form.due}
            onChange={({ target }) => form.setDue(target.value)}
          />
        </div>
        {create.error && (
          <p role="alert" className="task-error">
            {create.error.message}
          </p>
        )}
        <div className="dialog-actions">
          <Button look="quiet" onClick={props.onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" look="primary" disabled={!form.isComplete || create.isPending}>
            {texts.create}
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
  const { tasks: texts, record } = useTexts()
  const { me } = useSession()
  const [words, setWords] = useState<string>()
  const sought = useDelayed(words?.trim() ?? '', searchDelayMs)
  const found = useQuery({ ...peopleQuery(sought), enabled: words !== undefined })
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
        chosen={chosen ? nameOf(chosen) : ''}
        onWords={setWords}
        onChoose={(option) => onChoose(option?.person)}
      />
    </div>
  )
}
