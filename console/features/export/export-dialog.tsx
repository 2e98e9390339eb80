/** The export of a list: which records, which columns, as what; then its progress and its file. */
import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import type { Reading } from '../format/format-value.ts'
import { orderOf } from '../grid/list-state.ts'
import { everything, matching } from '../grid/selection.ts'
import { useReading } from '../session/session.ts'
import { toLocalTime } from '../values/local-time.ts'
import { CommandLines } from './command-lines.tsx'
import { type Choice, ExportForm, hasNamesOf } from './export-form.tsx'
import { ExportOutcome } from './export-outcome.tsx'
import { ExportRecords } from './export-records.tsx'
import type { ExportRequest } from './export-request.ts'
import type { ExportedList } from './exported-list.ts'
import { ExportPreview } from './preview/export-preview.tsx'
import { useExport } from './run/use-export.ts'
import { useExportCount } from './use-export-count.ts'
import { useLastFormat } from './use-last-format.ts'
import './export-dialog.css'

type DialogProps = ExportedList & { readonly onClose: () => void }

const requestOf = (list: ExportedList, choice: Choice, reading: Reading): ExportRequest => {
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
    isForExcel: choice.isForExcel,
    hasNames: hasNamesOf(choice),
    language: reading.locale,
    day: toLocalTime(new Date().toISOString(), reading.timeZone).slice(0, 10),
  }
}

export const ExportDialog = ({ onClose, ...list }: DialogProps): ReactNode => {
  const texts = useTexts()
  const exportTexts = useWorkTexts().export
  const listed = list.columns.map(({ path }) => path)
  const { lastFormat, keepFormat } = useLastFormat()
  const [choice, setChoice] = useState<Choice>(() => ({
    format: lastFormat,
    isForExcel: false,
    hasNames: undefined,
    columns: listed,
    rows: list.selected ? 'selected' : 'all',
  }))
  const request = requestOf(list, choice, useReading())
  const count = useExportCount(list, choice.rows, request)
  const { state, start, stop, reset } = useExport()
  const isRunning = state.kind === 'running'
  const begin = () => {
    keepFormat(choice.format)
    start(request)
  }
  const change = (next: Choice) => {
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
