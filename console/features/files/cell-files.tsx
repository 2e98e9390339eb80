/** Files in a cell of a list: small pictures, or the endings of names, and the name of a single one. */
import type { ReactNode } from 'react'
import type { RecordPlace } from '../../api/records/documents.ts'
import type { ShownFile } from '../../api/records/files.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { thumbnailOf, useViewer } from './file-list.tsx'
import { filesOf, kindOfFile } from './shown-files.ts'
import { Thumbnail } from './thumbnail.tsx'
import './viewer.css'

type CellProps = {
  readonly value: unknown
  /** The record that has them; undefined of a record behind a link, whose files are on its page. */
  readonly place: RecordPlace | undefined
}

// Further ones are counted.
const mostShown = 3

export const CellFiles = ({ value, place }: CellProps): ReactNode => {
  const files = filesOf(value)
  const content = <Content files={files} place={place} />
  return place ? (
    <Opened files={files} place={place}>
      {content}
    </Opened>
  ) : (
    <span className="cell-files">{content}</span>
  )
}

type FilesProps = { readonly files: readonly ShownFile[]; readonly place: RecordPlace | undefined }

const Content = ({ files, place }: FilesProps): ReactNode => {
  const isOne = files.length === 1
  return (
    <>
      {files.slice(0, mostShown).map((file) => (
        <Thumbnail
          key={file.id}
          filename={file.filename}
          src={place && thumbnailOf(place, file)}
          isNamed={isOne}
        />
      ))}
      {isOne && <bdi className="file-name">{files[0]?.filename}</bdi>}
      {files.length > mostShown && <span>+{files.length - mostShown}</span>}
    </>
  )
}

type OpenedProps = {
  readonly files: readonly ShownFile[]
  readonly place: RecordPlace
  readonly children: ReactNode
}

/** A click opens the viewer, if it shows any of them. The keys of a list open records, which have the files too. */
const Opened = ({ files, place, children }: OpenedProps): ReactNode => {
  const { show } = useWorkTexts().viewer
  const { viewer, open } = useViewer(place, files)
  const first = files.find(kindOfFile)
  if (!first) return <span className="cell-files">{children}</span>
  return (
    <>
      <button
        type="button"
        className="cell-files"
        tabIndex={-1}
        title={show}
        onClick={() => open(first)}
      >
        {children}
      </button>
      {viewer}
    </>
  )
}
