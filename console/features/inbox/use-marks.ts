/** Marks notifications as read or unread, and takes back exactly that all were read. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { send } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'

type Mark = {
  readonly ids: readonly string[]
  readonly status: 'seen' | 'unseen'
  readonly before?: string
  /** Of the mark that is taken back. */
  readonly markedAt?: string
}

export const useMarks = () => {
  const client = useQueryClient()
  const [markedAt, setMarkedAt] = useState<string>()
  const { mutate, error } = useMutation({
    mutationFn: (body: Mark) => send('/api/notifications/mark', { method: 'PUT', body }),
    onSuccess: async ({ headers }, { ids, status }) => {
      const isAll = ids.length === 0 && status === 'seen'
      setMarkedAt(isAll ? (headers.get('X-Marked-At') ?? undefined) : undefined)
      await client.invalidateQueries({ queryKey: [userKey, 'inbox'] })
    },
  })
  return {
    mark: mutate,
    error,
    /** Takes back that all were read; a single one is marked as unread again by itself. */
    undoAll:
      markedAt === undefined ? undefined : () => mutate({ ids: [], status: 'unseen', markedAt }),
  }
}
