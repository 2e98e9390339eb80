/** Above a list of cards, which have no heads: select all, sort, group. */
import type { ReactNode } from 'react'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import type { ListColumn } from '../values/columns.ts'
import { type GridSelection, SelectAllBox } from './grid-selection.tsx'
import { type ListSearch, sortingsOf, withNextOrder } from './list-state.ts'
import './card-tools.css'

type ToolsProps = {
  /** All that the list shows, also those that cards have no room for. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly setSearch: (search: ListSearch) => void
  readonly onGroup: (column: ListColumn) => void
  readonly selection: GridSelection
}

export const CardTools = (props: ToolsProps): ReactNode => {
  const { columns, search, onGroup, selection } = props
  const { selection: selecting } = useTexts()
  const texts = useWorkTexts().columns
  const sorted = sortingsOf(search)
  const first = columns.find(({ path }) => path === sorted[0]?.path)
  const groups = columns
    .filter(({ field }) => field.type !== 'json')
    .map((column) => ({ label: column.label, onSelect: () => onGroup(column) }))
  return (
    <div className="card-tools">
      <SelectAllBox selection={selection} text={selecting.everything} />
      <Menu
        label={texts.sort}
        look="quiet"
        items={useSortItems(props)}
        face={
          <span className="card-sort" dir="auto">
            {first ? `${texts.sort}: ${first.label}` : texts.sort}
            {first && (sorted[0]?.isDescending ? ' ↓' : ' ↑')}
          </span>
        }
      />
      <Menu label={texts.group} look="quiet" items={groups} face={texts.group} />
    </div>
  )
}

/** Each column, which goes to its next order: ascending, descending, none. */
const useSortItems = ({ columns, search, setSearch }: ToolsProps): readonly MenuItem[] => {
  const texts = useWorkTexts().columns
  const sorted = sortingsOf(search)
  return columns.map(({ path, label }) => {
    const found = sorted.find((one) => one.path === path)
    return {
      label: found ? (found.isDescending ? texts.descending : texts.ascending)(label) : label,
      isChecked: found !== undefined,
      keepsOpen: true,
      onSelect: () => setSearch(withNextOrder(search, path, false)),
    }
  })
}
