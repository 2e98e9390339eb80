/** The rows of a list, in a grid or as cards, and their editing; without rows, a note. */
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import type { ListRequest } from '../api/queries.ts'
import type { Entity } from '../api/types.ts'
import { editedField } from '../features/grid/cell-edits.tsx'
import { useSizedColumns } from '../features/grid/column-look.ts'
import { Grid } from '../features/grid/grid.tsx'
import { useActive } from '../features/grid/grid-keys.ts'
import {
  type ColumnLook,
  cardColumns,
  cardHeight,
  rowHeights,
} from '../features/grid/grid-layout.ts'
import { prepareEditor, useRenderCell } from '../features/grid/list-cell.tsx'
import { useCellMenu, useHeads } from '../features/grid/list-menus.tsx'
import { isFiltered, type ListSearch, withFilter, withWords } from '../features/grid/list-state.ts'
import type { ListSelection } from '../features/grid/selection.ts'
import { type Cells, useCells } from '../features/grid/use-cells.ts'
import { useRows } from '../features/grid/use-rows.ts'
import { useListPlace } from '../features/preview/record-links.tsx'
import { NewRecordsBar, useListChanges } from '../features/record/new-records.tsx'
import { useSession } from '../features/session/session.ts'
import type { ListColumn } from '../features/values/columns.ts'
import { mainColumns } from '../features/values/main-columns.ts'
import { laterPart } from '../parts/later.tsx'
import { ProblemNote } from '../parts/notes.tsx'
import { useMedia } from '../parts/use-media.ts'

const CardTools = laterPart(
  async () => (await import('../features/grid/column-menus.tsx')).CardTools,
  () => <div className="card-tools" />,
)

const ListKeys = laterPart(async () => (await import('../features/lines/list-keys.tsx')).ListKeys)

const SavedNote = laterPart(async () => (await import('../features/grid/cell-notes.tsx')).SavedNote)

const FilterProblem = laterPart(
  async () => (await import('../features/filter/filter-problem.tsx')).FilterProblem,
)

const EmptyList = laterPart(
  async () => (await import('../features/filter/list-notes.tsx')).EmptyList,
)

/** A list, and the columns in which it is shown. */
export type ListView = {
  readonly search: ListSearch
  readonly columns: readonly ListColumn[]
  readonly list: ListRequest
}

type RowsProps = {
  readonly entity: Entity
  readonly shown: ListView
  /** The search of the address, from which the next one is made. */
  readonly search: ListSearch
  readonly setSearch: (search: ListSearch) => void
  readonly look: ColumnLook
  readonly setLook: (look: ColumnLook | undefined) => void
  readonly count: number | undefined
  readonly selected: ListSelection
  readonly onGroup: (column: ListColumn) => void
}

/** The rows with all columns, or as cards where there is no room for them. */
export const Rows = (props: RowsProps): ReactNode => {
  const { entity, shown } = props
  const { columns } = shown
  const isCards = useMedia('(width < 48rem)')
  const { entities } = useSession()
  const inCards = useMemo(
    () => cardColumns(columns, mainColumns(entity, entities)),
    [columns, entity, entities],
  )
  return (
    <>
      {isCards && <CardTools {...props} columns={columns} selection={props.selected.grid} />}
      <GridRows
        {...props}
        columns={isCards ? inCards : columns}
        list={shown.list}
        isCards={isCards}
      />
    </>
  )
}

type GridRowsProps = RowsProps & Pick<ListView, 'columns' | 'list'> & { readonly isCards: boolean }

