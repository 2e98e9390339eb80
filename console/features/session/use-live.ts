/** Keeps what the console shows of the inbox as the service says it. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { meQuery, unseenQuery, userKey } from '../../api/queries.ts'
import { listenWhileAwake } from './listen-while-awake.ts'
import { useSession } from './session.ts'
import type { LiveEvent } from './stream.ts'
import { tellWatchers } from './watched.ts'

/** Reads again what is shown. An answer that is on its way may have been read before. */
const readAgain = (client: QueryClient, parts: readonly (readonly string[])[]): void => {
  for (const part of parts) {
    const queryKey = [userKey, ...part]
    const asked = client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })
    // Without data, the library waits for the answer instead of asking again.
    for (const { queryKey: exactKey, state, promise } of asked)
      if (state.data === undefined)
        promise?.then(
          () => client.invalidateQueries({ queryKey: exactKey, exact: true }),
          () => undefined,
        )
    void client.invalidateQueries({ queryKey })
  }
}

const handle = (client: QueryClient, { kind, data }: LiveEvent): void => {
  // The number of the service is the only one; none is counted here.
  if (kind === 'count')
    client.setQueryData(unseenQuery.queryKey, (data as { readonly unseen: number }).unseen)
  // A request finds out whether the service is away or the session has ended.
  else if (kind === 'refused' || kind === 'lost') void client.invalidateQueries(meQuery)
  else if (kind === 'approvals' || kind === 'tasks') readAgain(client, [[kind]])
  else if (kind === 'reset') readAgain(client, [['inbox'], ['approvals'], ['tasks']])
  // The stream begins with the number of unseen notifications.
  else if (kind === 'begun') readAgain(client, [['inbox', 'list'], ['approvals'], ['tasks']])
  else if (kind === 'notification') readAgain(client, [['inbox', 'list']])
}

/** Listens as long as the page is open. */
export const useLive = (): void => {
  const client = useQueryClient()
  const { me } = useSession()
  useEffect(() => {
    const ended = new AbortController()
    const hear = (event: LiveEvent) => {
      handle(client, event)
      tellWatchers(event)
    }
    listenWhileAwake(me.id, hear, ended.signal)
    return () => ended.abort()
  }, [client, me.id])
}
