/** A file of a field in a form: its name, how far it is sent or why it is not, and what can be done with it. */
import type { KeyboardEvent, ReactNode } from 'react'
import type { RecordPlace } from '../../api/records/documents.ts'
import type { ShownFile } from '../../api/records/files.ts'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon, icon } from '../../parts/icons.tsx'
import type { useRowDrag } from '../../parts/use-row-drag.ts'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatBytes } from '../format/format-bytes.ts'
import { useReading } from '../session/session.ts'
import { FileLink, thumbnailOf } from './file-list.tsx'
import { type FileItem, isUnsent, keyOf } from './file-values.ts'
import { filesOf } from './shown-files.ts'
import { Thumbnail } from './thumbnail.tsx'
import { retryUpload, type Sending } from './uploads.ts'
import type { Files } from './use-files.ts'

const retryIcon = icon('M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3')

type RowProps = {
  readonly item: FileItem
  readonly at: number
  readonly files: Files
  readonly drag: ReturnType<typeof useRowDrag>
  /** Names the element that explains how files are moved. */
  readonly hintId: string
  readonly place: RecordPlace
  readonly onOpen: (file: ShownFile) => void
  readonly onRemove: () => void
}

export const FileRow = (props: RowProps): ReactNode => {
  const { item, at, files, drag, hintId, place, onOpen, onRemove } = props
  const texts = useWorkTexts().files
  const { items, states } = files
  const { filename, sending } = item
  const state = isUnsent(item) ? (states.get(sending ?? '') ?? 'lost') : undefined
  const [saved] = filesOf(item)
  const isFailed = state === 'lost' || state?.kind === 'failed'
  return (
    <li
      data-file={keyOf(item)}
      data-failed={isFailed || undefined}
      {...drag.lookOf(at, items.length)}
    >
      {items.length > 1 && (
        <button
          type="button"
          className="file-grip"
          aria-label={texts.move(filename)}
          aria-describedby={hintId}
          title={texts.moveHint}
          onKeyDown={(event) => onMoveKey(event, (steps) => files.move(at, at + steps))}
          {...drag.gripOf(at)}
        >
          <span aria-hidden="true">⠿</span>
        </button>
      )}
      <Thumbnail filename={filename} src={saved && thumbnailOf(place, saved)} />
      <div className="file-about">
        <span dir="auto" title={filename}>
          {saved ? (
            <FileLink place={place} file={saved} onOpen={onOpen}>
              <bdi>{filename}</bdi>
            </FileLink>
          ) : (
            filename
          )}
        </span>
        <Note item={item} state={state} />
      </div>
      {isFailed && mayRetry(state) && (
        <IconButton
          label={texts.retry(filename)}
          icon={retryIcon}
          onClick={() => retryUpload(sending ?? '')}
        />
      )}
      <IconButton
        label={state && !isFailed ? texts.cancel(filename) : texts.remove(filename)}
        icon={closeIcon}
        onClick={onRemove}
      />
    </li>
  )
}

const steps: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowLeft: -1,
  ArrowDown: 1,
  ArrowRight: 1,
}

const onMoveKey = (event: KeyboardEvent, move: (steps: number) => void): void => {
  const wanted = steps[event.key]
  if (wanted === undefined) return
  event.preventDefault()
  move(wanted)
}

type State = Sending | 'lost' | undefined

// What the service will say again; of too many files some may be saved by then.
const isFinal = (status: number, code: string): boolean =>
  status >= 400 && status < 500 && ![401, 408, 429].includes(status) && code !== 'upload.too-much'

const mayRetry = (state: State): boolean =>
  state !== 'lost' && state?.kind === 'failed' && !isFinal(state.error.status, state.error.code)

type NoteProps = { readonly item: FileItem; readonly state: State }

/** Its size, and how far it is sent or why it is not. */
const Note = ({ item, state }: NoteProps): ReactNode => {
  const texts = useWorkTexts().files
  const { problem } = useTexts()
  const { locale } = useReading()
  const size = formatBytes(item.bytes, locale)
  if (state === undefined)
    return <small>{item.id === undefined ? `${size} · ${texts.isNew}` : size}</small>
  if (state === 'lost' || state.kind === 'failed')
    return (
      <small role="alert" className="field-issue" dir="auto">
        {state === 'lost' ? texts.failures.lost : reasonOf(state, texts) || problem.unreachable}
      </small>
    )
  const part = state.kind === 'going' ? Math.min(state.sent / Math.max(item.bytes, 1), 1) : 0
  const percent = new Intl.NumberFormat(locale, { style: 'percent' }).format(part)
  return (
    <>
      <small>
        {size} · {state.kind === 'going' ? texts.sent(percent) : texts.waiting}
      </small>
      <progress aria-label={item.filename} value={part} />
    </>
  )
}

const reasonOf = (
  { error, isRetried }: Extract<Sending, { kind: 'failed' }>,
  { failures, again }: ReturnType<typeof useWorkTexts>['files'],
): string => `${failures[error.code] ?? error.message}${isRetried ? ` ${again}` : ''}`
