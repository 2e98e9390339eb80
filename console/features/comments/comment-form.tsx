/** The form of a comment: a new one, a reply, or another text of one that is there. */
import { type FormEvent, type ReactNode, use, useId } from 'react'
import { Button } from '../../parts/button.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { itemsOf } from '../files/file-values.ts'
import { FilesInput } from '../files/files-input.tsx'
import { RestoredNote } from '../forms/kept-form.tsx'
import { FormsContext, GoneNote, useOpenForm } from '../forms/open-form.tsx'
import { filesField } from './comment-files.ts'
import { MentionInput } from './mention-input.tsx'
import { stillMentioned } from './mentions.ts'
import {
  type CommentFormProps,
  type CommentForm as Form,
  useCommentForm,
} from './use-comment-form.ts'
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
const FormNotes = ({ form, isGone }: { readonly form: Form; readonly isGone: boolean }) => {
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
