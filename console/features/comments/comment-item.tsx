/** One comment: its author and text, that it was changed or removed, and its menu. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
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
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { FileList, FileNames } from '../files/file-list.tsx'
import { formatMoment } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import './comments.css'
import type { OpenActions } from '../../api/open-actions.ts'
import { moreIcon } from '../../parts/icons.tsx'
import { Menu } from '../../parts/menu.tsx'
import { outside } from '../values/address-of.ts'
import { CommentForm } from './comment-form.tsx'
import { segmentsOf } from './mentions.ts'
import { focusComment, hashOf } from './threads.ts'

type ItemProps = {
  readonly place: CommentPlace
  readonly comment: Comment
  readonly may: OpenActions['may']
  readonly target: number | undefined
}

/** What is open over a comment, or in its place. */
type Open = 'change' | 'remove' | 'earlier' | undefined

export const CommentItem = ({ place, comment, may, target }: ItemProps): ReactNode => {
  const texts = useWorkTexts().comments
  const reading = useReading()
  const name = useNameOf(comment)
  const [open, setOpen] = useState<Open>()
  const element = useTarget(comment.id === target)
  const { created_at: at, edited_at: editedAt, text } = comment
  const close = () => setOpen(undefined)
  const closeForm = () => {
    close()
    focusComment(comment.id)
  }
  const moment = formatMoment(at, reading)
  return (
    <article
      ref={element}
      id={hashOf(comment.id)}
      className="comment"
      tabIndex={-1}
      aria-label={texts.commentOf(name, moment)}
      data-internal={comment.is_internal || undefined}
    >
      <header>
        <span>
          <strong dir="auto">{name}</strong> <time dateTime={at}>{moment}</time>
        </span>
        {comment.is_internal && <small className="comment-badge">{texts.internal}</small>}
        {editedAt !== null && text !== null && (
          <button
            type="button"
            className="link-button"
            aria-label={`${texts.edited}: ${texts.earlier}`}
            onClick={() => setOpen('earlier')}
          >
            {texts.edited}
          </button>
        )}
        <CommentMenu comment={comment} may={may} name={name} onOpen={setOpen} />
      </header>
      {open === 'change' ? (
        <CommentForm
          label={texts.change}
          place={place}
          comment={comment}
          isInternal={comment.is_internal}
          isFirst
          onWritten={closeForm}
          onCancel={closeForm}
        />
      ) : text === null ? (
        <p className="comment-note">{texts.removed}</p>
      ) : (
        <>
          <CommentText text={text} mentions={comment.mentions} />
          <FileList place={place} value={comment.files} />
        </>
      )}
      {open === 'remove' && <RemoveComment place={place} comment={comment} onClose={close} />}
      {open === 'earlier' && <EarlierTexts place={place} comment={comment} onClose={close} />}
    </article>
  )
}

const useNameOf = ({ user }: Comment): string => {
  const { record } = useTexts()
  const { somebody } = useWorkTexts().comments
  const { me } = useSession()
  if (!user) return somebody
  const name = user.full_name ?? `${user.id}`
  return user.id === me.id ? record.you(name) : name
}

/** The comment to which the address leads is brought into view and gets the focus. */
const useTarget = (isTarget: boolean) => {
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isTarget) return
    element.current?.scrollIntoView({ block: 'center' })
    element.current?.focus({ preventScroll: true })
  }, [isTarget])
  return element
}

type MenuProps = {
  readonly comment: Comment
  readonly may: OpenActions['may']
  readonly name: string
  readonly onOpen: (open: Open) => void
}

const administratorRole = 'administrator'

/** Only authors change what they have said; administrators remove what others have. */
const CommentMenu = ({ comment, may, name, onOpen }: MenuProps): ReactNode => {
  const texts = useWorkTexts().comments
  const { me } = useSession()
  if (!may.comments || comment.is_removed) return null
  const isAdministrator = me.roles.every(({ key }) => key === administratorRole)
  const items = [
    ...(comment.is_own ? [{ label: texts.change, onSelect: () => onOpen('change') }] : []),
    ...(comment.is_own || isAdministrator
      ? [{ label: texts.remove, onSelect: () => onOpen('remove') }]
      : []),
  ]
  return items.length > 0 && <Menu label={texts.menuOf(name)} face={moreIcon} items={items} />
}

type TextProps = { readonly text: string; readonly mentions: Comment['mentions'] }

const CommentText = ({ text, mentions }: TextProps): ReactNode => {
  const { me } = useSession()
  return (
    <p className="comment-text" dir="auto">
      {segmentsOf(text, mentions).map((segment, at) => {
        // The parts of a text have no identity but their places.
        const key = `${at}`
        if (segment.kind === 'mention')
          return (
            <bdi key={key} className="mention" data-own={segment.id === me.id || undefined}>
              {segment.text}
            </bdi>
          )
        if (segment.kind === 'address')
          return (
            <a key={key} href={segment.text} {...outside}>
              {segment.text}
            </a>
          )
        return segment.text
      })}
    </p>
  )
}

type DialogProps = {
  readonly place: CommentPlace
  readonly comment: Comment
  readonly onClose: () => void
}

// As many as the service gives at once.
const mostEntries = 1000

/** The texts that a comment had before, the last one first, each with the time until which it stood. */
const EarlierTexts = ({ place, comment, onClose }: DialogProps): ReactNode => {
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
const RemoveComment = ({ place, comment, onClose }: DialogProps): ReactNode => {
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
