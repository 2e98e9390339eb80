/** Asks before jobs are forgotten, because what they were to do then never happens. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { jobsKey, removeJob } from '../../api/admin/jobs.ts'
import { ApiProblem } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useAdminTexts } from '../../texts/texts.ts'

/** A job that is done meanwhile is gone as well. */
const unlessGone = (error: unknown): void => {
  if (!(error instanceof ApiProblem && error.status === 404)) throw error
}

type DialogProps = {
  readonly ids: readonly number[]
  readonly onDone: () => void
  readonly onClose: () => void
}

export const RemoveJobsDialog = ({ ids, onDone, onClose }: DialogProps): ReactNode => {
  const { jobs: texts } = useAdminTexts()
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: async () => {
      for (const id of ids) await removeJob(id).catch(unlessGone)
    },
    onSuccess: onDone,
    // Some may be gone although another one was refused.
    onSettled: () => client.invalidateQueries({ queryKey: jobsKey }),
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
