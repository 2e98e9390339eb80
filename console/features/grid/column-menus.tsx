/** Menus that change the columns of a list: of one column, the choice of columns, and the tools of cards, which have no heads. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Condition, Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Menu, type MenuItem, MenuList } from '../../parts/menu.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { newRule } from '../filter/condition-fields.tsx'
import { shownFields } from '../filter/filter-fields.ts'
import { RuleDialog } from '../filter/rule-dialog.tsx'
import { kindOf } from '../format/field-kinds.ts'
import { useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { type ColumnActs, columnActs } from './column-acts.ts'
import './column-menus.css'
import { type ColumnLook, mayMove } from './grid-layout.ts'
import { type GridSelection, SelectAllBox } from './grid-selection.tsx'
import {
  type ListSearch,
  sortingsOf,
  withColumns,
  withFilter,
  withNextOrder,
  withOrder,
} from './list-state.ts'

type MenuProps = {
  readonly entity: Entity
  readonly column: ListColumn
  /** The element at which the menu opens. */
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

/** What can be done with a column; the mouse does the same on its head, and keys in the grid. */
export const ColumnMenu = (props: MenuProps): ReactNode => {
  const { entity, anchor, column, columns, search, onChange, onClose } = props
  const { list: texts } = useTexts()
  const list = useRef<HTMLDivElement>(null)
  const [isFiltered, setIsFiltered] = useState(false)
  // The menu closes then too, but the filter that it has opened stays.
  const asksForFilter = useRef(false)
  const onFilter = () => {
    asksForFilter.current = true
    setIsFiltered(true)
  }
  const own = { ...props, acts: columnActs(props), onFilter }
  const items = [...useOrderItems(own), ...useWidthItems(own), ...usePlaceItems(own)]
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
      isDisabled: kindOf(column.field).isStructured === true,
      onSelect: () => onGroup(column),
    },
  ]
}

const useWidthItems = ({ column, columns, anchor, look, acts }: ItemProps): readonly MenuItem[] => {
  const texts = useWorkTexts().columns
  const at = columns.findIndex(({ path }) => path === column.path)
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
  const { column, columns, search, onChange, look, acts } = props
  const texts = useWorkTexts().columns
  const paths = columns.map(({ path }) => path)
  const at = paths.indexOf(column.path)
  return [
    {
      label: look.pinned.includes(column.path) ? texts.unpin : texts.pin,
      isFirstOfGroup: true,
      onSelect: () => acts.togglePin(column),
    },
    {
      label: texts.moveLeft,
      isDisabled: !mayMove(columns, look, at, at - 1),
      onSelect: () => acts.move(at, at - 1),
    },
    {
      label: texts.moveRight,
      isDisabled: !mayMove(columns, look, at, at + 1),
      onSelect: () => acts.move(at, at + 1),
    },
    {
      label: texts.hide,
      isDisabled: paths.length === 1,
      onSelect: () => onChange(withColumns(search, paths.toSpliced(at, 1))),
    },
  ]
}

type ChoicesProps = {
  readonly entity: Entity
  readonly all: readonly ListColumn[]
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
  /** Resets widths and pins. */
  readonly onUsualLook: () => void
}

/** The choice of columns: searched by name, shown or not, and reset. */
export const ColumnChoices = (props: ChoicesProps): ReactNode => {
  const { all, columns, search, onChange, onUsualLook } = props
  const texts = useWorkTexts().columns
  const [words, setWords] = useState('')
  const paths = columns.map(({ path }) => path)
  const shown = new Set(paths)
  const found = all.filter(({ label }) => label.toLowerCase().includes(words.toLowerCase()))
  const toggle = (path: string) =>
    onChange(
      withColumns(search, shown.has(path) ? paths.filter((one) => one !== path) : [...paths, path]),
    )
  const reset = () => {
    onChange(withColumns(search, undefined))
    onUsualLook()
  }
  return (
    <>
      <input
        type="search"
        aria-label={texts.find}
        placeholder={texts.find}
        value={words}
        onChange={({ target }) => setWords(target.value)}
      />
      <ul>
        {found.map(({ path, label }) => (
          <li key={path}>
            <label>
              <input
                type="checkbox"
                checked={shown.has(path)}
                disabled={shown.has(path) && paths.length === 1}
                onChange={() => toggle(path)}
              />
              <span dir="auto">{label}</span>
            </label>
          </li>
        ))}
      </ul>
      <Button look="quiet" onClick={reset}>
        {texts.reset}
      </Button>
    </>
  )
}

type ToolsProps = {
  /** All columns of the list, also those that cards have no room for. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly setSearch: (search: ListSearch) => void
  readonly onGroup: (column: ListColumn) => void
  readonly selection: GridSelection
}

/** Above a list of cards: select all, sort, group. */
export const CardTools = (props: ToolsProps): ReactNode => {
  const { columns, search, onGroup, selection } = props
  const { selection: selecting } = useTexts()
  const texts = useWorkTexts().columns
  const sorted = sortingsOf(search)
  const first = columns.find(({ path }) => path === sorted[0]?.path)
  const groups = columns
    .filter(({ field }) => !kindOf(field).isStructured)
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

/** Each column; choosing it leads to its next order: ascending, descending, none. */
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

// The form of a condition on a column of a list.

type FilterProps = {
  readonly entity: Entity
  /** The columns of the list. */
  readonly columns: readonly ListColumn[]
  readonly column: ListColumn
  readonly where: Condition | undefined
  readonly onChange: (where: Condition | undefined) => void
  readonly onClose: () => void
}

const ColumnFilter = (props: FilterProps): ReactNode => {
  const { column, ...dialog } = props
  const { entity } = dialog
  const { filter } = useTexts()
  const { entities } = useSession()
  const [field] = shownFields([column], entity, entities)
  return <RuleDialog {...dialog} title={filter.title} rule={field && newRule(field)} />
}
