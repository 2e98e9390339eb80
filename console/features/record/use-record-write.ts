/** What is done with a record as a whole: taken over, removed, restored. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { request } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { Entity } from '../../api/types.ts'

const writes = {
  takeOwnership: { method: 'POST', path: '/takeOwnership' },
  remove: { method: 'DELETE', path: '' },
  restore: { method: 'POST', path: '/restore' },
} as const

export type RecordWrite = keyof typeof writes

/** Sends one of them with the version that was on the screen, and reads the record anew. */
export const useRecordWrite = (entity: Entity, id: number) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ write, etag }: { write: RecordWrite; etag?: string | undefined }) => {
      const { method, path } = writes[write]
      return request(`/${entity.key}/${id}${path}`, {
        method,
        ...(etag !== undefined && { headers: { 'If-Match': etag } }),
      })
    },
    onSuccess: async () => {
      await client.resetQueries({ queryKey: [userKey, 'record', entity.key, id] })
      void client.invalidateQueries({ queryKey: [userKey, 'list'] })
      void client.invalidateQueries({ queryKey: [userKey, 'approvals'] })
    },
  })
}
