/** A document as the browser can show it: by its viewer of PDFs, or as a picture. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiProblem } from '../../api/client.ts'
import {
  type DocumentName,
  documentAddress,
  documentQuery,
  type RecordPlace,
} from '../../api/records/documents.ts'
import { Waiting } from '../../parts/notes.tsx'
import { useDocumentTexts } from '../../texts/documents/texts.ts'
import { useTexts } from '../../texts/texts.ts'

type ViewProps = { readonly place: RecordPlace; readonly document: DocumentName }

export const DocumentView = (props: ViewProps): ReactNode => {
  const { place, document } = props
  const form = navigator.pdfViewerEnabled ? 'pdf' : 'picture'
  const made = useQuery(documentQuery(place, document.code, form))
  const texts = useDocumentTexts()
  if (made.error) return <DocumentProblem error={made.error} />
  if (!made.data) return <Waiting />
  const { content, missingScripts } = made.data
  return (
    <>
      {missingScripts !== null && (
        <p className="document-boxes" role="alert">
          {texts.boxes(missingScripts)}
        </p>
      )}
      {form === 'picture' ? (
        <Picture name={document.name} content={content} />
      ) : (
        // Frames show addresses of this service alone, so what was made is asked for once more.
        <iframe
          key={made.dataUpdatedAt}
          className="document-frame"
          title={document.name}
          src={documentAddress(place, document.code)}
        />
      )}
    </>
  )
}

type PictureProps = { readonly name: string; readonly content: Blob }

const Picture = ({ name, content }: PictureProps): ReactNode => {
  const documents = useDocumentTexts()
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(content)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [content])
  return (
    <figure className="document-picture">
      <figcaption>{documents.noViewer}</figcaption>
      {address !== undefined && <img src={address} alt={name} />}
    </figure>
  )
}

/** What is wrong with the template, with file and line, for whoever mends it. */
const DocumentProblem = ({ error }: { readonly error: Error }): ReactNode => {
  const { problem } = useTexts()
  const documents = useDocumentTexts()
  const isAway = error instanceof ApiProblem && error.status === 0
  const issues = error instanceof ApiProblem ? error.issues : []
  return (
    <div className="document-problem" role="alert">
      <h3>{documents.failed}</h3>
      <p dir="auto">{isAway ? problem.unreachable : error.message}</p>
      {issues.length > 0 && (
        <ul>
          {issues.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code> <span dir="auto">{message}</span>
            </li>
          ))}
        </ul>
      )}
      {error instanceof ApiProblem && error.hint !== undefined && <p>{error.hint}</p>}
    </div>
  )
}
