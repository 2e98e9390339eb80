/** The menus of a list: of a cell, of a column, and the choice of columns. Each is loaded when it is first opened. */
import { type ComponentProps, type ReactNode, useCallback, useId, useMemo, useState } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { columnsIcon } from '../../parts/icons.tsx'
import { laterPart } from '../../parts/later.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { ListColumn } from '../values/columns.ts'
import { editedField } from './cell-edits.tsx'
import type { ColumnChoices as Choices } from './column-menus.tsx'
import { type ColumnLook, mayMove } from './grid-layout.ts'
import type { GridHeads, Place } from './grid-props.ts'
import { type ListSearch, sortingsOf, withFilter, withNextOrder } from './list-state.ts'

const CellMenu = laterPart(async () => (await import('./cell-menu.tsx')).CellMenu)

const loadMenus = () => import('./column-menus.tsx')
const ColumnMenu = laterPart(async () => (await loadMenus()).ColumnMenu)
const ColumnChoices = laterPart(async () => (await loadMenus()).ColumnChoices)

const loadActs = () => import('./column-acts.ts')

type Opening<Target> = { readonly target: Target | undefined; readonly count: number }

/** What a menu is open for. Openings are counted, because the end of one may be reported after the next one has begun. */
const useOpening = <Target,>() => {
  const [opening, setOpening] = useState<Opening<Target>>({ target: undefined, count: 0 })
  const { target, count } = opening
  const open = useCallback(
    (next: Target) => setOpening((now) => ({ target: next, count: now.count + 1 })),
    [],
  )
  const close = () =>
    setOpening((now) => (now.count === count ? { target: undefined, count } : now))
  return { target, count, open, close }
}

type Options = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly setSearch: (search: ListSearch) => void
}

export const useCellMenu = (
  { entity, columns, search, setSearch }: Options,
  rowAt: (index: number) => ListRow | undefined,
  onEdit: (place: Place) => void,
): {
  readonly onMenu: (place: Place, anchor: Element) => void
  readonly menu: ReactNode
} => {
  const { target, count, open, close } = useOpening<{ place: Place; anchor: Element }>()
  const onMenu = useCallback((place: Place, anchor: Element) => open({ place, anchor }), [open])
  const row = target && rowAt(target.place.row)
  const column = target && columns[target.place.column]
  const menu = row && column && (
    <CellMenu
      key={count}
      entity={entity}
      row={row}
      column={column}
      anchor={target.anchor}
      where={search.w}
      onFilter={(where) => setSearch(withFilter(search, where))}
      onEdit={editedField(entity, column) && (() => onEdit(target.place))}
      onClose={close}
    />
  )
  return { onMenu, menu }
}

type HeadOptions = Options & {
  readonly look: ColumnLook
  readonly setLook: (look: ColumnLook) => void
  readonly onGroup: (column: ListColumn) => void
}

/** What the heads of columns show and do; the same object until the address or the look of the columns changes. */
export const useHeads = (
  options: HeadOptions,
): { readonly heads: GridHeads; readonly columnMenu: ReactNode } => {
  const { entity, columns, search, setSearch: onChange, look, setLook: onLook, onGroup } = options
  const { target, count, open, close } = useOpening<{ column: ListColumn; anchor: Element }>()
  const openMenu = target?.column.path
  const heads = useMemo<GridHeads>(
    () => ({
      look,
      sortings: sortingsOf(search),
      openMenu,
      // If the service is away, the user reads so when something is to be saved.
      onNear: () => void loadActs().catch(() => undefined),
      onSort: ({ path }, isAdded) => onChange(withNextOrder(search, path, isAdded)),
      onMenu: (column, anchor) => open({ column, anchor }),
      act: (run) =>
        void loadActs().then(({ columnActs }) =>
          run(columnActs({ columns, search, onChange, look, onLook })),
        ),
      mayMove: (from, to) => mayMove(columns, look, from, to),
    }),
    [columns, search, onChange, look, onLook, open, openMenu],
  )
  const columnMenu = target && (
    <ColumnMenu
      key={count}
      entity={entity}
      columns={columns}
      search={search}
      onChange={onChange}
      onGroup={onGroup}
      look={look}
      onLook={onLook}
      column={target.column}
      anchor={target.anchor}
      onClose={close}
    />
  )
  return { heads, columnMenu }
}

/** The button of the choice of columns. */
export const ColumnsMenu = (props: ComponentProps<typeof Choices>): ReactNode => {
  const { list } = useTexts()
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button look="quiet" popoverTarget={id}>
        {columnsIcon} <span className="wide-text">{list.columns}</span>
      </Button>
      <div
        id={id}
        popover="auto"
        role="dialog"
        aria-label={list.columnsOf(props.entity.name)}
        className="popover columns-menu menu"
        onToggle={({ newState }) => setIsOpen(newState === 'open')}
      >
        {isOpen && <ColumnChoices {...props} />}
      </div>
    </>
  )
}
