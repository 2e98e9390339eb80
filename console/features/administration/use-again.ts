/** Tries again what failed, some or all of a status, and keeps what the service said of each. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Retried } from '../../api/admin/deliveries.ts'

export const useAgain = <T>(
  send: (choice: T) => Promise<Retried>,
  keyOfList: readonly unknown[],
  onDone: () => void,
) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: send,
    onSuccess: async () => {
      onDone()
      await client.invalidateQueries({ queryKey: keyOfList })
    },
  })
}
