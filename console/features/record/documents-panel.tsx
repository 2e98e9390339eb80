/** The printable documents of a record, one of them shown: by the PDF viewer of the browser, or as a picture. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiProblem, statusOf } from '../../api/client.ts'
import {
  type DocumentName,
  documentAddress,
  documentQuery,
  type RecordPlace,
} from '../../api/records/documents.ts'
import { Waiting } from '../../parts/notes.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import './record.css'

type PanelProps = RecordPlace & { readonly documents: readonly DocumentName[] }

export const DocumentsPanel = ({ documents, ...place }: PanelProps): ReactNode => {
  const { title } = useTexts().documents
  const texts = useWorkTexts().documents
  const [chosenCode, setChosenCode] = useState<string>()
  const chosen = documents.find(({ code }) => code === chosenCode) ?? documents[0]
  if (!chosen) return null
  const address = documentAddress(place, chosen.code)
  return (
    <section className="documents" aria-label={title}>
      <header className="documents-head">
        {documents.length > 1 ? (
          <Tabs
            label={title}
            value={chosen.code}
            onChange={setChosenCode}
            tabs={documents.map(({ code, name }) => ({ value: code, label: name }))}
          />
        ) : (
          <h2 dir="auto">{chosen.name}</h2>
        )}
        <span className="documents-links">
          <a className="button" href={address} target="_blank" rel="noreferrer">
            {texts.open}
          </a>
          <a className="button" href={address} download="">
            {texts.download}
          </a>
        </span>
      </header>
      <DocumentView key={chosen.code} place={place} document={chosen} />
    </section>
  )
}

type ViewProps = { readonly place: RecordPlace; readonly document: DocumentName }

const DocumentView = (props: ViewProps): ReactNode => {
  const { place, document } = props
  const form = navigator.pdfViewerEnabled ? 'pdf' : 'picture'
  const made = useQuery(documentQuery(place, document.code, form))
  const texts = useWorkTexts().documents
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
        // Frames may show only addresses of this service, so the document is requested again.
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
  const documents = useWorkTexts().documents
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

/** The faults of the template, with file and line. */
const DocumentProblem = ({ error }: { readonly error: Error }): ReactNode => {
  const { problem } = useTexts()
  const documents = useWorkTexts().documents
  const issues = error instanceof ApiProblem ? error.issues : []
  return (
    <div className="document-problem" role="alert">
      <h3>{documents.failed}</h3>
      <p dir="auto">{statusOf(error) === 0 ? problem.unreachable : error.message}</p>
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
