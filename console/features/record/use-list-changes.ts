/** Keeps the rows of a list as they are now, and says how many new ones there are. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ListRequest } from '../../api/queries.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import { useSession } from '../session/session.ts'
import { useWatch } from '../session/watched.ts'
import { createListChanges, type ListChanges } from './list-changes.ts'

export type NewRecords = { readonly count: number; readonly load: () => void }

/** `shown` gives the rows on the screen. */
export const useListChanges = (list: ListRequest, shown: () => readonly ListRow[]): NewRecords => {
  const client = useQueryClient()
  const userId = useSession().me.id
  const changes = useRef<ListChanges>(undefined)
  const latest = useRef(shown)
  const [state, setState] = useState({ list, count: 0 })
  useEffect(() => {
    latest.current = shown
  }, [shown])
  useEffect(() => {
    const own = createListChanges({
      client,
      list,
      userId,
      shown: () => latest.current(),
      onNew: (count) => setState({ list, count }),
    })
    changes.current = own
    return () => {
      own.stop()
      // The list is read anew when it is shown again.
      setState({ list, count: 0 })
    }
  }, [client, list, userId])
  useWatch(list.entity, (change) => changes.current?.tell(change))
  return {
    count: state.list === list ? state.count : 0,
    load: () => void changes.current?.load(),
  }
}
