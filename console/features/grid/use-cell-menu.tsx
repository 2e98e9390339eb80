/** The menu of a cell, as long as it is open. */
import { type ReactNode, useCallback, useState } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { laterPart } from '../../parts/later.tsx'
import type { ListColumn } from '../values/columns.ts'
import { editedField } from './cell-edits.tsx'
import type { Place } from './grid-keys.ts'
import { type ListSearch, withFilter } from './list-state.ts'

const CellMenu = laterPart(async () => (await import('./cell-menu.tsx')).CellMenu)

type Options = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly setSearch: (search: ListSearch) => void
}

type Opening = { readonly place: Place; readonly anchor: Element }

export const useCellMenu = (
  { entity, columns, search, setSearch }: Options,
  rowAt: (index: number) => ListRow | undefined,
  onEdit: (place: Place) => void,
): {
  readonly onMenu: (place: Place, anchor: Element) => void
  readonly menu: ReactNode
} => {
  const [at, setAt] = useState<Opening>()
  // Each opening is one of its own: the end of one may be told after the beginning of the next.
  const [count, setCount] = useState(0)
  const onMenu = useCallback((place: Place, anchor: Element) => {
    setAt({ place, anchor })
    setCount((now) => now + 1)
  }, [])
  const row = at && rowAt(at.place.row)
  const column = at && columns[at.place.column]
  const menu = row && column && (
    <CellMenu
      key={count}
      entity={entity}
      row={row}
      column={column}
      anchor={at.anchor}
      where={search.w}
      onFilter={(where) => setSearch(withFilter(search, where))}
      onEdit={editedField(entity, column) && (() => onEdit(at.place))}
      onClose={() => setAt((now) => (now === at ? undefined : now))}
    />
  )
  return { onMenu, menu }
}
