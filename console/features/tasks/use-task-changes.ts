/** Completes tasks at once, and takes the last one back. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { completeTask, forgetTasks, placeOf, type Task } from '../../api/tasks.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../session/shortcuts.ts'

type Change = { readonly task: Task; readonly isCompleted: boolean; readonly isUndo?: boolean }

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
    // It may have been removed or assigned to somebody else.
    onError: (_error, { task }) => forgetTasks(client, placeOf(task)),
  })
  const undo = last
    ? () => mutate({ task: last.task, isCompleted: !last.isCompleted, isUndo: true })
    : undefined
  useShortcuts(undo ? [{ keys: 'z', label: texts.undo, run: undo }] : [])
  return {
    /** The task that is being written, as it will be. */
    pending: isPending ? variables : undefined,
    last,
    error,
    undo,
    setCompleted: (task: Task, isCompleted: boolean) => mutate({ task, isCompleted }),
  }
}

export type TaskChanges = ReturnType<typeof useTaskChanges>
