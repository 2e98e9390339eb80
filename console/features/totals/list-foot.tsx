/** The foot of a list: what is selected, what can be done with it, and sums; and the groups of a list. */
import { type ReactNode, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { sumIcon } from '../../parts/icons.tsx'
import { laterPart } from '../../parts/later.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ActionsProps } from '../bulk/bulk-actions.tsx'
import { ExportButton } from '../export/export-button.tsx'
import { kindOf } from '../format/field-kinds.ts'
import { type ListSearch, sortingsOf } from '../grid/list-state.ts'
import { isEmpty, type ListSelection } from '../grid/selection.ts'
import { SelectionBar } from '../grid/selection-bar.tsx'
import type { ListColumn } from '../values/columns.ts'
import type { GroupDialog as Dialog } from './group-dialog.tsx'

const loadPanel = () => import('./totals-panel.tsx')
const TotalsPanel = laterPart(async () => (await loadPanel()).TotalsPanel)
const MixedOrder = laterPart(async () => (await loadPanel()).MixedOrder)
const SelectedSums = laterPart(async () => (await loadPanel()).SelectedSums)

const GroupDialog = laterPart(async () => (await import('./group-dialog.tsx')).GroupDialog)

/** Whether it makes sense to add up the values of a column: not of ids and versions, nor if the unit is hidden from the user. */
const isAddable = ({ field }: ListColumn): boolean =>
  kindOf(field).isNumber === true && !field.isSystem && field.unit !== null

type FootProps = {
  readonly entity: Entity
  /** Those that the list shows, and all that it could show. */
  readonly columns: readonly ListColumn[]
  readonly all: readonly ListColumn[]
  readonly search: ListSearch
  readonly selected: ListSelection
  /** The number of records that match. */
  readonly total: number | undefined
  readonly onChange: (search: ListSearch) => void
}

/** The first numbers of different units by which a list is sorted; undefined if it is sorted by their unit before. */
const mixedColumn = (search: ListSearch, columns: readonly ListColumn[]) => {
  const paths = sortingsOf(search).map(({ path }) => path)
  return columns.flatMap((column) => {
    const { path, unit } = column
    const place = paths.indexOf(path)
    return unit && place >= 0 && !paths.slice(0, place).includes(unit.path)
      ? { column, unitPath: unit.path }
      : []
  })[0]
}

export const ListFoot = (props: FootProps): ReactNode => {
  const { entity, columns, all, search, selected, total, onChange } = props
  const { selection: texts } = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  const addable = [...new Map([...columns, ...all].map((one) => [one.path, one])).values()].filter(
    isAddable,
  )
  const mixed = mixedColumn(search, addable)
  return (
    <>
      {mixed && (
        <MixedOrder
          key={mixed.unitPath}
          entity={entity}
          search={search}
          onChange={onChange}
          {...mixed}
        />
      )}
      {isOpen && (
        <TotalsPanel entity={entity} search={search} selected={selected} columns={addable} />
      )}
      <SelectionBar
        entity={entity}
        columns={columns}
        selected={selected}
        total={total}
        sums={<SelectedSums entity={entity} search={search} selection={selected.selection} />}
      >
        <SelectedActions entity={entity} search={search} selected={selected} />
        {selected.matching && (
          <ExportButton
            entity={entity}
            columns={columns}
            search={search}
            label={texts.export}
            count={total}
            selected={selected.matching}
          />
        )}
        {addable.length > 0 && (
          <Button
            look="quiet"
            aria-label={texts.totals}
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {sumIcon} <span>{texts.totals}</span>
          </Button>
        )}
      </SelectionBar>
    </>
  )
}

type ListProps = Omit<Parameters<typeof Dialog>[0], 'column' | 'addable' | 'onClose'> & {
  readonly all: readonly ListColumn[]
}

type Grouping = { readonly onGroup: (column: ListColumn) => void; readonly dialog: ReactNode }

/** The groups of a list, which the menu of a column opens. */
export const useGrouping = ({ all, ...list }: ListProps): Grouping => {
  const [column, setColumn] = useState<ListColumn>()
  const dialog = column && (
    <GroupDialog
      {...list}
      addable={all.filter(isAddable)}
      column={column}
      onClose={() => setColumn(undefined)}
    />
  )
  return { onGroup: setColumn, dialog }
}

// Loads the operations of selected records when the first one is selected.

const BulkActions = laterPart(async () => (await import('../bulk/bulk-actions.tsx')).BulkActions)

const SelectedActions = (props: ActionsProps): ReactNode => {
  const [wasSelected, setWasSelected] = useState(false)
  if (!wasSelected && !isEmpty(props.selected.selection)) setWasSelected(true)
  return wasSelected && <BulkActions {...props} />
}
