/** The begin of a session, perhaps over the pages of somebody whose session had ended. */
import type { QueryClient } from '@tanstack/react-query'
import { urlOf } from '../../api/client.ts'
import { forgetUser, meQuery } from '../../api/queries.ts'
import type { Me } from '../../api/types.ts'
import { setChangedHere } from './one-user.tsx'

/** Reads anew for whoever has signed in; `before` is whose pages are shown. */
export const startSession = async (client: QueryClient, before: Me | undefined): Promise<void> => {
  if (!before) {
    if (window.location.pathname.endsWith('/console/-/login'))
      window.history.replaceState(null, '', urlOf('/console'))
    return forgetUser(client)
  }
  setChangedHere(true)
  const now = await client.fetchQuery({ ...meQuery, staleTime: 0 })
  if (now.id !== before.id) return
  setChangedHere(false)
  await client.invalidateQueries()
}
