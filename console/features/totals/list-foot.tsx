/** The foot of a list: what is selected, what can be done with it, and sums. */
import { type ReactNode, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { sumIcon } from '../../parts/icons.tsx'
import { laterPart } from '../../parts/later.tsx'
import { useTexts } from '../../texts/texts.ts'
import { SelectedActions } from '../bulk/selected-actions.tsx'
import { ExportButton } from '../export/export-button.tsx'
import { type ListSearch, sortingsOf } from '../grid/list-state.ts'
import { SelectionBar } from '../grid/selection-bar.tsx'
import type { ListSelection } from '../grid/use-selection.ts'
import type { ListColumn } from '../values/columns.ts'
import { isAddable } from './addable.ts'

const TotalsPanel = laterPart(async () => (await import('./totals-panel.tsx')).TotalsPanel)

const MixedOrder = laterPart(async () => (await import('./mixed-order.tsx')).MixedOrder)

const SelectedSums = laterPart(async () => (await import('./selected-sums.tsx')).SelectedSums)

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

/** The first number that a list is in the order of, if rows have different units and are not in the order of these. */
const mixedIn = (search: ListSearch, columns: readonly ListColumn[]) => {
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
  const mixed = mixedIn(search, addable)
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
