/** What somebody else saved of a task meanwhile: theirs is shown beside what is typed, and one of both is chosen. */
import type { ReactNode } from 'react'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import { fromLocalTime } from '../values/local-time.ts'
import { usePersonName } from './person-name.tsx'
import { isStale, type TaskConflict, type TaskForm } from './use-task-form.ts'

export const TaskConflicts = ({ form }: { readonly form: TaskForm }): ReactNode => {
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

/** Their value as a text. */
const useTheirs = ({ field, theirs }: TaskConflict): string => {
  const reading = useReading()
  const person = usePersonName(theirs.assignee?.id ?? null)
  const due = fromLocalTime(theirs.due, reading.timeZone)
  if (field === 'due') return due === null ? '' : formatMoment(due, reading)
  return field === 'assignee' ? person : theirs.description
}
