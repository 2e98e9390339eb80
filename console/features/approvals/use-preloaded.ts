/** Reads the records before and after the one that is shown, so that they are there when they are gone to. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { preloadRecord } from '../record/read-record.ts'
import { approvalKey } from './approval-key.ts'
import type { Queue } from './use-queue.ts'

export const usePreloaded = ({ neighbours, chosen }: Queue): void => {
  const client = useQueryClient()
  const preload = useEffectEvent(() => {
    for (const { entity, id } of neighbours) void preloadRecord(client, { entity, id: `${id}` })
  })
  const key = chosen && approvalKey(chosen)
  useEffect(() => {
    if (key !== undefined) preload()
  }, [key])
}
