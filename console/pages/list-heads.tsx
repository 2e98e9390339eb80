/** The heads of the columns of a list: their order and their menus. */
import { useMemo } from 'react'
import { columnItems } from '../features/list/column-items.ts'
import type { ListColumn } from '../features/list/columns.ts'
import type { GridProps } from '../features/list/grid-props.ts'
import { type ListSearch, sortingsOf, withNextOrder } from '../features/list/list-state.ts'
import { moreIcon } from '../parts/icons.tsx'
import { Menu } from '../parts/menu.tsx'
import { useTexts } from '../texts/texts.ts'

/** What the heads of the columns show and do; the same until the address or the columns change. */
export const useHeads = (
  columns: readonly ListColumn[],
  search: ListSearch,
  onChange: (search: ListSearch) => void,
  onGroup: (column: ListColumn) => void,
): Pick<GridProps, 'sortings' | 'onSort' | 'renderMenu'> => {
  const texts = useTexts()
  return useMemo(
    () => ({
      sortings: sortingsOf(search),
      onSort: ({ path }, isAdded) => onChange(withNextOrder(search, path, isAdded)),
      renderMenu: (column) => (
        <Menu
          label={texts.list.columnMenu(column.label)}
          face={moreIcon}
          tabIndex={-1}
          items={columnItems({ column, columns, search, texts, onChange, onGroup })}
        />
      ),
    }),
    [columns, search, texts, onChange, onGroup],
  )
}
