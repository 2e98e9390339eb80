/** The draft of a comment: what is typed, whom it mentions, and sending it once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem, isRefusal, statusOf } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import {
  type ChangedComment,
  type Comment,
  type CommentPlace,
  changeComment,
  commentsQuery,
  createComment,
  forgetComments,
} from '../../api/records/comments.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { type FileItem, isUnsent, keyOf, writtenValue } from '../files/file-values.ts'
import { useKeptForm } from '../forms/kept-form.tsx'
import { filesField } from './comment-files.ts'
import { type Mentioned, storedOf, typedOf } from './mentions.ts'

export type CommentFormProps = {
  readonly place: CommentPlace
  /** The first comment of the thread that it replies to. */
  readonly parent?: Comment
  /** The comment whose text is changed. */
  readonly comment?: Comment
  /** Called when it was written. */
  readonly onWritten?: () => void
}

/** What is typed. */
type TypedComment = {
  readonly text: string
  readonly isInternal: boolean
  readonly mentioned: readonly Mentioned[]
  readonly files: readonly FileItem[]
}

/** The name of the draft: of a changed comment, of a reply, or of a record. */
const draftName = ({ place: { entity, id }, parent, comment }: CommentFormProps): string => {
  const place = `${entity}/${id} comment`
  if (comment) return `${place} ${comment.id}`
  return parent ? `${place} reply ${parent.id}` : place
}

const typedComment = (comment: Comment | undefined): TypedComment => ({
  isInternal: false,
  files: comment?.files ?? [],
  ...typedOf(comment?.text ?? '', comment?.mentions ?? []),
})

export const useCommentForm = (props: CommentFormProps) => {
  const { place, parent, onWritten } = props
  const client = useQueryClient()
  // The version on which the text is changed.
  const [base, setBase] = useState(props.comment)
  const initial = typedComment(props.comment)
  const kept = useKeptForm<TypedComment>(draftName(props), initial)
  const { text, isInternal, mentioned, files } = kept.values
  const hasOtherFiles = !haveSame(files, initial.files)
  /** Another version of the same text is taken: another user has resolved its thread. */
  const change = async (comment: Comment, sent: ChangedComment): Promise<void> => {
    try {
      await changeComment(place, comment, sent)
    } catch (error) {
      if (statusOf(error) !== 412) throw error
      const current = await readAgain(comment.id)
      if (!current) throw error
      setBase(current)
      if (current.text !== comment.text || !haveSame(current.files, comment.files)) throw error
      await changeComment(place, current, sent)
    }
  }
  const readAgain = async (id: number): Promise<Comment | undefined> => {
    const query = { ...commentsQuery(place, newest), staleTime: 0 }
    return (await client.fetchQuery(query)).find((one) => one.id === id)
  }
  const save = useMutation({
    mutationFn: async () => {
      const sent = storedOf(text.trim(), mentioned)
      if (base)
        return change(base, {
          text: sent,
          ...(hasOtherFiles && {
            files: writtenValue(filesField(''), files, base.files) as object,
          }),
        })
      const body = {
        text: sent,
        ...(files.length > 0 && { files: files.flatMap(({ upload }) => upload ?? []) }),
        ...(parent && { parent_id: parent.id }),
        ...(isInternal && { is_internal: true }),
      }
      await createComment(place, body, kept.idempotencyKey)
    },
    onSuccess: () => {
      kept.forget()
      kept.renewKey()
      // Its uploads are used, and not taken back.
      kept.set(typedComment(undefined))
      void forgetComments(client, place)
      onWritten?.()
    },
    onError: (error) => {
      // The next request differs from the refused one.
      if (isRefusal(error)) kept.renewKey()
      // The record, or the right to comment on it, may be gone; its page then says so.
      void client.invalidateQueries({ queryKey: [userKey, 'record', place.entity, place.id] })
    },
  })
  const isTyped = (text.trim() !== '' && text !== initial.text) || hasOtherFiles
  const hasText = text.trim() !== ''
  const isWaiting = hasText && isUnsent(files)
  const isReady = isTyped && hasText && !isWaiting
  const send = () => {
    if (isReady && !save.isPending) save.mutate()
  }
  return {
    kept,
    save,
    isTyped,
    isWaiting,
    isReady,
    send,
    fault: useFault(save.error, mentioned, base),
  }
}

const haveSame = (files: readonly FileItem[], others: readonly FileItem[]): boolean =>
  files.map(keyOf).join() === others.map(keyOf).join()

export type CommentForm = ReturnType<typeof useCommentForm>

// Comments that are changed are on the page, which reads as many.
const newest = 1000

/** What is wrong, with names in place of ids, and what to do about it. */
const useFault = (
  error: Error | null,
  mentioned: readonly Mentioned[],
  base: Comment | undefined,
): string | undefined => {
  const texts = useWorkTexts().comments
  if (!error) return undefined
  if (statusOf(error) === 412) return texts.changedMeanwhile(base?.text ?? '')
  const issues = error instanceof ApiProblem ? error.issues : []
  const refused = issues.flatMap(({ message }) => {
    const [, id] = /@\[(\d+)\]/.exec(message) ?? []
    if (id === undefined) return []
    return mentioned.find((one) => `${one.id}` === id)?.name ?? `@[${id}]`
  })
  return refused.length > 0 ? texts.refusedMentions(refused.join(', ')) : error.message
}
