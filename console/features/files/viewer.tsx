/** The viewer of files: pictures, PDFs and the beginnings of texts, one after the other. */
import { useQuery } from '@tanstack/react-query'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useRef,
  useState,
} from 'react'
import type { RecordPlace } from '../../api/records/documents.ts'
import { fileAddress, fileTextQuery, type ShownFile, shownBytes } from '../../api/records/files.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { backIcon, exportIcon, icon } from '../../parts/icons.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatBytes } from '../format/format-bytes.ts'
import { useReading, useSession } from '../session/session.ts'
import { kindOfFile } from './shown-files.ts'
import './viewer.css'

const forthIcon = icon('M6 3l5 5-5 5')

type ViewerProps = {
  readonly place: RecordPlace
  /** Those that it can show. */
  readonly files: readonly ShownFile[]
  /** The id of the one that is shown first. */
  readonly first: number
  readonly onClose: () => void
}

// A list that the viewer is opened from takes keys and clicks too.
const keep = (event: SyntheticEvent): void => event.stopPropagation()

export const FileViewer = ({ place, files, first, onClose }: ViewerProps): ReactNode => {
  const [id, setId] = useState(first)
  const [isActual, setIsActual] = useState(false)
  const download = useRef<HTMLAnchorElement>(null)
  const { preferences } = useSession()
  const at = Math.max(
    0,
    files.findIndex((one) => one.id === id),
  )
  const file = files[at]
  if (!file) return null
  const go = (by: number) => {
    const next = files[at + by]
    if (!next) return
    setId(next.id)
    setIsActual(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    const { key, ctrlKey, metaKey, altKey } = event
    if (ctrlKey || metaKey || altKey) return
    // They move over a picture that is larger than the screen.
    if (key === 'ArrowLeft' && !isActual) go(-1)
    else if (key === 'ArrowRight' && !isActual) go(1)
    else if (key === 'd' && preferences.hasSingleKeys) download.current?.click()
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the dialog in it has the focus
    <div
      className="viewer"
      // Not that of what it was opened from.
      title=""
      onKeyDown={onKeyDown}
      onClick={keep}
      onDoubleClick={keep}
      onPointerDown={keep}
      onContextMenu={keep}
    >
      <Dialog title={file.filename} onClose={onClose}>
        <div className="viewer-shown" data-actual={isActual || undefined}>
          <Content key={file.id} place={place} file={file} isActual={isActual} />
        </div>
        <Bar place={place} files={files} at={at} onGo={go} download={download}>
          {kindOfFile(file) === 'picture' && (
            <ActualSize isOn={isActual} onChange={() => setIsActual(!isActual)} />
          )}
        </Bar>
      </Dialog>
    </div>
  )
}

type ActualProps = { readonly isOn: boolean; readonly onChange: () => void }

const ActualSize = ({ isOn, onChange }: ActualProps): ReactNode => (
  <Button aria-pressed={isOn} onClick={onChange}>
    {useWorkTexts().viewer.actualSize}
  </Button>
)

type BarProps = Pick<ViewerProps, 'place' | 'files'> & {
  readonly at: number
  readonly onGo: (by: number) => void
  readonly download: RefObject<HTMLAnchorElement | null>
  readonly children: ReactNode
}

const Bar = ({ place, files, at, onGo, download, children }: BarProps): ReactNode => {
  const texts = useWorkTexts().viewer
  const { locale } = useReading()
  const file = files[at]
  if (!file) return null
  const { width, height } = file
  return (
    <div className="viewer-bar">
      {files.length > 1 && (
        <>
          <Button
            aria-label={texts.previous}
            aria-keyshortcuts="ArrowLeft"
            title={texts.previous}
            disabled={at === 0}
            onClick={() => onGo(-1)}
          >
            {backIcon}
          </Button>
          <span role="status">{texts.position(at + 1, files.length)}</span>
          <Button
            aria-label={texts.next}
            aria-keyshortcuts="ArrowRight"
            title={texts.next}
            disabled={at === files.length - 1}
            onClick={() => onGo(1)}
          >
            {forthIcon}
          </Button>
        </>
      )}
      <span className="viewer-facts">
        {formatBytes(file.bytes, locale)}
        {width !== null && height !== null && ` · ${width} × ${height}`}
      </span>
      {children}
      <a
        ref={download}
        className="button"
        aria-keyshortcuts="d"
        href={fileAddress(place, file.id)}
        download={file.filename}
      >
        {exportIcon} {texts.save}
      </a>
    </div>
  )
}

type ContentProps = {
  readonly place: RecordPlace
  readonly file: ShownFile
  readonly isActual: boolean
}

const Content = ({ place, file, isActual }: ContentProps): ReactNode => {
  const kind = kindOfFile(file)
  if (kind === 'picture') return <Picture place={place} file={file} isActual={isActual} />
  if (kind === 'text') return <Text place={place} file={file} />
  return <iframe className="viewer-frame" title={file.filename} src={fileAddress(place, file.id)} />
}

// In pixels of the page; a screen may have several for each of them.
const smallScreen = 800

const Picture = ({ place, file, isActual }: ContentProps): ReactNode => {
  const texts = useWorkTexts().viewer
  const [failures, setFailures] = useState(0)
  const isSmall = !isActual && innerWidth <= smallScreen
  const sources = [
    ...(isSmall ? [fileAddress(place, file.id, 800)] : []),
    fileAddress(place, file.id),
  ]
  const src = sources[failures]
  if (src === undefined) return <p role="alert">{texts.damaged}</p>
  const image = <img src={src} alt={file.filename} onError={() => setFailures(failures + 1)} />
  if (!isActual) return image
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move what is larger than the screen
    <section className="viewer-scroll" aria-label={texts.actualSize} tabIndex={0}>
      {image}
    </section>
  )
}

const Text = ({ place, file }: Omit<ContentProps, 'isActual'>): ReactNode => {
  const texts = useWorkTexts().viewer
  const { data, error, refetch } = useQuery(fileTextQuery(place, file.id))
  if (data === undefined)
    return error ? <ProblemNote error={error} onRetry={() => void refetch()} /> : <Waiting />
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys move what is larger than the screen */}
      <pre className="viewer-scroll" dir="auto" tabIndex={0}>
        {data}
      </pre>
      {file.bytes > shownBytes && <p className="viewer-facts">{texts.beginning}</p>}
    </>
  )
}
