/**
 * The pages of one user. All tabs of a browser share one session, so another tab may sign in as another user: what was
 * read and typed here belongs to the first user, and is left. The next user reads that another window did it.
 */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { meQuery } from '../../api/queries.ts'
import type { Me } from '../../api/types.ts'
import { Waiting } from '../../parts/notes.tsx'

const channelName = 'docket-session'

/** Sends the other tabs who is signed in; null: the user has signed out. */
export const tellOtherTabs = (userId: number | null): void => {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(userId)
  channel.close()
}

// The user whom another window has signed in; kept for this tab until it is loaded again.
const changedName = 'docket.changed-user'

const keepChanged = (userId: number): void => {
  try {
    sessionStorage.setItem(changedName, `${userId}`)
  } catch {
    // Storage is off: the menu alone names the user.
  }
}

const takeChanged = (): number => {
  try {
    const kept = sessionStorage.getItem(changedName)
    sessionStorage.removeItem(changedName)
    return Number(kept)
  } catch {
    return 0
  }
}

/** The user whom another window signed in just before this page was loaded; 0 without such a change. */
export const changedUserId = takeChanged()

let isChangedHere = false

/** Says whether this window itself is changing its user. */
export const setChangedHere = (isHere: boolean): void => {
  isChangedHere = isHere
}

type UserProps = { readonly me: Me; readonly children: ReactNode }

export const OneUser = ({ me, children }: UserProps): ReactNode => {
  const client = useQueryClient()
  const [userId] = useState(me.id)
  const isOther = me.id !== userId
  useEffect(() => {
    if (!isOther) return
    if (!isChangedHere) keepChanged(me.id)
    window.location.reload()
  }, [isOther, me.id])
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
