/** The form of a task: a new one of a record, or one that is changed, with what others saved meanwhile. */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { type Person, peopleQuery, takesTasks } from '../../api/tasks.ts'
import { Button } from '../../parts/button.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { RestoredNote } from '../forms/kept-form.tsx'
import { GoneNote, type TypedLines, useOpenForm } from '../forms/open-form.tsx'
import { RecordPicker } from '../search/record-picker.tsx'
import { useReading } from '../session/session.ts'
import { fromLocalTime } from '../values/local-text.ts'
import { TemporalInput } from '../values/temporal-input.tsx'
import { useDelayed } from '../values/use-delayed.ts'
import { usePersonName } from './task-list.tsx'
import {
  isStale,
  type TaskConflict,
  type TaskForm,
  type TaskFormProps,
  useTaskForm,
} from './use-task-form.ts'
import './tasks.css'

const maxDescription = 10_000

export const TaskDialog = (props: TaskFormProps): ReactNode => {
  const { common } = useTexts()
  const texts = useWorkTexts().tasks
  const { timeZone } = useReading()
  const id = useId()
  const form = useTaskForm(props)
  const { kept, save, isComplete, conflicts, isReadOnly } = form
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
            readOnly={isReadOnly('description')}
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
        {!isReadOnly('assigne_id') && (
          <Assignee
            id={`${id}-assignee`}
            chosen={assignee}
            onChoose={(next) => kept.set({ assignee: next })}
          />
        )}
        {!isReadOnly('due_date') && (
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
        )}
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
  const texts = useWorkTexts().tasks
  const nameOf = usePersonName()
  const valueTexts = useWorkTexts().values
  const [words, setWords] = useState<string>()
  const searched = useDelayed(words?.trim() ?? '', searchDelayMs)
  const found = useQuery({ ...peopleQuery(searched), enabled: words !== undefined })
  // Results for other words must not be chosen by a key that is pressed too early.
  const isCurrent = searched === words?.trim() && !found.isPlaceholderData
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
        chosen={nameOf(chosen)}
        unknown={valueTexts.choose}
        onWords={setWords}
        onChoose={(option) => onChoose(option?.person)}
      />
    </div>
  )
}

/** Fields that another user has saved meanwhile: both values, one of which the user chooses. */
const TaskConflicts = ({ form }: { readonly form: TaskForm }): ReactNode => {
  const recordPage = useWorkTexts().record
  const { conflicts, save } = form
  if (conflicts.length > 0)
    return conflicts.map((one) => <Conflict key={one.field} conflict={one} form={form} />)
  return save.error && isStale(save.error) && <p role="alert">{recordPage.merged}</p>
}

type ConflictProps = { readonly conflict: TaskConflict; readonly form: TaskForm }

const Conflict = ({ conflict, form }: ConflictProps): ReactNode => {
  const recordPage = useWorkTexts().record
  const texts = useWorkTexts().tasks
  const text = useTheirs(conflict)
  return (
    <div className="field-conflict" role="alert">
      <span dir="auto">
        {texts[conflict.field]}: {recordPage.theirs(text)}
      </span>
      <Button onClick={() => form.keepMine(conflict.field)}>{recordPage.keepMine}</Button>
      <Button onClick={() => form.takeTheirs(conflict)}>{recordPage.takeTheirs}</Button>
    </div>
  )
}

/** The value of the other user as a text. */
const useTheirs = ({ field, theirs }: TaskConflict): string => {
  const reading = useReading()
  const nameOf = usePersonName()
  const due = fromLocalTime(theirs.due, reading.timeZone)
  if (field === 'due') return due === null ? '' : formatMoment(due, reading)
  return field === 'assignee' ? nameOf(theirs.assignee) : theirs.description
}
