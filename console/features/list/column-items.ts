/** What can be done with a column: the items of its menu, the same that the mouse does on its head. */
import type { MenuItem } from '../../parts/menu.tsx'
import type { Texts } from '../../texts/texts.ts'
import type { ListColumn } from './columns.ts'
import { type ListSearch, sortingsOf, withColumns, withOrder } from './list-state.ts'

type Options = {
  readonly column: ListColumn
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly texts: Texts
  readonly onChange: (search: ListSearch) => void
  readonly onGroup: (column: ListColumn) => void
}

export const columnItems = ({
  column,
  columns,
  search,
  texts,
  onChange,
  onGroup,
}: Options): MenuItem[] => {
  const { path } = column
  const paths = columns.map((one) => one.path)
  const at = paths.indexOf(path)
  const others = sortingsOf(search).filter((one) => one.path !== path)
  const isSorted = others.length < sortingsOf(search).length
  const sort = (isDescending: boolean) => onChange(withOrder(search, [{ path, isDescending }]))
  const move = (by: number) => onChange(withColumns(search, moved(paths, at, by)))
  const { list } = texts
  return [
    { label: list.sortAscending, onSelect: () => sort(false) },
    { label: list.sortDescending, onSelect: () => sort(true) },
    {
      label: list.noSort,
      isDisabled: !isSorted,
      onSelect: () => onChange(withOrder(search, others)),
    },
    {
      label: texts.selection.groupBy,
      isDisabled: column.field.type === 'json',
      onSelect: () => onGroup(column),
    },
    { label: list.moveLeft, isDisabled: at === 0, onSelect: () => move(-1) },
    { label: list.moveRight, isDisabled: at === paths.length - 1, onSelect: () => move(1) },
    {
      label: list.hide,
      isDisabled: paths.length === 1,
      onSelect: () => onChange(withColumns(search, paths.toSpliced(at, 1))),
    },
  ]
}

const moved = (paths: readonly string[], at: number, by: number): readonly string[] => {
  const path = paths[at]
  return path === undefined ? paths : paths.toSpliced(at, 1).toSpliced(at + by, 0, path)
}
