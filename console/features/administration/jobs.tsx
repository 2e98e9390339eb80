/** The columns of jobs, and the question before some are removed: what they were to do then never happens. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Job, jobQueue, removeJob } from '../../api/admin/queue.ts'
import { ApiProblem } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import type { TableColumn } from '../../parts/data-table.tsx'
import { Dialog, DialogActions, DialogButton } from '../../parts/dialog.tsx'
import { type AdminTexts, useAdminTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import type { RemoveProps } from './queue-list.tsx'
import { errorColumn, Moment, statusColumn } from './work-table.tsx'

export const jobColumns = (all: AdminTexts): readonly TableColumn<Job>[] => {
  const { jobs: texts, tries, created } = all
  return [
    { key: 'task', label: texts.task, isWide: true, render: (job) => <Task job={job} /> },
    { key: 'record', label: texts.about, render: ({ payload }) => <About payload={payload} /> },
    statusColumn(all, texts.statuses),
    {
      key: 'tries',
      label: tries,
      isNumeric: true,
      render: ({ attempts, max_attempts: most }) => texts.triesOf(attempts, most),
    },
    { key: 'created', label: created, render: ({ created_at: at }) => <Moment at={at} /> },
    {
      key: 'run',
      label: texts.runAt,
      render: ({ run_at: at, status: key }) => (key === 'dead' ? null : <Moment at={at} />),
    },
    errorColumn(all),
  ]
}

type JobProps = { readonly job: Job }

/** The kind of the job, with its input and where it runs behind it. */
const Task = ({ job }: JobProps): ReactNode => {
  const { jobs: texts } = useAdminTexts()
  const { id, task, payload, worker, last_error: error } = job
  const others = [
    [texts.error, error],
    [texts.worker, worker],
  ].filter(([, value]) => value !== null)
  return (
    <details className="job-details">
      <summary>
        <bdi>{task}</bdi> <small className="admin-note">{id}</small>
      </summary>
      {others.map(([label, value]) => (
        <p key={label}>
          {label}: <bdi>{value}</bdi>
        </p>
      ))}
      <pre className="admin-code" dir="auto">
        {JSON.stringify(payload, null, 2)}
      </pre>
    </details>
  )
}

type Cause = { readonly entity: string; readonly id: number }

/** The record whose change a job follows, where its input names one. */
const causeOf = (payload: unknown): Cause | undefined => {
  if (typeof payload !== 'object' || payload === null) return undefined
  const { entity_key: entity, entity_id: id } = payload as Readonly<Record<string, unknown>>
  return typeof entity === 'string' && typeof id === 'number' ? { entity, id } : undefined
}

const About = ({ payload }: { readonly payload: unknown }): ReactNode => {
  const { recordOf } = useAdminTexts()
  const { entities } = useSession()
  const cause = causeOf(payload)
  if (!cause) return null
  const { entity, id } = cause
  return (
    <Link to="/$entity/$id" params={{ entity, id: `${id}` }} dir="auto">
      {recordOf(entities.get(entity)?.name ?? entity, id)}
    </Link>
  )
}

/** A job that is done meanwhile is gone as well. */
const unlessGone = (error: unknown): void => {
  if (!(error instanceof ApiProblem && error.status === 404)) throw error
}

/** Removes the selected jobs after a question. */
export const RemoveJobs = (props: RemoveProps): ReactNode => {
  const { jobs: texts } = useAdminTexts()
  return (
    <DialogButton look="danger" dialog={(onClose) => <RemoveDialog {...props} onClose={onClose} />}>
      {texts.removeMany}
    </DialogButton>
  )
}

type DialogProps = RemoveProps & { readonly onClose: () => void }

const RemoveDialog = ({ ids, onDone, onClose }: DialogProps): ReactNode => {
  const { jobs: texts } = useAdminTexts()
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: async () => {
      for (const id of ids) await removeJob(id).catch(unlessGone)
    },
    onSuccess: onDone,
    // Some may be gone although another one was refused.
    onSettled: () => client.invalidateQueries({ queryKey: jobQueue.key }),
  })
  return (
    <Dialog title={texts.removeTitle(ids.length)} onClose={onClose}>
      <p>{texts.removeWarning}</p>
      {remove.error && <p role="alert">{remove.error.message}</p>}
      <DialogActions onCancel={onClose}>
        <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {texts.remove}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
