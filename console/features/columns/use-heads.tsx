/** The heads of the columns of a list: order, widths, places, and the menu of each. */
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { ListColumn } from '../list/columns.ts'
import type { ColumnLook } from '../list/grid-layout.ts'
import type { GridHeads } from '../list/grid-props.ts'
import { type ListSearch, sortingsOf, withNextOrder } from '../list/list-state.ts'
import { columnActs, loadDrag } from './column-acts.ts'

const ColumnMenu = lazy(async () => ({ default: (await import('./column-menu.tsx')).ColumnMenu }))

type Options = {
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly setSearch: (search: ListSearch) => void
  readonly look: ColumnLook
  readonly setLook: (look: ColumnLook) => void
  readonly onGroup: (column: ListColumn) => void
}

type Opening = { readonly column: ListColumn; readonly anchor: Element; readonly count: number }

/** What the heads show and do; the same until the address or the look of the columns changes. */
export const useHeads = (
  options: Options,
): { readonly heads: GridHeads; readonly columnMenu: ReactNode } => {
  const { columns, search, setSearch: onChange, look, setLook: onLook, onGroup } = options
  const [at, setAt] = useState<Opening>()
  const acts = useMemo(
    () => columnActs({ columns, search, onChange, look, onLook }),
    [columns, search, onChange, look, onLook],
  )
  const heads = useMemo<GridHeads>(
    () => ({
      ...{ look, sortings: sortingsOf(search) },
      openMenu: at?.column.path,
      onNear: () => void loadDrag(),
      onSort: ({ path }, isAdded) => onChange(withNextOrder(search, path, isAdded)),
      onMenu: (column, anchor) =>
        setAt((now) => ({ column, anchor, count: (now?.count ?? 0) + 1 })),
      onWiden: acts.widen,
      onFit: acts.fit,
      onMove: acts.move,
      onDragWidth: (handle, event, column) =>
        void loadDrag().then(({ dragWidth }) =>
          dragWidth(handle, event, { columns, look, at: column, onWidths: acts.setWidths }),
        ),
      onDrag: (button, event, column) =>
        void loadDrag().then(({ dragColumn }) =>
          dragColumn(button, event, { columns, look, at: column, onMove: acts.move }),
        ),
    }),
    [columns, search, onChange, look, acts, at],
  )
  const columnMenu = at && (
    <Suspense>
      <ColumnMenu
        key={at.count}
        {...{ columns, search, onChange, onGroup, acts }}
        column={at.column}
        anchor={at.anchor}
        onClose={() => setAt((now) => (now === at ? undefined : now))}
      />
    </Suspense>
  )
  return { heads, columnMenu }
}
