/** The text of a comment: plain, with those whom it mentions by their names, and addresses as links. */
import type { ReactNode } from 'react'
import type { Comment } from '../../api/records/comments.ts'
import { useSession } from '../session/session.ts'
import { outside } from '../values/address-of.ts'
import { segmentsOf } from './mentions.ts'
import './comments.css'

type TextProps = { readonly text: string; readonly mentions: Comment['mentions'] }

export const CommentText = ({ text, mentions }: TextProps): ReactNode => {
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
