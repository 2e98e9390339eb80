/** The draft of a record, existing or new: what is typed, saving it, and merging it with what others have saved. */

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { isRefusal, newIdempotencyKey, request, send, statusOf } from '../../api/client.ts'
import type { KeptDraft } from '../../api/own/drafts.ts'
import { meQuery, userKey } from '../../api/queries.ts'
import { isUnread, noteUnread, recordQuery, type VersionedRecord } from '../../api/record.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { discardFiles } from '../files/discard-files.ts'
import {
  type Conflict,
  currentValue,
  type Draft,
  findConflicts,
  isJoinedOf,
  noChanges,
  rebased,
  typedSince,
  withFilesOf,
  withValue,
} from '../forms/draft.ts'
import { useKeptDraft } from '../forms/kept-form.tsx'
import { bodyOf } from '../lines/line-drafts.ts'
import { useSession } from '../session/session.ts'
import { defaultsOf } from '../values/defaults.ts'
import { isSame } from '../values/entered.ts'
import { includedLinks } from './read-record.ts'

/** How the record is read: by a query, and past its cache. */
const useSource = (entity: Entity, id: number) => {
  const include = includedLinks(entity, useSession().entities)
  const readCurrent = async (): Promise<VersionedRecord> => {
    const { value, etag } = await send<RecordRow>(`/${entity.key}/${id}`, { query: { include } })
    return { record: value, etag }
  }
  return { query: recordQuery(entity.key, id, include), readCurrent }
}

/** The draft, on the version that was on the screen when typing began; a newer one does not replace it. */
const useDraft = (
  { fields }: Entity,
  current: VersionedRecord | undefined,
  store: (version: VersionedRecord) => void,
) => {
  const [draft, setDraft] = useState<Draft>(noChanges)
  const [edited, setEdited] = useState<VersionedRecord>()
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([])
  const base = draft.size > 0 ? (edited ?? current) : current
  /** Goes on with a version that was read, and what is left to save on it. */
  const accept = (version: VersionedRecord, left: Draft) => {
    store(version)
    setEdited(left.size > 0 ? version : undefined)
    setDraft(left)
  }
  /** Merges what was typed on an earlier version with a later one. */
  const merge = (
    typed: Draft,
    before: Readonly<Record<string, unknown>>,
    version: VersionedRecord,
  ) => {
    const { record } = version
    const joined = withFilesOf(record, typed, fields, (column) => before[column])
    const isJoined = isJoinedOf(fields)
    const found = findConflicts(joined, before, record)
    setConflicts(found.filter(({ column }) => !isJoined(column)))
    accept(version, rebased(joined, record))
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
  /** Takes a stored draft as typed into the version that was on the screen then. */
  const restore = ({ values, before }: KeptDraft) => {
    if (!current) return
    const isKnown = (name: string) => fields.some(({ column, key }) => (column ?? key) === name)
    merge(new Map(values.filter(([column]) => isKnown(column))), before, current)
  }
  const clear = () => {
    setDraft(noChanges)
    setEdited(undefined)
    setConflicts([])
  }
  /** After saving: what was typed meanwhile changes the saved version. */
  const settle = (sent: Draft, version: VersionedRecord) => {
    if (!base) return
    const { record } = version
    const later = typedSince(draft, base.record, sent)
    const wasSent = (column: string) => currentValue(sent, base.record, column)
    accept(version, rebased(withFilesOf(record, later, fields, wasSent), record))
  }
  return { base, draft, conflicts, merge, settle, keepMine, setValue, restore, clear }
}

// A change that is sent again, because no answer came, is made once.
const keys = new WeakMap<Draft, string>()

/** A record with its draft, which the browser keeps until it is saved or discarded. */
export const useEditedRecord = (entity: Entity, id: number) => {
  const client = useQueryClient()
  const { query, readCurrent } = useSource(entity, id)
  const read = useQuery(query)
  const store = (current: VersionedRecord) => void client.setQueryData(query.queryKey, current)
  const { merge, settle, clear, restore, ...typed } = useDraft(entity, read.data, store)
  const { base, draft } = typed
  /** Lines are read again before their draft ends. */
  const readLines = (sent: Draft) =>
    Promise.all(
      entity.fields
        .filter(({ key }) => sent.has(key))
        .map((list) => client.invalidateQueries({ queryKey: [userKey, 'list', list.entity] })),
    )
  const save = useMutation({
    mutationFn: async (sent: Draft) => {
      if (!base) return undefined
      const key = keys.get(sent) ?? newIdempotencyKey()
      keys.set(sent, key)
      const { value } = await send<object>(`/${entity.key}/${id}`, {
        method: 'PATCH',
        headers: { 'Idempotency-Key': key },
        body: bodyOf(entity, sent, base.record),
        etag: base.etag,
      })
      noteUnread(client, { entity: entity.key, id }, value)
      if (isUnread(value)) return undefined
      await readLines(sent)
      return await readCurrent()
    },
    onSuccess: (version, sent) => {
      if (version) settle(sent, version)
      else clear()
      void client.invalidateQueries({ queryKey: query.queryKey })
      void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] })
      // The menu has the name of the user.
      if (entity.key === 'user') void client.invalidateQueries(meQuery)
    },
    onError: async (error, sent) => {
      if (!base) return
      const status = statusOf(error)
      if (status === 412) {
        await readLines(sent)
        merge(sent, base.record, await readCurrent())
      }
      if (status === 404) void client.invalidateQueries({ queryKey: query.queryKey })
    },
  })
  const before = Object.fromEntries(
    [...draft.keys()].map((column) => [column, base?.record[column]]),
  )
  const isRestored = useKeptDraft({
    name: `${entity.key}/${id}`,
    current: draft.size > 0 ? { values: [...draft], before } : undefined,
    isReady: read.data !== undefined && entity.permissions.update !== false,
    onRestore: restore,
  })
  return {
    ...typed,
    read,
    save,
    isRestored,
    /** Removed, or hidden from this user since. */
    isGone: statusOf(read.error) === 404,
    valueOf: (column: string) => (base ? currentValue(draft, base.record, column) : undefined),
    discard: () => {
      discardFiles(draft.values())
      clear()
      save.reset()
      void client.invalidateQueries({ queryKey: query.queryKey })
    },
  }
}

