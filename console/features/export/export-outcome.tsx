/** How an export goes and what came of it: a whole file, or why there is none. */
import type { ReactNode } from 'react'
import { useExportTexts } from '../../texts/export/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { canStreamToDisk, maxMemoryBytes } from './file-target.ts'
import { formatBytes } from './format-bytes.ts'
import type { ExportFailure, Progress } from './run-export.ts'
import type { ExportFile, ExportState } from './use-export.ts'

type OutcomeProps = {
  readonly state: ExportState
  /** The number of records that match. */
  readonly count: number | undefined
}

export const ExportOutcome = ({ state, count }: OutcomeProps): ReactNode => {
  const texts = useExportTexts()
  const { locale } = useReading()
  return (
    <div className="export-outcome">
      {state.kind === 'idle' && !canStreamToDisk() && (
        <p>{texts.memoryLimit(formatBytes(maxMemoryBytes, locale))}</p>
      )}
      {state.kind === 'running' && <Running progress={state.progress} count={count} />}
      {state.kind === 'failed' && <Failed failure={state.failure} />}
      <div role="status">{state.kind === 'done' && <Done file={state.file} />}</div>
    </div>
  )
}

type RunningProps = { readonly progress: Progress; readonly count: number | undefined }

const Running = ({ progress: { bytes, rows }, count }: RunningProps): ReactNode => {
  const texts = useTexts()
  const exportTexts = useExportTexts()
  const { locale } = useReading()
  const share = rows === undefined || !count ? undefined : Math.min(1, rows / count)
  return (
    <>
      <progress aria-label={exportTexts.progress} value={share} />
      <p>
        {formatBytes(bytes, locale)}
        {rows !== undefined && ` · ${texts.list.rows(rows)}`}
      </p>
    </>
  )
}

const Done = ({ file: { name, rows, bytes, url } }: { readonly file: ExportFile }): ReactNode => {
  const texts = useTexts()
  const exportTexts = useExportTexts()
  const { locale } = useReading()
  const size = formatBytes(bytes, locale)
  return (
    <>
      <p>{exportTexts.whole(texts.list.rows(rows), size)}</p>
      {url === undefined ? (
        <p>{exportTexts.stored}</p>
      ) : (
        <a className="button" data-look="primary" href={url} download={name}>
          {exportTexts.save(name)}
        </a>
      )}
    </>
  )
}

const Failed = ({ failure }: { readonly failure: ExportFailure }): ReactNode => {
  const texts = useExportTexts()
  const { locale } = useReading()
  const { kind, message } = failure
  const hasReason = kind === 'refused' || kind === 'unwritable'
  return (
    <p role="alert" className="export-failure">
      {kind === 'tooLarge'
        ? texts.tooLarge(formatBytes(maxMemoryBytes, locale))
        : texts.failures[kind]}
      {hasReason && ` ${message}`}
    </p>
  )
}
