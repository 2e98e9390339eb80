/** The export of a list: which records, which columns, as what; then its progress and its file. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { csvDialects, namesOf } from '../../../src/definitions/values/rules/csv-dialects.ts'
import { basePath } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { formatBytes } from '../format/format-bytes.ts'
import type { Reading } from '../format/format-value.ts'
import { orderOf } from '../grid/list-state.ts'
import { everything, matching } from '../grid/selection.ts'
import { useReading } from '../session/session.ts'
import { useConsoleSettings } from '../session/use-console-settings.ts'
import { toLocalTime } from '../values/local-text.ts'
import {
  type ExportChoice,
  type ExportedList,
  ExportForm,
  ExportRecords,
  hasNamesOf,
  useExportCount,
} from './export-form.tsx'
import { ExportPreview, ScrollingText } from './export-preview.tsx'
import { curlLine, docketLine, type ExportRequest, formats } from './export-request.ts'
import './export.css'
import { maxMemoryBytes } from './file-target.ts'
import {
  type ExportFailure,
  type ExportFile,
  type ExportState,
  type Progress,
  useExport,
} from './run-export.ts'

type DialogProps = ExportedList & { readonly onClose: () => void }

const requestOf = (list: ExportedList, choice: ExportChoice, reading: Reading): ExportRequest => {
  const { entity, search, selected } = list
  const isSelection = choice.rows === 'selected' && selected !== undefined
  const criteria = isSelection ? selected.criteria : matching(everything, search)
  return {
    entity: entity.key,
    name: entity.pluralName,
    criteria: {
      ...criteria,
      $orderBy: orderOf(search),
      ...(choice.columns && { $select: choice.columns }),
    },
    format: choice.format,
    csv: choice.csv,
    hasNames: hasNamesOf(choice),
    language: reading.locale,
    day: toLocalTime(new Date().toISOString(), reading.timeZone).slice(0, 10),
  }
}

export const ExportDialog = ({ onClose, ...list }: DialogProps): ReactNode => {
  const texts = useTexts()
  const exportTexts = useWorkTexts().export
  const listed = list.columns.map(({ path }) => path)
  const { last, keep } = useLastFile()
  const [choice, setChoice] = useState<ExportChoice>(() => ({
    ...last,
    hasNames: undefined,
    columns: listed,
    rows: list.selected ? 'selected' : 'all',
  }))
  const request = requestOf(list, choice, useReading())
  const count = useExportCount(list, choice.rows, request)
  const { state, start, stop, reset } = useExport()
  const isRunning = state.kind === 'running'
  const begin = () => {
    keep(choice)
    start(request)
  }
  const change = (next: ExportChoice) => {
    setChoice(next)
    reset()
  }
  return (
    <Dialog title={exportTexts.title(list.entity.pluralName)} onClose={onClose}>
      <div className="export">
        <ExportRecords
          list={list}
          count={count}
          rows={choice.rows}
          isDisabled={isRunning}
          onRows={(rows) => change({ ...choice, rows })}
        />
        <ExportForm
          choice={choice}
          listed={listed}
          entity={list.entity}
          isDisabled={isRunning}
          onChange={change}
        />
        <ExportPreview request={request} />
        <CommandLines request={request} />
      </div>
      <div className="export-foot">
        <ExportOutcome state={state} count={count} />
        <div className="dialog-actions">
          <Button onClick={isRunning ? stop : onClose}>
            {isRunning ? exportTexts.stop : texts.common.close}
          </Button>
          <Button
            look={state.kind === 'done' ? 'plain' : 'primary'}
            disabled={isRunning}
            onClick={begin}
          >
            {exportTexts.start}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** The format of the user's last export and the dialect of the last CSV, which the service stores; the first format without one. */
const useLastFile = () => {
  const { settings, change } = useConsoleSettings()
  const format = formats.find((one) => one === settings.exportFormat)
  const csv = namesOf(csvDialects).find((one) => one === settings.exportCsv)
  return {
    last: { format: format ?? formats[0], csv },
    keep: (choice: ExportChoice) => {
      if (choice.format !== format) change({ exportFormat: choice.format })
      if (choice.format === 'csv' && choice.csv !== csv) change({ exportCsv: choice.csv ?? null })
    },
  }
}

/** The same export as lines for a shell. */
const CommandLines = ({ request }: { readonly request: ExportRequest }): ReactNode => {
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
  return (
    <div className="export-line">
      <ScrollingText label={name} text={line} rows={2} />
      <CopyButton
        text={line}
        face={texts.copyShort}
        copiedFace={texts.copied}
        label={texts.copy(name)}
      />
    </div>
  )
}

// The progress of an export, and its result: a whole file, or why there is none.

type OutcomeProps = {
  readonly state: ExportState
  /** The number of records that match. */
  readonly count: number | undefined
}

const ExportOutcome = ({ state, count }: OutcomeProps): ReactNode => (
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
