/** The records of an entity: filter, order and columns stand in the address. */
import { hashKey, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { memo, type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { countQuery, type ListRequest } from '../api/queries.ts'
import { windowQuery } from '../api/rows/rows.ts'
import type { Entity } from '../api/types.ts'
import { ExportButton } from '../features/export/export-button.tsx'
import { FilterBar } from '../features/filter/filter-bar.tsx'
import { useColumnLook } from '../features/grid/column-look.ts'
import { pinnedFirst } from '../features/grid/grid-layout.ts'
import { ColumnsMenu } from '../features/grid/list-menus.tsx'
import {
  explicit,
  type ListSearch,
  requestOf,
  shownColumns,
  withFilter,
  withWords,
} from '../features/grid/list-state.ts'
import { useSelection } from '../features/grid/selection.ts'
import { useSession } from '../features/session/session.ts'
import { useListKeys, useShortcuts } from '../features/session/shortcuts.ts'
import { ListFoot, useGrouping } from '../features/totals/list-foot.tsx'
import { columnsOf } from '../features/values/columns.ts'
import { useRememberList } from '../features/views/entity-links.tsx'
import { useOpenedView } from '../features/views/views.ts'
import { ListHeading, ViewsMenu } from '../features/views/views-menu.tsx'
import { importIcon } from '../parts/icons.tsx'
import { laterPart } from '../parts/later.tsx'
import { Waiting } from '../parts/notes.tsx'
import { useTexts } from '../texts/texts.ts'
import { type ListView, Rows } from './list-rows.tsx'
import { NotFound } from './not-found.tsx'
import './list.css'

const PartialNote = laterPart(
  async () => (await import('../features/filter/list-notes.tsx')).PartialNote,
)

type ListProps = { readonly entity: string; readonly search: ListSearch }

export const List = memo(({ entity: key, search }: ListProps): ReactNode => {
  const entity = useSession().entities.get(key)
  if (!entity || entity.permissions.read === false) return <NotFound />
  return <EntityList key={key} entity={entity} search={search} />
})

type EntityListProps = { readonly entity: Entity; readonly search: ListSearch }

const EntityList = ({ entity, search }: EntityListProps): ReactNode => {
  const texts = useTexts()
  const { current, shown, all, setSearch, look, setLook } = useList(entity, search)
  const { columns, list } = current
  const { read, conditional } = entity.permissions
  const isPartial = read === 'own' || conditional.includes('read')
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
          {count.data !== undefined && isPartial && <PartialNote entity={entity} />}
        </span>
        <ViewsMenu entity={entity} search={search} onChange={setSearch} />
        <ExportButton
          entity={entity}
          columns={columns}
          search={search}
          count={count.data}
          selected={selected.matching}
        />
        {entity.permissions.import && (
          <Link
            to="/$entity/import"
            params={{ entity: entity.key }}
            className="button"
            data-look="quiet"
          >
            {importIcon} <span className="wide-text">{texts.list.import}</span>
          </Link>
        )}
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

/** The list of the address, the list whose rows have arrived, and how the address changes. */
const useList = (entity: Entity, search: ListSearch) => {
  const { entities } = useSession()
  const navigate = useNavigate({ from: '/$entity' })
  const remember = useRememberList(entity.key)
  const { look, setLook } = useColumnLook(entity.key)
  const all = useMemo(() => columnsOf(entity, entities), [entity, entities])
  const shown = useMemo(() => shownColumns(search, entity, entities), [search, entity, entities])
  const columns = useMemo(() => pinnedFirst(shown, look), [shown, look])
  const list = useMemo(() => requestOf(search, entity, shown), [search, entity, shown])
  const current = useMemo(() => ({ search, columns, list }), [search, columns, list])
  const setSearch = useCallback(
    (next: ListSearch) => {
      const address = explicit(next)
      remember(address)
      void navigate({ search: address, replace: true })
    },
    [navigate, remember],
  )
  return { current, shown: useArrived(current), all, setSearch, look, setLook }
}

// After this, empty places show that rows are being read.
const patienceMs = 300

/** The list whose first rows have been read. The one before stays until then, but not longer than `patienceMs`. */
const useArrived = (current: ListView): ListView => {
  const [shown, setShown] = useState(current)
  const [overdue, setOverdue] = useState<ListRequest>()
  const { list } = current
  const isSame = list === shown.list || hashKey([list]) === hashKey([shown.list])
  const { isPending } = useQuery({ ...windowQuery(list, 0), enabled: !isSame })
  const hasArrived = isSame || !isPending || overdue === list
  useEffect(() => {
    if (hasArrived) return
    const timer = setTimeout(() => setOverdue(list), patienceMs)
    return () => clearTimeout(timer)
  }, [list, hasArrived])
  if (hasArrived && current !== shown) setShown(current)
  return hasArrived ? current : shown
}
