/** A record that is being edited: its draft, saving, and what happens when others save first. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem, send } from '../../api/client.ts'
import type { KeptDraft } from '../../api/own/drafts.ts'
import { userKey } from '../../api/queries.ts'
import { recordQuery, type VersionedRecord } from '../../api/record.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import {
  type Conflict,
  currentValue,
  type Draft,
  findConflicts,
  noChanges,
  rebased,
  typedSince,
  withValue,
} from '../forms/draft.ts'
import { useSession } from '../session/session.ts'
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

/** What is typed, on the version that was on the screen when typing began, and not on a newer one. */
const useDraft = (current: Base | undefined, keep: (current: Base) => void) => {
  const [draft, setDraft] = useState<Draft>(noChanges)
  const [edited, setEdited] = useState<Base>()
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([])
  const base = draft.size > 0 ? (edited ?? current) : current
  /** What is left to save on a version that was read. */
  const accept = (version: Base, left: Draft) => {
    keep(version)
    setEdited(left.size > 0 ? version : undefined)
    setDraft(left)
  }
  /** Brings what was typed on an earlier version together with a later one. */
  const meet = (typed: Draft, before: Readonly<Record<string, unknown>>, version: Base) => {
    setConflicts(findConflicts(typed, before, version.record))
    accept(version, rebased(typed, version.record))
  }
  const keepMine = (column: string) =>
    setConflicts((all) => all.filter((one) => one.column !== column))
  const setValue = (column: string, value: unknown) => {
    if (!base) return
    const next = withValue(draft, base.record, column, value)
    setEdited(next.size > 0 ? base : undefined)
    setDraft(next)
    keepMine(column)
  }
  /** Takes what was kept as if it had been typed into the record that was on the screen then. */
  const restore = ({ values, before }: KeptDraft) => {
    if (!current) return
    meet(new Map(values.filter(([column]) => column in current.record)), before, current)
  }
  const clear = () => {
    setDraft(noChanges)
    setEdited(undefined)
    setConflicts([])
  }
  /** What was sent is saved; what was typed meanwhile is a change of the saved version. */
  const settle = (sent: Draft, version: Base) => {
    if (base) accept(version, rebased(typedSince(draft, base.record, sent), version.record))
  }
  return { base, draft, conflicts, meet, settle, keepMine, setValue, restore, clear }
}

/** The record with its draft, and saving it. */
export const useRecord = (entity: Entity, id: number) => {
  const client = useQueryClient()
  const { query, readCurrent } = useSource(entity, id)
  const read = useQuery(query)
  const keep = (current: Base) => void client.setQueryData(query.queryKey, current)
  const { meet, settle, clear, ...typed } = useDraft(read.data, keep)
  const { base, draft } = typed
  const save = useMutation({
    mutationFn: async (sent: Draft) => {
      if (!base) return undefined
      await change(entity, id, sent, base.etag)
      return await readCurrent()
    },
    onSuccess: (version, sent) => {
      if (version) settle(sent, version)
      void client.invalidateQueries({ queryKey: query.queryKey })
      void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] })
    },
    onError: async (error, sent) => {
      if (!(error instanceof ApiProblem) || !base) return
      if (error.status === 412) meet(sent, base.record, await readCurrent())
      if (error.status === 404) void client.invalidateQueries({ queryKey: query.queryKey })
    },
  })
  return {
    ...typed,
    read,
    save,
    /** Removed, or not for this user any more. */
    isGone: read.error instanceof ApiProblem && read.error.status === 404,
    valueOf: (column: string) => (base ? currentValue(draft, base.record, column) : undefined),
    discard: () => {
      clear()
      save.reset()
      void client.invalidateQueries({ queryKey: query.queryKey })
    },
  }
}

const change = (entity: Entity, id: number, draft: Draft, etag: string | undefined) =>
  send<RecordRow>(`/${entity.key}/${id}`, {
    method: 'PATCH',
    body: Object.fromEntries(draft),
    ...(etag !== undefined && { headers: { 'If-Match': etag } }),
  })
