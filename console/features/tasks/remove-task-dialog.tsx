/** Asks before a task is removed: it does not come back. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { forgetTasks, placeOf, removeTask, type Task } from '../../api/tasks.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useWorkTexts } from '../../texts/texts.ts'

type DialogProps = { readonly task: Task; readonly onClose: () => void }

export const RemoveTaskDialog = ({ task, onClose }: DialogProps): ReactNode => {
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
