/** The printable documents of a record, one of them shown. */
import { type ReactNode, useState } from 'react'
import {
  type DocumentName,
  documentAddress,
  type RecordPlace,
} from '../../api/records/documents.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { useDocumentTexts } from '../../texts/documents/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { DocumentView } from './document-view.tsx'
import './documents-panel.css'

type PanelProps = RecordPlace & { readonly documents: readonly DocumentName[] }

export const DocumentsPanel = ({ documents, ...place }: PanelProps): ReactNode => {
  const { title } = useTexts().documents
  const texts = useDocumentTexts()
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
