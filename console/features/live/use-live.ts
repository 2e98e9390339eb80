/** Keeps what the console shows of the inbox as the service says it. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { meQuery, unseenQuery, userKey } from '../../api/queries.ts'
import { useSession } from '../session/session.ts'
import { listenWhileAwake } from './listen-while-awake.ts'
import type { LiveEvent } from './stream.ts'
import { tellWatchers } from './watched.ts'

const inboxKey = [userKey, 'inbox'] as const

const handle = (client: QueryClient, { kind, data }: LiveEvent): void => {
  // The number of the service is the only one; none is counted here.
  if (kind === 'count')
    client.setQueryData(unseenQuery.queryKey, (data as { readonly unseen: number }).unseen)
  // A request finds out whether the service is away or the session has ended.
  else if (kind === 'refused' || kind === 'lost') void client.invalidateQueries(meQuery)
  else if (kind === 'approvals' || kind === 'tasks')
    void client.invalidateQueries({ queryKey: [userKey, kind] })
  else if (kind === 'reset')
    for (const part of ['inbox', 'approvals', 'tasks'])
      void client.invalidateQueries({ queryKey: [userKey, part] })
  // What came while there was no stream is in the list.
  else if (kind !== 'record') void client.invalidateQueries({ queryKey: [...inboxKey, 'list'] })
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
