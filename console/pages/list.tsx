/** The records of an entity: filter, order and columns stand in the address. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { memo, type ReactNode, useCallback, useMemo, useState } from 'react'
import { countQuery } from '../api/queries.ts'
import type { Entity } from '../api/types.ts'
import { ExportButton } from '../features/export/export-button.tsx'
import { FilterBar } from '../features/filter/filter-bar.tsx'
import { editedField } from '../features/grid/cell-edits.tsx'
import { ColumnsMenu } from '../features/grid/columns-menu.tsx'
import { GoToRow } from '../features/grid/go-to-row.tsx'
import { Grid } from '../features/grid/grid.tsx'
import { cardColumns, cardHeight, rowHeights } from '../features/grid/grid-layout.ts'
import { prepareEditor, useRenderCell } from '../features/grid/list-cell.tsx'
import { type ListSearch, withFilter, withWords } from '../features/grid/list-state.ts'
import { useActive } from '../features/grid/use-active.ts'
import { useCellMenu } from '../features/grid/use-cell-menu.tsx'
import { type Cells, useCells } from '../features/grid/use-cells.ts'
import { useHeads } from '../features/grid/use-heads.tsx'
import { useRows } from '../features/grid/use-rows.ts'
import { type ListSelection, useSelection } from '../features/grid/use-selection.ts'
import { useSizedColumns } from '../features/grid/use-sized-columns.ts'
import { useListPlace } from '../features/preview/list-place.ts'
import { NewRecordsBar, useListChanges } from '../features/record/new-records.tsx'
import { useSession } from '../features/session/session.ts'
import { useListKeys, useShortcuts } from '../features/session/shortcuts.ts'
import { ListFoot } from '../features/totals/list-foot.tsx'
import { useGrouping } from '../features/totals/use-grouping.tsx'
import type { ListColumn } from '../features/values/columns.ts'
import { mainColumns } from '../features/values/main-columns.ts'
import { ListHeading } from '../features/views/list-heading.tsx'
import { useOpenedView } from '../features/views/use-opened-view.ts'
import { ViewsMenu } from '../features/views/views-menu.tsx'
import { Waiting } from '../parts/notes.tsx'
import { useMedia } from '../parts/use-media.ts'
import { useTexts } from '../texts/texts.ts'
import { NoRows } from './no-rows.tsx'
import { NotFound } from './not-found.tsx'
import { type ListView, useList } from './use-list.ts'
import './list.css'
import { laterPart } from '../parts/later.tsx'

const CardTools = laterPart(
  async () => (await import('../features/grid/card-tools.tsx')).CardTools,
  () => <div className="card-tools" />,
)

const SavedNote = laterPart(async () => (await import('../features/grid/cell-notes.tsx')).SavedNote)

type ListProps = { readonly entity: string; readonly search: ListSearch }

export const List = memo(({ entity: key, search }: ListProps): ReactNode => {
  const entity = useSession().entities.get(key)
  if (!entity || entity.permissions.read === false) return <NotFound />
  return <EntityList key={key} entity={entity} search={search} />
})

type EntityListProps = { readonly entity: Entity; readonly search: ListSearch }

const EntityList = ({ entity, search }: EntityListProps): ReactNode => {
  const texts = useTexts()
  const { wanted, shown, all, setSearch, look, setLook } = useList(entity, search)
  const { columns, list } = wanted
  const isOpening = useOpenedView(entity, search, setSearch)
  const count = useQuery(countQuery(list))
  useCreateKey(entity)
  useListKeys()
  const shownCount = useQuery(countQuery(shown.list))
  const selected = useSelection(shown.list, shown.search)
  const { onGroup, dialog } = useGrouping({ entity, all, columns, search, onChange: setSearch })
  return (
    <>
      <header className="list-head">
        <ListHeading entity={entity} search={search} />
        <span role="status" className="list-count">
          {count.data !== undefined && texts.list.rows(count.data)}
        </span>
        <ViewsMenu entity={entity} search={search} onChange={setSearch} />
        <ExportButton
          entity={entity}
          columns={columns}
          search={search}
          count={count.data}
          selected={selected.matching}
        />
        <ColumnsMenu
          entity={entity}
          all={all}
          columns={columns}
          search={search}
          onChange={setSearch}
          onUsualLook={() => setLook(undefined)}
        />
        {entity.permissions.create && (
          <Link
            to="/$entity/new"
            params={{ entity: entity.key }}
            className="button"
            data-look="primary"
          >
            {texts.record.create}
          </Link>
        )}
      </header>
      <FilterBar
        entity={entity}
        columns={columns}
        words={search.q ?? ''}
        onWords={(words) => setSearch(withWords(search, words))}
        where={search.w}
        onChange={(where) => setSearch(withFilter(search, where))}
      />
      {isOpening ? (
        <Waiting />
      ) : (
        <Rows
          entity={entity}
          shown={shown}
          search={search}
          setSearch={setSearch}
          selected={selected}
          look={look}
          setLook={setLook}
          onGroup={onGroup}
          count={shownCount.data}
        />
      )}
      <ListFoot
        {...shown}
        entity={entity}
        all={all}
        selected={selected}
        total={shownCount.data}
        onChange={setSearch}
      />
      {dialog}
    </>
  )
}

/** A new record by a key, for those who may create one. */
const useCreateKey = ({ key, permissions }: Entity): void => {
  const { keys } = useTexts()
  const navigate = useNavigate()
  const run = () => void navigate({ to: '/$entity/new', params: { entity: key } })
  useShortcuts(permissions.create ? [{ keys: 'c', label: keys.create, run }] : [])
}

type RowsProps = Pick<ReturnType<typeof useList>, 'shown' | 'setSearch' | 'look' | 'setLook'> & {
  readonly entity: Entity
  /** What is asked for now, from which the next one is made. */
  readonly search: ListSearch
  readonly count: number | undefined
  readonly selected: ListSelection
  readonly onGroup: (column: ListColumn) => void
}

/** The rows with all columns, or as cards where there is no room for them. */
const Rows = (props: RowsProps): ReactNode => {
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
  if (rows.error || count === 0)
    return <NoRows entity={entity} search={search} setSearch={setSearch} error={rows.error} />
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
      <GoToRow {...grid} count={count ?? 0} />
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

// The rows that are asked for change in steps of so many, not with every row that comes into view.
const rangeStep = 25

/** The rows in view, and what is being changed in their cells. */
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
    // A row that is edited stays, even if the list is read anew meanwhile.
    rowAt: (index: number) => {
      const row = rows.rowAt(index)
      return open?.place.row === index && open.row.id !== row?.id ? open.row : row
    },
    renderCell: useRenderCell(cells, shown.search.q ?? ''),
  }
}
