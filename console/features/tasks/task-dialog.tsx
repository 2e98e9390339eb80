/** The form of a task: a new one of a record, or one that is changed. */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { type Person, peopleQuery } from '../../api/tasks.ts'
import { Button } from '../../parts/button.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { RestoredNote } from '../forms/kept-form.tsx'
import { GoneNote, type TypedLines, useOpenForm } from '../forms/open-form.tsx'
import { RecordPicker } from '../search/record-picker.tsx'
import { useReading, useSession } from '../session/session.ts'
import { TemporalInput } from '../values/temporal-input.tsx'
import { useDelayed } from '../values/use-delayed.ts'
import { usePersonName } from './person-name.tsx'
import { takesTasks } from './takes-tasks.ts'
import { TaskConflicts } from './task-conflicts.tsx'
import { isStale, type TaskFormProps, useTaskForm } from './use-task-form.ts'
import './tasks.css'

const maxDescription = 10_000

export const TaskDialog = (props: TaskFormProps): ReactNode => {
  const { common } = useTexts()
  const texts = useWorkTexts().tasks
  const { timeZone } = useReading()
  const id = useId()
  const form = useTaskForm(props)
  const { kept, save, isComplete, conflicts } = form
  const { isGone } = useOpenForm()
  const { description, due, assignee, chosen } = kept.values
  const title = props.task ? texts.change : texts.create
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isGone && conflicts.length === 0) save.mutate()
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
          <div>
            <label htmlFor={`${id}-record`}>{texts.record}</label>
            <RecordPicker
              id={`${id}-record`}
              label={texts.record}
              chosen={chosen?.label ?? ''}
              accepts={takesTasks}
              onChoose={(next) => kept.set({ chosen: next })}
            />
            <small className="task-place">{texts.recordHelp}</small>
          </div>
        )}
        <Assignee
          id={`${id}-assignee`}
          chosen={assignee}
          onChoose={(next) => kept.set({ assignee: next })}
        />
        <div>
          <label htmlFor={`${id}-due`}>{texts.due}</label>
          <TemporalInput
            id={`${id}-due`}
            hasTime
            day="ends"
            value={due}
            timeZone={timeZone}
            onChange={(next) => kept.set({ due: next })}
          />
        </div>
        {isGone && <GoneNote lines={lines} />}
        <TaskConflicts form={form} />
        {save.error && !isGone && !isStale(save.error) && (
          <p role="alert" className="task-error">
            {save.error.message}
          </p>
        )}
        <DialogActions onCancel={props.onClose}>
          <Button
            type="submit"
            look="primary"
            disabled={!isComplete || save.isPending || isGone || conflicts.length > 0}
          >
            {props.task ? common.save : texts.create}
          </Button>
        </DialogActions>
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
  const texts = useWorkTexts().tasks
  const { me } = useSession()
  const valueTexts = useWorkTexts().values
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
    person,
    key: `${person.id}`,
    label: nameOf(person),
  }))
  return (
    <div>
      <label htmlFor={id}>{texts.assignee}</label>
      <Combobox
        id={id}
        words={words}
        options={options}
        label={texts.assignee}
        chosen={chosen?.full_name === null ? known : chosen ? nameOf(chosen) : ''}
        unknown={valueTexts.choose}
        onWords={setWords}
        onChoose={(option) => onChoose(option?.person)}
      />
    </div>
  )
}
