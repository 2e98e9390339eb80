/**
 * The pages of one user. All tabs of a browser share one session, so another tab may sign in as somebody else: what was
 * read and typed here belongs to the first user, and is left.
 */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { meQuery } from '../../api/queries.ts'
import type { Me } from '../../api/types.ts'
import { Waiting } from '../../parts/notes.tsx'

const channelName = 'docket-session'

/** Tells the other tabs who is signed in; null: the user has signed out. */
export const tellOtherTabs = (userId: number | null): void => {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(userId)
  channel.close()
}

type UserProps = { readonly me: Me; readonly children: ReactNode }

export const OneUser = ({ me, children }: UserProps): ReactNode => {
  const client = useQueryClient()
  const [userId] = useState(me.id)
  const isOther = me.id !== userId
  useEffect(() => {
    if (isOther) window.location.reload()
  }, [isOther])
  useEffect(() => {
    const channel = new BroadcastChannel(channelName)
    channel.addEventListener('message', ({ data }: MessageEvent<number | null>) => {
      if (data === null) window.location.reload()
      else if (data !== userId) void client.invalidateQueries(meQuery)
    })
    tellOtherTabs(userId)
    return () => channel.close()
  }, [client, userId])
  return isOther ? <Waiting /> : children
}