export type EditedRecord = ReturnType<typeof useEditedRecord>

type Values = ReadonlyMap<string, unknown>

type Given = readonly (readonly [string, unknown])[]

/** The values of a new record, which the browser keeps until it is created; creating it once, however often it is sent. */
export const useNewRecord = (entity: Entity, given: Given) => {
  const client = useQueryClient()
  const session = useSession()
  const { timeZone, firstDayOfWeek } = session.config
  const calendar = { timeZone, firstDayOfWeek: firstDayOfWeek ?? undefined }
  const begun = () => new Map([...defaultsOf(entity, calendar, session), ...given])
  const [initial, setInitial] = useState<Values>(begun)
  const [values, setValues] = useState<Values>(initial)
  // It stays the same until an answer comes.
  const [key, setKey] = useState(newIdempotencyKey)
  const created = useRef<Values>(undefined)
  const isUnsaved = () => values !== created.current && !isSame([...values], [...initial])
  const create = useMutation({
    mutationFn: (sent: Values) =>
      request<RecordRow>(`/${entity.key}`, {
        method: 'POST',
        headers: { 'Idempotency-Key': key },
        body: bodyOf(
          entity,
          [...sent].filter(([, value]) => value !== null),
        ),
      }),
    onSuccess: (_record, sent) => {
      created.current = sent
      void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] })
    },
    onError: (error) => {
      if (isRefusal(error)) setKey(newIdempotencyKey())
    },
  })
  const restart = (next?: Values, nextKey = newIdempotencyKey()) => {
    const first = next ? initial : begun()
    setInitial(first)
    setKey(nextKey)
    setValues(next ?? first)
  }
  const isRestored = useKeptDraft({
    name: `${entity.key}/new ${JSON.stringify(given)}`,
    current: isUnsaved() ? { values: [...values], before: {}, idempotencyKey: key } : undefined,
    isReady: true,
    onRestore: (kept) => restart(new Map(kept.values), kept.idempotencyKey),
  })
  return {
    values,
    create,
    isUnsaved,
    isRestored,
    setValue: (column: string, value: unknown) => setValues(new Map(values).set(column, value)),
    /** Starts another record. */
    restart: () => restart(),
    discard: () => {
      discardFiles(values.values())
      restart()
    },
  }
}
