/** Takes a change back: a second write of the values before it, which the history holds, so it works at any time. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { request } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { VersionedRecord } from '../../api/record.ts'
import type { Entity, HistoryEntry, RecordRow } from '../../api/types.ts'

type Values = Readonly<Record<string, unknown>>

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** The values before a change; undefined for what is no change of fields, or was changed again since. */
export const valuesBefore = (
  { operation, task_id: taskId, changes }: HistoryEntry,
  { fields }: Entity,
  record: RecordRow,
): Values | undefined => {
  const isCalculated = (name: string) =>
    fields.some((field) => field.column === name && field.isCalculated)
  // What is calculated follows by itself.
  const all = Object.entries(changes).filter(([name]) => !isCalculated(name))
  const isOwn = (name: string) =>
    fields.some(({ column, isSystem, writtenBy }) => column === name && !isSystem && !writtenBy)
  const isCurrent = all.every(([name, { after }]) => isOwn(name) && isSame(record[name], after))
  if (operation !== 'change' || taskId !== null || all.length === 0 || !isCurrent) return undefined
  return Object.fromEntries(all.map(([name, { before = null }]) => [name, before]))
}

export const useUndo = (entity: Entity, id: number) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ values, etag }: { values: Values; etag: VersionedRecord['etag'] }) =>
      request(`/${entity.key}/${id}`, {
        method: 'PATCH',
        body: values,
        ...(etag !== undefined && { headers: { 'If-Match': etag } }),
      }),
    onSettled: async () => {
      void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] })
      await client.invalidateQueries({ queryKey: [userKey, 'record', entity.key, id] })
    },
  })
}
