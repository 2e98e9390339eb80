/** The export of a list: which records, which columns, as what; then its progress and its file. */
import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useExportTexts } from '../../texts/export/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { describeFilter } from '../filter/describe-filter.ts'
import { parseFilter, simplest } from '../filter/filter.ts'
import { useWording } from '../filter/use-wording.ts'
import { CommandLines } from './command-lines.tsx'
import { type Choice, ExportForm, firstChoice } from './export-form.tsx'
import { ExportOutcome } from './export-outcome.tsx'
import { ExportPreview } from './export-preview.tsx'
import type { ExportRequest } from './export-request.ts'
import type { ExportedList } from './exported-list.ts'
import { useExport } from './use-export.ts'
import './export-dialog.css'

type DialogProps = ExportedList & { readonly onClose: () => void }

const requestOf = ({ entity, columns, search }: ExportedList, choice: Choice): ExportRequest => ({
  entity: entity.key,
  criteria: {
    ...(search.w && { $where: search.w }),
    ...(search.q !== undefined && { $search: search.q }),
    ...(search.s && { $orderBy: search.s }),
    ...(choice.columns === 'list' && { $select: columns.map(({ path }) => path) }),
  },
  format: choice.format,
  hasBom: choice.hasBom,
})

export const ExportDialog = ({ onClose, ...list }: DialogProps): ReactNode => {
  const texts = useTexts()
  const exportTexts = useExportTexts()
  const [choice, setChoice] = useState(firstChoice)
  const request = requestOf(list, choice)
  const { state, start, stop, reset } = useExport()
  const isRunning = state.kind === 'running'
  return (
    <Dialog title={exportTexts.title(list.entity.name)} onClose={onClose}>
      <div className="export">
        <Records {...list} />
        <ExportForm
          choice={choice}
          listed={list.columns.length}
          defined={list.entity.exportSettings.columnDefs.length}
          isDisabled={isRunning}
          onChange={(next) => {
            setChoice(next)
            reset()
          }}
        />
        <ExportPreview request={request} />
        <CommandLines request={request} />
        <ExportOutcome state={state} count={list.count} />
        <div className="dialog-actions">
          <Button onClick={isRunning ? stop : onClose}>
            {isRunning ? exportTexts.stop : texts.common.close}
          </Button>
          <Button look="primary" disabled={isRunning} onClick={() => start(request)}>
            {exportTexts.start}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** How many records, and which. */
const Records = ({ entity, search, count }: ExportedList): ReactNode => {
  const texts = useTexts()
  const exportTexts = useExportTexts()
  const wording = useWording(entity)
  const filter = search.w && parseFilter(search.w)
  const words = filter ? describeFilter(simplest(filter), wording) : JSON.stringify(search.w)
  const { read, export: exported } = entity.permissions
  const isFiltered = search.w !== undefined || search.q !== undefined
  return (
    <div>
      <p>
        <strong>{count !== undefined && texts.list.rows(count)}</strong>
      </p>
      {!isFiltered && <p>{exportTexts.noFilter}</p>}
      {search.q !== undefined && <p dir="auto">{exportTexts.search(search.q)}</p>}
      {search.w && <p dir="auto">{exportTexts.filter(words)}</p>}
      {exported === 'own' && read !== 'own' && <p>{exportTexts.ownOnly}</p>}
    </div>
  )
}
