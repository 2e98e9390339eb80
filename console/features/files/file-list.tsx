/** The files of a record: a small picture, the name and the size of each. The viewer opens what browsers show; the rest is saved. */
import { type ReactNode, useState } from 'react'
import type { RecordPlace } from '../../api/records/documents.ts'
import { fileAddress, type ShownFile } from '../../api/records/files.ts'
import { laterPart } from '../../parts/later.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatBytes } from '../format/format-bytes.ts'
import { useReading } from '../session/session.ts'
import { filesOf, isPicture, kindOfFile } from './shown-files.ts'
import { Thumbnail } from './thumbnail.tsx'
import './viewer.css'

const FileViewer = laterPart(async () => (await import('./viewer.tsx')).FileViewer)

/** The viewer of files that belong together, and what opens it. */
export const useViewer = (place: RecordPlace, files: readonly ShownFile[]) => {
  const [opened, setOpened] = useState<number>()
  const viewer = opened !== undefined && (
    <FileViewer
      place={place}
      files={files.filter(kindOfFile)}
      first={opened}
      onClose={() => setOpened(undefined)}
    />
  )
  return { viewer, open: (file: ShownFile) => setOpened(file.id) }
}

type LinkProps = {
  readonly place: RecordPlace
  readonly file: ShownFile
  readonly onOpen: (file: ShownFile) => void
  readonly children: ReactNode
}

/** Opens a file in the viewer, or saves it. */
export const FileLink = ({ place, file, onOpen, children }: LinkProps): ReactNode => {
  const texts = useWorkTexts().viewer
  return kindOfFile(file) ? (
    <button type="button" className="file-link" title={texts.show} onClick={() => onOpen(file)}>
      {children}
    </button>
  ) : (
    <a
      className="file-link"
      href={fileAddress(place, file.id)}
      download={file.filename}
      title={texts.save}
    >
      {children}
    </a>
  )
}

/** The address of the small picture of a file; undefined of other files. */
export const thumbnailOf = (place: RecordPlace, file: ShownFile): string | undefined =>
  isPicture(file) ? fileAddress(place, file.id, 160) : undefined

/** What is known of a file: its picture, name and size. */
export const FileFacts = ({ place, file }: Pick<LinkProps, 'place' | 'file'>): ReactNode => {
  const { locale } = useReading()
  return (
    <>
      <Thumbnail filename={file.filename} src={thumbnailOf(place, file)} />
      <bdi className="file-name">{file.filename}</bdi>{' '}
      <small className="file-size">{formatBytes(file.bytes, locale)}</small>
    </>
  )
}

type ListProps = { readonly place: RecordPlace; readonly value: unknown }

/** The files of a value, below each other. */
export const FileList = ({ place, value }: ListProps): ReactNode => {
  const files = filesOf(value)
  const { viewer, open } = useViewer(place, files)
  if (files.length === 0) return null
  return (
    <>
      <ul className="file-list">
        {files.map((file) => (
          <li key={file.id}>
            <FileLink place={place} file={file} onOpen={open}>
              <FileFacts place={place} file={file} />
            </FileLink>
          </li>
        ))}
      </ul>
      {viewer}
    </>
  )
}

/** The names of the files of a value in a line; also those that the record has no more. */
export const FileNames = ({ place, value }: ListProps): ReactNode => {
  const files = filesOf(value)
  const { viewer, open } = useViewer(place, files)
  if (files.length === 0) return '–'
  return (
    <>
      {files.map((file, at) => (
        <span key={file.id}>
          {at > 0 && '; '}
          <FileLink place={place} file={file} onOpen={open}>
            <bdi>{file.filename}</bdi>
          </FileLink>
        </span>
      ))}
      {viewer}
    </>
  )
}
