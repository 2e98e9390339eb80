/** What may be done with a thread: reply to it, resolve it, open it again. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  type Comment,
  type CommentPlace,
  forgetComments,
  resolveThread,
} from '../../api/records/comments.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'

type ActionsProps = {
  readonly place: CommentPlace
  readonly first: Comment
  readonly onReply: () => void
}

export const ThreadActions = ({ place, first, onReply }: ActionsProps): ReactNode => {
  const texts = useWorkTexts().comments
  const client = useQueryClient()
  const resolve = useMutation({
    mutationFn: (isResolved: boolean) => resolveThread(place, first, isResolved),
    onSettled: () => forgetComments(client, place),
  })
  const isResolved = first.resolved_at !== null
  return (
    <div className="thread-actions">
      <Button look="quiet" onClick={onReply}>
        {texts.reply}
      </Button>
      <Button look="quiet" disabled={resolve.isPending} onClick={() => resolve.mutate(!isResolved)}>
        {isResolved ? texts.reopen : texts.resolve}
      </Button>
      {resolve.error && <p role="alert">{resolve.error.message}</p>}
    </div>
  )
}
