/** Dialogs of a comment: what it said before, and whether it is to be removed. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  type Comment,
  type CommentPlace,
  forgetComments,
  removeComment,
} from '../../api/records/comments.ts'
import { filteredHistoryQuery, subjectWord } from '../../api/records/history.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions, DialogEnd } from '../../parts/dialog.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { FileNames } from '../files/file-list.tsx'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'
import { CommentText } from './comment-text.tsx'
import './comments.css'

type DialogProps = {
  readonly place: CommentPlace
  readonly comment: Comment
  readonly onClose: () => void
}

// As many as the service gives at once.
const mostEntries = 1000

/** The texts that a comment had before, the last one first, each with the time until which it stood. */
export const EarlierTexts = ({ place, comment, onClose }: DialogProps): ReactNode => {
  const texts = useWorkTexts().comments
  const reading = useReading()
  const about = { field: subjectWord('comments'), limit: mostEntries }
  const { data, error, refetch } = useQuery(filteredHistoryQuery(place.entity, place.id, about))
  const earlier = (data ?? []).filter(
    ({ part, operation }) =>
      part?.entity === 'comment' && part.id === comment.id && operation === 'changeComment',
  )
  return (
    <Dialog title={texts.earlier} onClose={onClose}>
      {!data &&
        (error ? <ProblemNote error={error} onRetry={() => void refetch()} /> : <Waiting />)}
      <ol className="earlier-texts">
        {earlier.map(({ id, at, changes }) => (
          <li key={id}>
            <small>{texts.until(formatMoment(at, reading))}</small>
            {changes.text && (
              <CommentText text={String(changes.text.before ?? '')} mentions={comment.mentions} />
            )}
            {changes.files && <FileNames place={place} value={changes.files.before} />}
          </li>
        ))}
      </ol>
      <DialogEnd onClose={onClose} look="plain" />
    </Dialog>
  )
}

/** Confirms that a comment is removed: it cannot be restored by itself. */
export const RemoveComment = ({ place, comment, onClose }: DialogProps): ReactNode => {
  const texts = useWorkTexts().comments
  const client = useQueryClient()
  const remove = useMutation({
    mutationFn: () => removeComment(place, comment),
    onSuccess: () => {
      void forgetComments(client, place)
      onClose()
    },
  })
  return (
    <Dialog title={texts.removeTitle} onClose={onClose}>
      <CommentText text={comment.text ?? ''} mentions={comment.mentions} />
      <p className="comment-note">{texts.removeHelp}</p>
      {remove.error && <p role="alert">{remove.error.message}</p>}
      <DialogActions onCancel={onClose}>
        <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {texts.remove}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
