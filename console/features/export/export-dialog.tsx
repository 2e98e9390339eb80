/** The export of a list: which records, which columns, as what; then its progress and its file. */
import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useExportTexts } from '../../texts/export/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { describeFilter } from '../filter/describe-filter.ts'
import { parseFilter, simplest } from '../filter/filter.ts'
import { useWording } from '../filter/use-wording.ts'
import { everything, matching } from '../selection/selection.ts'
import { CommandLines } from './command-lines.tsx'
import { type Choice, ExportForm, firstChoice, Radio } from './export-form.tsx'
import { ExportOutcome } from './export-outcome.tsx'
import { ExportPreview } from './export-preview.tsx'
import type { ExportRequest } from './export-request.ts'
import type { ExportedList } from './exported-list.ts'
import { useExport } from './use-export.ts'
import './export-dialog.css'

type DialogProps = ExportedList & { readonly onClose: () => void }

const requestOf = (list: ExportedList, choice: Choice): ExportRequest => {
  const { entity, columns, search, selected } = list
  const isSelection = choice.rows === 'selected' && selected !== undefined
  const criteria = isSelection ? selected.criteria : matching(everything, search)
  return {
    entity: entity.key,
    criteria: {
      ...criteria,
      ...(search.s && { $orderBy: search.s }),
      ...(choice.columns === 'list' && { $select: columns.map(({ path }) => path) }),
    },
    format: choice.format,
    hasBom: choice.hasBom,
  }
}

export const ExportDialog = ({ onClose, ...list }: DialogProps): ReactNode => {
  const texts = useTexts()
  const exportTexts = useExportTexts()
  const [choice, setChoice] = useState(() => firstChoice(list.selected !== undefined))
  const request = requestOf(list, choice)
  const { state, start, stop, reset } = useExport()
  const isRunning = state.kind === 'running'
  const change = (next: Choice) => {
    setChoice(next)
    reset()
  }
  return (
    <Dialog title={exportTexts.title(list.entity.name)} onClose={onClose}>
      <div className="export">
        <Records
          {...list}
          rows={choice.rows}
          isDisabled={isRunning}
          onRows={(rows) => change({ ...choice, rows })}
        />
        <ExportForm
          choice={choice}
          listed={list.columns.length}
          defined={list.entity.exportSettings.columnDefs.length}
          isDisabled={isRunning}
          onChange={change}
        />
        <ExportPreview request={request} />
        <CommandLines request={request} />
        <ExportOutcome
          state={state}
          count={choice.rows === 'selected' ? list.selected?.count : list.count}
        />
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
type RecordsProps = ExportedList & {
  readonly rows: Choice['rows']
  readonly isDisabled: boolean
  readonly onRows: (rows: Choice['rows']) => void
}

const Records = (props: RecordsProps): ReactNode => {
  const { entity, search, count, selected, rows, isDisabled, onRows } = props
  const texts = useTexts()
  const exportTexts = useExportTexts()
  const wording = useWording(entity)
  const filter = search.w && parseFilter(search.w)
  const words = filter ? describeFilter(simplest(filter), wording) : JSON.stringify(search.w)
  const { read, export: exported } = entity.permissions
  const isFiltered = search.w !== undefined || search.q !== undefined
  return (
    <div>
      {selected === undefined ? (
        <p>
          <strong>{count !== undefined && texts.list.rows(count)}</strong>
        </p>
      ) : (
        <fieldset disabled={isDisabled}>
          <legend>{exportTexts.rows}</legend>
          <Radio
            name="rows"
            isChosen={rows === 'selected'}
            label={exportTexts.rowsSelected(selected.count ?? 0)}
            onChoose={() => onRows('selected')}
          />
          <Radio
            name="rows"
            isChosen={rows === 'all'}
            label={exportTexts.rowsAll(count ?? 0)}
            onChoose={() => onRows('all')}
          />
        </fieldset>
      )}
      {!isFiltered && <p>{exportTexts.noFilter}</p>}
      {search.q !== undefined && <p dir="auto">{exportTexts.search(search.q)}</p>}
      {search.w && <p dir="auto">{exportTexts.filter(words)}</p>}
      {exported === 'own' && read !== 'own' && <p>{exportTexts.ownOnly}</p>}
    </div>
  )
}
