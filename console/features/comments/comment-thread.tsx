/** A comment of a record with its replies, and what may be done with each of them. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { OpenActions } from '../../api/open-actions.ts'
import {
  type Comment,
  type CommentPlace,
  forgetComments,
  resolveThread,
} from '../../api/records/comments.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import { useAuthorName } from '../session/user-names.tsx'
import { CommentForm } from './comment-form.tsx'
import { CommentItem } from './comment-item.tsx'
import { focusComment, type Thread } from './threads.ts'
import './comments.css'

type ThreadProps = {
  readonly place: CommentPlace
  readonly thread: Thread
  readonly may: OpenActions['may']
  /** The comment to which the address leads. */
  readonly target: number | undefined
}

export const CommentThread = ({ place, thread, may, target }: ThreadProps): ReactNode => {
  const texts = useWorkTexts().comments
  const { first, replies } = thread
  const [isReplying, setIsReplying] = useState(false)
  const shown = { place, may, target }
  const closeReply = () => {
    setIsReplying(false)
    if (first) focusComment(first.id)
  }
  return (
    <div className="comment-thread" data-resolved={Boolean(first?.resolved_at) || undefined}>
      {first ? (
        <CommentItem {...shown} comment={first} />
      ) : (
        <p className="comment-note">{texts.repliesToEarlier}</p>
      )}
      {replies.length > 0 && (
        <ol className="comment-replies" aria-label={texts.replies}>
          {replies.map((reply) => (
            <li key={reply.id}>
              <CommentItem {...shown} comment={reply} />
            </li>
          ))}
        </ol>
      )}
      {first?.resolved_at && <Resolved first={first} at={first.resolved_at} />}
      {first && may.comments && !first.is_removed && !isReplying && (
        <ThreadActions place={place} first={first} onReply={() => setIsReplying(true)} />
      )}
      {first && isReplying && (
        <CommentForm
          label={texts.replyTo(first.user?.full_name ?? texts.somebody)}
          place={place}
          parent={first}
          isInternal={first.is_internal}
          isFirst
          onWritten={closeReply}
          onCancel={closeReply}
        />
      )}
    </div>
  )
}

type ResolvedProps = { readonly first: Comment; readonly at: string }

const Resolved = ({ first: { resolved_by: by }, at }: ResolvedProps): ReactNode => {
  const texts = useWorkTexts().comments
  const authorName = useAuthorName()
  const reading = useReading()
  return (
    <p className="comment-note" data-kind="resolved" dir="auto">
      {texts.resolvedBy(by ? authorName(by, null) : texts.somebody, formatMoment(at, reading))}
    </p>
  )
}

type ActionsProps = {
  readonly place: CommentPlace
  readonly first: Comment
  readonly onReply: () => void
}

const ThreadActions = ({ place, first, onReply }: ActionsProps): ReactNode => {
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
