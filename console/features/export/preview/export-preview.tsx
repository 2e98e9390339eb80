/** The first rows of an export, as they will be in its file: text as it is, a workbook as a table. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Waiting } from '../../../parts/notes.tsx'
import { ScrolledBody } from '../../../parts/scrolled-body.tsx'
import { useWorkTexts } from '../../../texts/texts.ts'
import { useReading } from '../../session/session.ts'
import { useDelayed } from '../../values/use-delayed.ts'
import type { ExportRequest } from '../export-request.ts'
import { ScrollingText } from '../scrolling-text.tsx'
import { type Preview, previewQuery, previewRows } from './preview-query.ts'

// Several columns are moved or added one after the other.
const settleMs = 250

export const ExportPreview = ({ request }: { readonly request: ExportRequest }): ReactNode => {
  const texts = useWorkTexts().export
  const { locale } = useReading()
  // The same value as long as nothing changes, or it would never settle.
  const settled = useDelayed(JSON.stringify(request), settleMs)
  const shown: ExportRequest = JSON.parse(settled)
  const { data, error, isPlaceholderData } = useQuery(previewQuery(shown, locale))
  const isStale = isPlaceholderData || settled !== JSON.stringify(request)
  return (
    <section className="export-preview" aria-busy={isStale || data === undefined}>
      <h3>{texts.preview}</h3>
      {request.format === 'parquet' && <p>{texts.parquet}</p>}
      {error ? <p role="alert">{error.message}</p> : data ? <Rows {...data} /> : <Waiting />}
      {data !== undefined && data.omitted > 0 && <p>{texts.omitted(data.omitted)}</p>}
    </section>
  )
}

const Rows = (preview: Preview): ReactNode => {
  const texts = useWorkTexts().export
  const label = texts.preview
  if (preview.kind === 'text')
    return <ScrollingText label={label} text={preview.text} rows={previewRows + 1} />
  if (preview.kind === 'tooLong') return <p>{texts.tooLong}</p>
  const [headers = [], ...rows] = preview.rows
  return (
    <ScrolledBody label={label} className="export-sheet">
      <table>
        <thead>
          <tr>
            {withKeys(headers).map(([key, header]) => (
              <th key={key} scope="col" dir="auto">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {withKeys(rows).map(([row, cells]) => (
            <tr key={row}>
              {withKeys(cells).map(([key, text]) => (
                <td key={key} dir="auto">
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrolledBody>
  )
}

/** Rows and cells of a file are known by their places alone. */
const withKeys = <T,>(all: readonly T[]): readonly (readonly [string, T])[] =>
  all.map((one, at) => [String(at), one])
