/** The record with its draft, which the browser keeps until it is saved or discarded. */
import type { Entity } from '../../api/types.ts'
import { useKeptDraft } from '../forms/kept-form.tsx'
import { useRecord } from './use-record.ts'

export const useKeptRecord = (entity: Entity, id: number) => {
  const edited = useRecord(entity, id)
  const { read, base, draft, restore } = edited
  const before = Object.fromEntries(
    [...draft.keys()].map((column) => [column, base?.record[column]]),
  )
  const isRestored = useKeptDraft({
    name: `${entity.key}/${id}`,
    current: draft.size > 0 ? { values: [...draft], before } : undefined,
    isReady: read.data !== undefined && entity.permissions.update !== false,
    onRestore: restore,
  })
  return { ...edited, isRestored }
}

export type KeptRecord = ReturnType<typeof useKeptRecord>
