/** What can be done with a column, the same that the mouse does on its head and keys do in the grid. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Entity } from '../../api/types.ts'
import { type MenuItem, MenuList } from '../../parts/menu.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { ColumnFilter } from '../filter/column-filter.tsx'
import type { ListColumn } from '../values/columns.ts'
import { type ColumnActs, columnActs } from './column-acts.ts'
import type { ColumnLook } from './grid-layout.ts'
import { type ListSearch, sortingsOf, withColumns, withFilter, withOrder } from './list-state.ts'

type MenuProps = {
  readonly entity: Entity
  readonly column: ListColumn
  /** The element that the menu stands beside. */
  readonly anchor: Element
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
  readonly onGroup: (column: ListColumn) => void
  readonly look: ColumnLook
  readonly onLook: (look: ColumnLook) => void
  readonly onClose: () => void
}

type ItemProps = MenuProps & { readonly acts: ColumnActs; readonly onFilter: () => void }

export const ColumnMenu = (props: MenuProps): ReactNode => {
  const { entity, anchor, column, columns, search, onChange, onClose } = props
  const { list: texts } = useTexts()
  const list = useRef<HTMLDivElement>(null)
  const [isFiltered, setIsFiltered] = useState(false)
  // The menu closes then too, but what it has opened stays.
  const asksForFilter = useRef(false)
  const onFilter = () => {
    asksForFilter.current = true
    setIsFiltered(true)
  }
  const given = { ...props, acts: columnActs(props), onFilter }
  const items = [...useOrderItems(given), ...useWidthItems(given), ...usePlaceItems(given)]
  useEffect(() => {
    if (anchor instanceof HTMLElement) list.current?.showPopover({ source: anchor })
  }, [anchor])
  if (isFiltered)
    return (
      <ColumnFilter
        entity={entity}
        columns={columns}
        column={column}
        onClose={onClose}
        where={search.w}
        onChange={(where) => onChange(withFilter(search, where))}
      />
    )
  return (
    <MenuList
      ref={list}
      items={items}
      label={texts.columnMenu(column.label)}
      onClose={() => asksForFilter.current || onClose()}
    />
  )
}

const useOrderItems = (props: ItemProps): readonly MenuItem[] => {
  const { column, search, onChange, onGroup, onFilter } = props
  const texts = useWorkTexts().columns
  const { path } = column
  const others = sortingsOf(search).filter((one) => one.path !== path)
  const isSorted = others.length < sortingsOf(search).length
  const sort = (isDescending: boolean) => onChange(withOrder(search, [{ path, isDescending }]))
  return [
    { label: texts.sortAscending, onSelect: () => sort(false) },
    { label: texts.sortDescending, onSelect: () => sort(true) },
    {
      label: texts.noSort,
      isDisabled: !isSorted,
      onSelect: () => onChange(withOrder(search, others)),
    },
    { label: texts.filterBy, isFirstOfGroup: true, onSelect: onFilter },
    {
      label: texts.groupBy,
      isDisabled: column.field.type === 'json',
      onSelect: () => onGroup(column),
    },
  ]
}

const useWidthItems = ({ column, columns, anchor, acts }: ItemProps): readonly MenuItem[] => {
  const texts = useWorkTexts().columns
  const at = columns.findIndex(({ path }) => path === column.path)
  const { look } = acts
  const isChosen = column.path in look.widths
  return [
    {
      label: texts.wider,
      isFirstOfGroup: true,
      keepsOpen: true,
      onSelect: () => acts.widen(anchor, at, 1),
    },
    { label: texts.narrower, keepsOpen: true, onSelect: () => acts.widen(anchor, at, -1) },
    { label: texts.fit, onSelect: () => acts.fit(anchor, at) },
    { label: texts.usualWidth, isDisabled: !isChosen, onSelect: () => acts.usualWidth(at) },
  ]
}

const usePlaceItems = (props: ItemProps): readonly MenuItem[] => {
  const { column, columns, search, onChange, acts } = props
  const texts = useWorkTexts().columns
  const paths = columns.map(({ path }) => path)
  const at = paths.indexOf(column.path)
  return [
    {
      label: acts.look.pinned.includes(column.path) ? texts.unpin : texts.pin,
      isFirstOfGroup: true,
      onSelect: () => acts.togglePin(column),
    },
    {
      label: texts.moveLeft,
      isDisabled: !acts.mayMove(at, at - 1),
      onSelect: () => acts.move(at, at - 1),
    },
    {
      label: texts.moveRight,
      isDisabled: !acts.mayMove(at, at + 1),
      onSelect: () => acts.move(at, at + 1),
    },
    {
      label: texts.hide,
      isDisabled: paths.length === 1,
      onSelect: () => onChange(withColumns(search, paths.toSpliced(at, 1))),
    },
  ]
}
