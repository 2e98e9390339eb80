/**
 * Lists and records, between which users go all day: the list that the user left is kept until the user comes back to it, and
 * the record that the user points at is rendered before it is opened.
 */
import { CatchBoundary, useMatch, useRouter } from '@tanstack/react-router'
import { Activity, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { CellEditsProvider } from '../features/grid/cell-edits.tsx'
import type { ListSearch } from '../features/grid/list-state.ts'
import { prepareToOpen, useToBeOpened } from '../features/preview/record-link.tsx'
import { List } from '../pages/list.tsx'
import { later } from '../parts/later.tsx'
import { Waiting } from '../parts/notes.tsx'
import { PageProblem } from './page-problem.tsx'

// A separate file; the route loads it before it is shown.
export const RecordPage = later(async () => (await import('../pages/record.tsx')).Record)

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

/** The list of the address, or the one before it. Only the way back in the browser's history leads to the list that was kept. */
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
  /** Counts the lists, so that each has its own state. */
  readonly visit: number
}

const none: Kept = { last: undefined, isShown: false, visit: 0 }

/** Whether a page has read what it needs; until then the route shows that it waits, or why it cannot be shown. */
const isReady = ({ status }: { readonly status: string }): boolean => status === 'success'

/** The record of the address, and the one that will probably be opened next. */
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

type KeptProps = { readonly isShown: boolean; readonly children: ReactNode }

/**
 * Renders a page into its own element, which is in the document only while the page is shown. Before and after that, the
 * page keeps its state and its elements, but its effects do not run.
 */
const KeptPage = ({ isShown, children }: KeptProps): ReactNode => {
  const [element] = useState(() => Object.assign(document.createElement('div'), { className }))
  // Appended only once, because an element that is moved loses the focus.
  const place = useCallback((around: Element | null) => void around?.append(element), [element])
  return (
    <>
      {/* Before the page, so that its effects find it in the document. */}
      {isShown && <div className={className} ref={place} />}
      {createPortal(
        <Activity mode={isShown ? 'visible' : 'hidden'}>
          <CatchBoundary getResetKey={() => 0} errorComponent={PageProblem}>
            <Suspense fallback={<Waiting />}>{children}</Suspense>
          </CatchBoundary>
        </Activity>,
        element,
      )}
    </>
  )
}

const className = 'kept-page'
