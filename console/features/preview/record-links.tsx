/**
 * What the links to records of all pages do, and where a record stands in the list from which it is opened. That place goes
 * with the entry of the browser's history.
 */
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { ListRequest } from '../../api/queries.ts'
import type { ListPlace } from '../../api/records/neighbours.ts'
import { shownPlace } from '../../api/rows/rows.ts'
import type { RecordRow } from '../../api/types.ts'
import { whenUsed } from '../../parts/later.tsx'
import { recordLinkOf, targetOf } from './record-link.tsx'

/** Watches all links. What is needed near a link is loaded when the user begins to work. */
export const RecordLinks = (): ReactNode => {
  const router = useRouter()
  const [NearLink, setNearLink] = useState<ComponentType>()
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const load = () =>
      void import('./record-preview.tsx')
        .then((loaded) => setNearLink(() => loaded.NearLink))
        // Links work without it.
        .catch(() => undefined)
    document.addEventListener('click', (event) => follow(router, event), { signal })
    // Screen readers move the focus without keys.
    document.addEventListener('focusin', (event) => recordLinkOf(event) && load(), { signal })
    whenUsed(load)
    return () => ended.abort()
  }, [router])
  return NearLink && <NearLink />
}

/** Follows a link without loading a page. The link component of the router costs a list half of its frames. */
const follow = (router: ReturnType<typeof useRouter>, event: MouseEvent): void => {
  const { ctrlKey, metaKey, shiftKey, altKey } = event
  const link = recordLinkOf(event)
  // The browser opens other tabs and windows. Other buttons are no click.
  const isElsewhere = ctrlKey || metaKey || shiftKey || altKey
  if (!link || event.defaultPrevented || isElsewhere) return
  event.preventDefault()
  const place = findInList?.(link.entity, Number(link.id))
  void router.navigate({ ...targetOf(link), state: (before) => ({ ...before, place }) })
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    place?: ListPlace | undefined
  }
}

type FindPlace = (entity: string, id: number) => ListPlace | undefined

let findInList: FindPlace | undefined

type Shown = {
  readonly rowAt: (index: number) => RecordRow | undefined
  /** The active cell. */
  readonly active: { readonly row: number }
}

/**
 * Opens a record from a row of a list, and gives its place in the list to the links of the page. The function stays
 * the same as long as the page is shown.
 */
export const useListPlace = (
  list: ListRequest,
  { rowAt, active }: Shown,
): ((row: RecordRow) => void) => {
  const navigate = useNavigate()
  const client = useQueryClient()
  const { row } = active
  const latest = useRef({ list, rowAt, row })
  useEffect(() => {
    latest.current = { list, rowAt, row }
  }, [list, rowAt, row])
  const { findPlace, open } = useMemo(() => {
    const findPlace: FindPlace = (entity, id) => {
      const now = latest.current
      if (now.list.entity !== entity || now.rowAt(now.row)?.id !== id) return undefined
      const { $select: _columns, ...criteria } = now.list.criteria
      return { criteria, position: now.row + 1, from: shownPlace(client, now.list, now.row) }
    }
    const open = ({ id }: RecordRow) => {
      const { entity } = latest.current.list
      const state = { place: findPlace(entity, id) }
      void navigate({ to: '/$entity/$id', params: { entity, id: `${id}` }, state })
    }
    return { findPlace, open }
  }, [client, navigate])
  useEffect(() => {
    findInList = findPlace
    return () => {
      findInList = undefined
    }
  }, [findPlace])
  return open
}
