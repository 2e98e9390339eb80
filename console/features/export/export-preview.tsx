/** The first rows of an export, as CSV has them. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { open } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import { useExportTexts } from '../../texts/export/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import type { ExportRequest } from './export-request.ts'
import { chunksOf } from './run-export.ts'
import { ScrollingText } from './scrolling-text.tsx'

const previewRows = 5
// A single row may have many MB.
const maxBytes = 16_384

type Preview = {
  readonly text: string
  /** The number of columns that the role may not read. */
  readonly omitted: number
}

const previewQuery = ({ entity, criteria }: ExportRequest) =>
  queryOptions({
    queryKey: [userKey, 'list', entity, criteria, 'preview'],
    queryFn: async ({ signal }): Promise<Preview> => {
      const response = await open(`/${entity}/export`, {
        ...{ method: 'POST', query: { format: 'csv', limit: previewRows }, body: criteria, signal },
      })
      const omitted = Number(response.headers.get('X-Omitted-Columns') ?? 0)
      return { text: await beginningOf(response), omitted }
    },
  })

const beginningOf = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunksOf(response)) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > maxBytes) return `${text.slice(0, maxBytes)} …`
  }
  return text
}

export const ExportPreview = ({ request }: { readonly request: ExportRequest }): ReactNode => {
  const texts = useExportTexts()
  const { common } = useTexts()
  const { data, error } = useQuery(previewQuery(request))
  return (
    <section>
      <h3>{texts.preview(previewRows)}</h3>
      {error ? (
        <p role="alert">{error.message}</p>
      ) : (
        <ScrollingText
          label={texts.preview(previewRows)}
          text={data?.text ?? common.loading}
          rows={previewRows + 1}
        />
      )}
      {data !== undefined && data.omitted > 0 && <p>{texts.omitted(data.omitted)}</p>}
    </section>
  )
}
