/** The form of a comment: a new one, a reply, or another text of one that is there. Its draft is kept, and sent once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, use, useId, useState } from 'react'
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
import { Button } from '../../parts/button.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { type FileItem, isUnsent, itemsOf, keyOf, writtenValue } from '../files/file-values.ts'
import { FilesInput } from '../files/files-input.tsx'
import { RestoredNote, useKeptForm } from '../forms/kept-form.tsx'
import { FormsContext, GoneNote, useOpenForm } from '../forms/open-form.tsx'
import { MentionInput } from './mention-input.tsx'
import { type Mentioned, stillMentioned, storedOf, typedOf } from './mentions.ts'
import { filesField } from './threads.ts'
import './comments.css'

type FormProps = CommentFormProps & {
  readonly label: string
  /** Whether the user may write it for few. */
  readonly offersInternal?: boolean
  /** Whether the thread that it belongs to is for few. */
  readonly isInternal?: boolean
  readonly isFirst?: boolean
  readonly onCancel?: () => void
}

export const CommentForm = (props: FormProps): ReactNode => {
  const { label, place, comment, offersInternal = false, isFirst = false, onCancel } = props
  const { common } = useTexts()
  const { comments: texts, files: filesTexts } = useWorkTexts()
  const form = useCommentForm(props)
  const { kept, save, isTyped, isWaiting, isReady, send } = form
  const filesId = useId()
  const { isGone } = use(FormsContext)
  const { text, mentioned, isInternal, files } = kept.values
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isGone) send()
  }
  return (
    <form className="comment-form" aria-label={label} onSubmit={submit}>
      {isTyped && <HeldPage />}
      <RestoredNote kept={kept} />
      <FilesInput
        id={filesId}
        field={filesField(texts.files)}
        value={files}
        isInvalid={false}
        describedBy={undefined}
        onChange={(next) => kept.set({ files: itemsOf(next) })}
      >
        <MentionInput
          label={label}
          place={place}
          text={text}
          mentioned={mentioned}
          isInternal={isInternal || props.isInternal === true}
          isReadOnly={save.isPending}
          isFirst={isFirst}
          onChange={(next, people) => kept.set({ text: next, mentioned: people })}
          onSend={() => !isGone && send()}
          onCancel={onCancel}
        />
      </FilesInput>
      <FormNotes form={form} isGone={isGone} />
      <div className="comment-form-end">
        {offersInternal && (
          <label title={texts.internalHelp}>
            <input
              type="checkbox"
              checked={isInternal}
              onChange={({ target }) => kept.set({ isInternal: target.checked })}
            />
            {texts.internal}
          </label>
        )}
        <small role="status">{isWaiting && filesTexts.unsent}</small>
        <small aria-hidden="true">{isReady && texts.sendKeys}</small>
        {onCancel && <Button onClick={onCancel}>{common.cancel}</Button>}
        <Button
          type="submit"
          look={isReady ? 'primary' : 'plain'}
          aria-keyshortcuts="Control+Enter"
          disabled={!isReady || save.isPending || isGone}
        >
          {comment ? common.save : texts.send}
        </Button>
      </div>
    </form>
  )
}

/** What is typed must not disappear with the record of its page. */
const HeldPage = (): ReactNode => {
  useOpenForm()
  return null
}

/** Whom the text mentions, and what is wrong with it. */
const FormNotes = ({
  form,
  isGone,
}: {
  readonly form: WrittenComment
  readonly isGone: boolean
}) => {
  const texts = useWorkTexts().comments
  const { kept, fault } = form
  const { text, mentioned } = kept.values
  const named = stillMentioned(text, mentioned).map(({ name }) => name)
  return (
    <>
      {named.length > 0 && (
        <small className="comment-mentions" dir="auto">
          {texts.mentions(named.join(', '))}
        </small>
      )}
      {isGone && text !== '' && <GoneNote lines={[[texts.comment, text]]} />}
      {fault !== undefined && !isGone && (
        <p role="alert" className="comment-fault" dir="auto">
          {fault}
        </p>
      )}
    </>
  )
}

type CommentFormProps = {
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

const useCommentForm = (props: CommentFormProps) => {
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

type WrittenComment = ReturnType<typeof useCommentForm>

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