const GridRows = (props: GridRowsProps): ReactNode => {
  const { entity, columns, search, setSearch, isCards } = props
  const { preferences } = useSession()
  const { rows, news, cells, said, ...grid } = useEditedRows(props)
  const { onMenu, menu } = useCellMenu(props, grid.rowAt, cells.start)
  const sized = useSizedColumns(entity, columns, grid.rowAt)
  const { heads, columnMenu } = useHeads({ ...props, columns: sized })
  const open = useListPlace(props.list, grid)
  const isReadOnly = useCallback(
    (column: ListColumn) => editedField(entity, column) === undefined,
    [entity],
  )
  const wasEdited = useWasEdited(cells)
  const count = rows.extent(props.count)
  const keys = <ListKeys {...props} {...grid} columns={sized} count={count ?? 0} />
  if (rows.error || count === 0)
    return (
      <>
        <NoRows entity={entity} search={search} setSearch={setSearch} error={rows.error} />
        {count === 0 && keys}
      </>
    )
  return (
    <>
      <NewRecordsBar {...news} />
      <Grid
        entity={entity}
        count={count}
        heads={heads}
        onMenu={onMenu}
        isReadOnly={isReadOnly}
        {...grid}
        isCounted={props.count !== undefined}
        columns={sized}
        isCards={isCards}
        rowHeight={isCards ? cardHeight : rowHeights[preferences.density]}
        selection={props.selected.grid}
        hasLetterKeys={preferences.hasSingleKeys}
        keptRow={cells.open?.place.row}
        onEdit={cells.start}
        onFocus={prepareEditor}
        onOpen={open}
      />
      {wasEdited && <SavedNote cells={cells} />}
      {menu}
      {columnMenu}
      {keys}
      <p role="status" className="visually-hidden">
        {said}
      </p>
    </>
  )
}

/** Whether a cell has been edited, so that there may be something to say of it. */
const useWasEdited = ({ open, edits }: Cells): boolean => {
  const [wasEdited, setWasEdited] = useState(false)
  const isEdited = open !== undefined || edits.size > 0
  if (isEdited && !wasEdited) setWasEdited(true)
  return isEdited || wasEdited
}

// The range of rows that are read changes in steps, not with every row that comes into view.
const rangeStep = 25

/** The rows in view, and the changes of their cells. */
const useEditedRows = ({ entity, columns, list, shown }: GridRowsProps) => {
  const [range, setRange] = useState({ first: 0, end: 40 })
  const rows = useRows(list, range.first, range.end)
  const [active, onActive] = useActive(shown.search)
  const { cells, said } = useCells({ entity, list, columns, rowAt: rows.rowAt, onActive })
  const news = useListChanges(list, () => {
    const indexes = Array.from({ length: range.end - range.first }, (_, at) => range.first + at)
    return indexes.flatMap((index) => rows.rowAt(index) ?? [])
  })
  const { open } = cells
  return {
    rows,
    news,
    active,
    onActive,
    cells,
    said,
    onRange: useCallback((shownFirst: number, shownEnd: number) => {
      const first = Math.floor(shownFirst / rangeStep) * rangeStep
      const end = Math.ceil(shownEnd / rangeStep) * rangeStep
      setRange((now) => (now.first === first && now.end === end ? now : { first, end }))
    }, []),
    // A row that is edited stays, even if the list is read again meanwhile.
    rowAt: (index: number) => {
      const row = rows.rowAt(index)
      return open?.place.row === index && open.row.id !== row?.id ? open.row : row
    },
    renderCell: useRenderCell(cells, shown.search.q ?? ''),
  }
}

type NoteProps = {
  readonly entity: Entity
  readonly search: ListSearch
  readonly setSearch: (search: ListSearch) => void
  readonly error: Error | null
}

/** What a list shows instead of rows: that it has none, or what is wrong, and the way out. */
const NoRows = ({ entity, search, setSearch, error }: NoteProps): ReactNode => {
  if (error && isFiltered(search))
    return (
      <FilterProblem
        entity={entity}
        error={error}
        where={search.w}
        onChange={(where) => setSearch(withFilter(search, where))}
      />
    )
  if (error) return <ProblemNote error={error} />
  const clear = () => setSearch(withWords(withFilter(search, undefined), ''))
  return <EmptyList entity={entity} onClear={isFiltered(search) ? clear : undefined} />
}
