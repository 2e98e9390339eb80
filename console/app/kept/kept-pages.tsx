/**
 * Lists and records, which people go between all day: the list that somebody left is kept for those who come back to it, and
 * the record that somebody points at is rendered before it is opened.
 */
import { useMatch, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { CellEditsProvider } from '../../features/grid/cell-edits.tsx'
import type { ListSearch } from '../../features/grid/list-state.ts'
import { prepareToOpen, useToBeOpened } from '../../features/preview/to-be-opened.ts'
import { List } from '../../pages/list.tsx'
import { later } from '../../parts/later.tsx'
import { KeptPage } from './kept-page.tsx'

export const KeptPages = (): ReactNode => {
  const list = useKeptList()
  return (
    <>
      <CellEditsProvider>
        {list.last && (
          <KeptPage key={list.visit} isShown={list.isShown}>
            <List {...list.last} />
          </KeptPage>
        )}
      </CellEditsProvider>
      <Records />
    </>
  )
}

/** The list of the address, or the one before it. Only the way back in the browser's history leads to what was kept. */
const useKeptList = () => {
  const { history } = useRouter()
  const route = { from: '/$entity', shouldThrow: false } as const
  const entity = useMatch({ ...route, select: ({ params }) => params.entity })
  const search = useMatch({ ...route, select: (match) => isReady(match) && match.search })
  const isShown = entity !== undefined && search !== undefined && search !== false
  const entryNow = history.location.state.__TSR_index
  const [kept, setKept] = useState({ ...none, entry: entryNow })
  const isSame = isShown
    ? kept.isShown && kept.last?.entity === entity && kept.last.search === search
    : !kept.isShown
  if (isSame) return kept
  const last = isShown ? { entity, search } : kept.last
  const entry = isShown && !kept.isShown ? entryNow : kept.entry
  const isBack = entry === kept.entry && last?.entity === kept.last?.entity
  const next = { last, entry, visit: kept.visit + (isBack ? 0 : 1), isShown }
  setKept(next)
  return next
}

type Kept = {
  readonly last: { readonly entity: string; readonly search: ListSearch } | undefined
  readonly isShown: boolean
  /** Counts the lists, so that each has a state of its own. */
  readonly visit: number
}

const none: Kept = { last: undefined, isShown: false, visit: 0 }

/** Whether what a page needs has been read; until then the route shows that it waits, or why it cannot be shown. */
const isReady = ({ status }: { readonly status: string }): boolean => status === 'success'

// A file of its own; the route loads it before it is shown.
export const RecordPage = later(async () => (await import('../../pages/record.tsx')).Record)

/** The record of the address, and the one that is opened next. */
const Records = (): ReactNode => {
  const route = { from: '/$entity/$id', shouldThrow: false } as const
  const entity = useMatch({ ...route, select: ({ params }) => params.entity })
  const id = useMatch({ ...route, select: ({ params }) => params.id })
  const filter = useMatch({ ...route, select: (match) => isReady(match) && match.search })
  const next = useToBeOpened()
  const isNext = next !== undefined && !(next.entity === entity && next.id === id)
  useEffect(() => {
    if (next && !isNext) prepareToOpen(undefined)
  }, [next, isNext])
  const isShown = entity !== undefined && id !== undefined && Boolean(filter)
  return (
    <>
      {isNext && (
        <KeptPage key={`${next.entity}/${next.id}`} isShown={false}>
          <RecordPage {...next} filter={noFilter} />
        </KeptPage>
      )}
      {isShown && (
        <KeptPage key={`${entity}/${id}`} isShown>
          <RecordPage entity={entity} id={id} filter={filter || noFilter} />
        </KeptPage>
      )}
    </>
  )
}

const noFilter = {}
