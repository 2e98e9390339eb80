/** One comment: its author and text, that it was changed or removed, and its menu. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { OpenActions } from '../../api/open-actions.ts'
import type { Comment, CommentPlace } from '../../api/records/comments.ts'
import { moreIcon } from '../../parts/icons.tsx'
import { Menu } from '../../parts/menu.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { FileList } from '../files/file-list.tsx'
import { formatMoment } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import { EarlierTexts, RemoveComment } from './comment-dialogs.tsx'
import { CommentForm } from './comment-form.tsx'
import { CommentText } from './comment-text.tsx'
import { focusComment, hashOf } from './threads.ts'
import './comments.css'

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
