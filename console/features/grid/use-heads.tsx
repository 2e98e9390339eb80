/** The heads of the columns of a list: order, widths, places, and the menu of each. */
import { type ReactNode, useMemo, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { laterPart } from '../../parts/later.tsx'
import type { ListColumn } from '../values/columns.ts'
import type { ColumnActs } from './column-acts.ts'
import { type ColumnLook, mayMove } from './grid-layout.ts'
import type { GridHeads } from './grid-props.ts'
import { type ListSearch, sortingsOf, withNextOrder } from './list-state.ts'

const ColumnMenu = laterPart(async () => (await import('./column-menu.tsx')).ColumnMenu)

const loadActs = () => import('./column-acts.ts')
const loadDrag = () => import('./column-drag.ts')

type Options = {
  readonly entity: Entity
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
  const { entity, columns, search, setSearch: onChange, look, setLook: onLook, onGroup } = options
  const [at, setAt] = useState<Opening>()
  const heads = useMemo<GridHeads>(() => {
    const act = (run: (acts: ColumnActs) => void) =>
      void loadActs().then(({ columnActs }) =>
        run(columnActs({ columns, search, onChange, look, onLook })),
      )
    return {
      look,
      sortings: sortingsOf(search),
      openMenu: at?.column.path,
      // Whoever comes to them while the service is away is told when something is to be saved.
      onNear: () => void Promise.all([loadActs(), loadDrag()]).catch(() => undefined),
      onSort: ({ path }, isAdded) => onChange(withNextOrder(search, path, isAdded)),
      onMenu: (column, anchor) =>
        setAt((now) => ({ column, anchor, count: (now?.count ?? 0) + 1 })),
      onWiden: (...given) => act(({ widen }) => widen(...given)),
      onFit: (...given) => act(({ fit }) => fit(...given)),
      onMove: (from, to) => {
        act(({ move }) => move(from, to))
        return mayMove(columns, look, from, to)
      },
      onDragWidth: (handle, event, column) =>
        void loadDrag().then(({ dragWidth }) =>
          dragWidth(handle, event, {
            columns,
            look,
            at: column,
            onWidths: (widths) => act(({ setWidths }) => setWidths(widths)),
          }),
        ),
      onDrag: (button, event, column) =>
        void loadDrag().then(({ dragColumn }) =>
          dragColumn(button, event, {
            columns,
            look,
            at: column,
            onMove: (from, to) => act(({ move }) => move(from, to)),
          }),
        ),
    }
  }, [columns, search, onChange, look, onLook, at])
  const columnMenu = at && (
    <ColumnMenu
      key={at.count}
      entity={entity}
      columns={columns}
      search={search}
      onChange={onChange}
      onGroup={onGroup}
      look={look}
      onLook={onLook}
      column={at.column}
      anchor={at.anchor}
      onClose={() => setAt((now) => (now === at ? undefined : now))}
    />
  )
  return { heads, columnMenu }
}
