/** What stands above the comments of a record: whether the user follows it, who does, and the form of a new comment. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { OpenActions } from '../../api/open-actions.ts'
import {
  type CommentPlace,
  commentsQuery,
  type Follower,
  followersQuery,
  forgetComments,
  setFollowing,
} from '../../api/records/comments.ts'
import { historyStep } from '../../api/records/history.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogEnd } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'
import { CommentForm } from './comment-form.tsx'
import './comments.css'

type HeadProps = {
  readonly entity: Entity
  readonly id: number
  readonly may: OpenActions['may']
}

export const CommentHead = ({ entity, id, may }: HeadProps): ReactNode => {
  const texts = useWorkTexts().comments
  const place = { entity: entity.key, id }
  const [written, setWritten] = useState(0)
  const news = useNews(place)
  const internal = entity.comments?.internal === true && may.internalComments
  return (
    <section className="comment-head" aria-label={texts.section}>
      <Following place={place} />
      {may.comments && (
        <CommentForm
          label={texts.write}
          place={place}
          offersInternal={internal}
          onWritten={() => setWritten(written + 1)}
        />
      )}
      <div role="status" className="visually-hidden">
        {/* Each is said, also the second one of the same words. */}
        <span key={`${written} ${news ?? ''}`}>{news ?? (written > 0 && texts.sent)}</span>
      </div>
    </section>
  )
}

/** That another user has commented since the page is open. */
const useNews = (place: CommentPlace): string | undefined => {
  const texts = useWorkTexts().comments
  const { data } = useQuery(commentsQuery(place, historyStep))
  const newest = data?.at(-1)
  const [first, setFirst] = useState<number>()
  if (data && first === undefined) setFirst(newest?.id ?? 0)
  const isNew = newest && first !== undefined && newest.id > first && !newest.is_own
  return isNew ? texts.newOf(newest.user?.full_name ?? texts.somebody) : undefined
}

const Following = ({ place }: { readonly place: CommentPlace }): ReactNode => {
  const texts = useWorkTexts().comments
  const client = useQueryClient()
  const { data } = useQuery(followersQuery(place))
  const [isOpen, setIsOpen] = useState(false)
  const follow = useMutation({
    mutationFn: (isFollowing: boolean) => setFollowing(place, isFollowing),
    onSettled: () => forgetComments(client, place),
  })
  if (!data) return null
  const { is_following: isFollowing, data: followers } = data
  return (
    <div className="following">
      <Button disabled={follow.isPending} onClick={() => follow.mutate(!isFollowing)}>
        {isFollowing ? texts.unfollow : texts.follow}
      </Button>
      <Button look="quiet" onClick={() => setIsOpen(true)}>
        {texts.followers(followers.length)}
      </Button>
      {follow.error && <p role="alert">{follow.error.message}</p>}
      {isOpen && <FollowersDialog followers={followers} onClose={() => setIsOpen(false)} />}
    </div>
  )
}

type DialogProps = { readonly followers: readonly Follower[]; readonly onClose: () => void }

/** Who follows the record, and why. */
const FollowersDialog = ({ followers, onClose }: DialogProps): ReactNode => {
  const { record } = useTexts()
  const texts = useWorkTexts().comments
  const { me } = useSession()
  return (
    <Dialog title={texts.followersTitle} onClose={onClose}>
      <p className="followers-help">{texts.followersHelp}</p>
      {followers.length === 0 && <p>{texts.noFollowers}</p>}
      <ul className="followers">
        {followers.map(({ id, full_name: name, reason }) => (
          <li key={id}>
            <span dir="auto">{id === me.id ? record.you(name ?? `${id}`) : (name ?? `${id}`)}</span>
            <small>{texts.reasons[reason]}</small>
          </li>
        ))}
      </ul>
      <DialogEnd onClose={onClose} look="plain" />
    </Dialog>
  )
}
