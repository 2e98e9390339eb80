/** A record that is being edited: its draft, saving, and what happens when others save first. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem, send } from '../../api/client.ts'
import { recordQuery, userKey, type VersionedRecord } from '../../api/queries.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useSession } from '../session/session.ts'
import {
  type Conflict,
  currentValue,
  type Draft,
  findConflicts,
  noChanges,
  rebased,
  withValue,
} from './draft.ts'
import { includedLinks } from './included-links.ts'

type Base = VersionedRecord

/** How the record is read: from the cache, and anew beside it. */
const useSource = (entity: Entity, id: number) => {
  const include = includedLinks(entity, useSession().entities)
  const readCurrent = async (): Promise<Base> => {
    const { value, etag } = await send<RecordRow>(`/${entity.key}/${id}`, { query: { include } })
    return { record: value, etag }
  }
  return { query: recordQuery(entity.key, id, include), readCurrent }
}

/** The record with its draft. Edits begin from the version that was on the screen, not from a newer one. */
export const useRecord = (entity: Entity, id: number) => {
  const client = useQueryClient()
  const { query, readCurrent } = useSource(entity, id)
  const read = useQuery(query)
  const [draft, setDraft] = useState<Draft>(noChanges)
  const [edited, setEdited] = useState<Base>()
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([])
  const base = draft.size > 0 ? (edited ?? read.data) : read.data
  const accept = (current: Base, left: Draft) => {
    client.setQueryData(query.queryKey, current)
    setEdited(left.size > 0 ? current : undefined)
    setDraft(left)
  }
  const save = useMutation({
    mutationFn: async () => {
      if (!base) return
      await change(entity, id, draft, base.etag)
      setConflicts([])
      accept(await readCurrent(), noChanges)
      void client.invalidateQueries({ queryKey: query.queryKey })
      void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] })
    },
    onError: async (error) => {
      if (!(error instanceof ApiProblem) || error.status !== 412 || !base) return
      const current = await readCurrent()
      setConflicts(findConflicts(draft, base.record, current.record))
      accept(current, rebased(draft, current.record))
    },
  })
  const setValue = (column: string, value: unknown) => {
    if (!base) return
    const next = withValue(draft, base.record, column, value)
    setEdited(next.size > 0 ? base : undefined)
    setDraft(next)
    setConflicts((all) => all.filter((one) => one.column !== column))
  }
  return {
    ...{ read, base, draft, conflicts, save, setValue },
    valueOf: (column: string) => (base ? currentValue(draft, base.record, column) : undefined),
    discard: () => {
      setDraft(noChanges)
      setEdited(undefined)
      setConflicts([])
      save.reset()
      void client.invalidateQueries({ queryKey: query.queryKey })
    },
    keepMine: (column: string) => setConflicts((all) => all.filter((one) => one.column !== column)),
  }
}

const change = (entity: Entity, id: number, draft: Draft, etag: string | undefined) =>
  send<RecordRow>(`/${entity.key}/${id}`, {
    method: 'PATCH',
    body: Object.fromEntries(draft),
    ...(etag !== undefined && { headers: { 'If-Match': etag } }),
  })

export type EditedRecord = ReturnType<typeof useRecord>
