/** The same export as lines for a shell. */
import { type ReactNode, useState } from 'react'
import { basePath } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { curlLine, docketLine, type ExportRequest } from './export-request.ts'
import { ScrollingText } from './scrolling-text.tsx'

export const CommandLines = ({ request }: { readonly request: ExportRequest }): ReactNode => {
  const texts = useWorkTexts().export
  const service = `${window.location.origin}${basePath}`
  return (
    <details>
      <summary>{texts.commands}</summary>
      <p>{texts.token}</p>
      <Line name="curl" line={curlLine(request, service)} />
      <Line name="docket export" line={docketLine(request, service)} />
    </details>
  )
}

const Line = ({ name, line }: { readonly name: string; readonly line: string }): ReactNode => {
  const texts = useWorkTexts().export
  const [copied, setCopied] = useState<string>()
  const copy = async () => {
    await navigator.clipboard.writeText(line)
    setCopied(line)
  }
  return (
    <div className="export-line">
      <ScrollingText label={name} text={line} rows={2} />
      {/* Without HTTPS pages may not write to the clipboard. */}
      {window.isSecureContext && (
        <Button onClick={() => void copy()} aria-label={texts.copy(name)}>
          {copied === line ? texts.copied : texts.copyShort}
        </Button>
      )}
    </div>
  )
}
