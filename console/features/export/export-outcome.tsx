/** The progress of an export, and its result: a whole file, or why there is none. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { maxMemoryBytes } from './file-target.ts'
import { formatBytes } from './format-bytes.ts'
import type { ExportFailure, ExportFile, ExportState, Progress } from './run-export.ts'

type OutcomeProps = {
  readonly state: ExportState
  /** The number of records that match. */
  readonly count: number | undefined
}

export const ExportOutcome = ({ state, count }: OutcomeProps): ReactNode => (
  <div className="export-outcome">
    {state.kind === 'running' && <Running {...state} count={count} />}
    {state.kind === 'failed' && <Failed failure={state.failure} />}
    <div role="status">{state.kind === 'done' && <Done file={state.file} />}</div>
  </div>
)

type RunningProps = {
  readonly begun: number
  readonly progress: Progress
  readonly count: number | undefined
}

const Running = ({ begun, progress, count }: RunningProps): ReactNode => {
  const texts = useTexts()
  const exportTexts = useWorkTexts().export
  const { locale } = useReading()
  const { bytes, rows, rowsPerSecond } = progress
  const share = rows === undefined || !count ? undefined : Math.min(1, rows / count)
  const parts = [
    formatBytes(bytes, locale),
    rows !== undefined && texts.list.rows(rows),
    rowsPerSecond !== undefined && exportTexts.rowsPerSecond(rowsPerSecond),
    formatDuration(useElapsed(begun)),
  ]
  return (
    <>
      <progress aria-label={exportTexts.progress} value={share} />
      <p>{parts.filter(Boolean).join(' · ')}</p>
    </>
  )
}

/** Whole seconds since a moment; it renders each second. */
const useElapsed = (begun: number): number => {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const show = () => setSeconds(Math.floor((performance.now() - begun) / 1000))
    const timer = setInterval(show, 1_000)
    return () => clearInterval(timer)
  }, [begun])
  return seconds
}

const Done = ({
  file: { name, rows, bytes, offered },
}: {
  readonly file: ExportFile
}): ReactNode => {
  const texts = useTexts()
  const exportTexts = useWorkTexts().export
  const { locale } = useReading()
  const link = useRef<HTMLAnchorElement>(null)
  // The file is saved at once; the link saves it again.
  useEffect(() => link.current?.click(), [])
  const size = formatBytes(bytes, locale)
  return (
    <>
      <p>{exportTexts.whole(texts.list.rows(rows), size)}</p>
      {offered === undefined ? (
        <p>{exportTexts.stored}</p>
      ) : (
        <a ref={link} className="button" href={offered.url} download={name}>
          {exportTexts.save(name)}
        </a>
      )}
    </>
  )
}

const Failed = ({ failure }: { readonly failure: ExportFailure }): ReactNode => {
  const texts = useWorkTexts().export
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

const two = (number: number): string => String(number).padStart(2, '0')

/** Whole seconds as a clock shows them: 0:07, 12:30, 1:02:05. */
const formatDuration = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const shown = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes)
  return `${shown}:${two(seconds % 60)}`
}
