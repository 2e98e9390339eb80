/** A record that does not exist yet: its values, and creating it once however often it is sent. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { request } from '../../api/client.ts'
import { isRefusal, newIdempotencyKey } from '../../api/idempotency-key.ts'
import type { KeptDraft } from '../../api/own/drafts.ts'
import { userKey } from '../../api/queries.ts'
import type { Entity, Field, RecordRow } from '../../api/types.ts'
import { useKeptDraft } from '../forms/kept-form.tsx'

type Values = ReadonlyMap<string, unknown>

/** What the service would set where nothing is given. */
const defaultsOf = ({ fields }: Entity): Values =>
  new Map(
    fields.flatMap(({ column, default: value }: Field) =>
      column !== null && value !== undefined && value !== null ? [[column, value] as const] : [],
    ),
  )

type Given = readonly (readonly [string, unknown])[]

type KeptOptions = {
  readonly values: Values
  readonly isUnsaved: boolean
  readonly idempotencyKey: string
  readonly onRestore: (kept: KeptDraft) => void
}

/** Kept by the browser until the record is created. */
const useKeptValues = (entity: Entity, given: Given, options: KeptOptions): boolean => {
  const { values, isUnsaved, idempotencyKey, onRestore } = options
  return useKeptDraft({
    name: `${entity.key}/new ${JSON.stringify(given)}`,
    current: isUnsaved ? { values: [...values], before: {}, idempotencyKey } : undefined,
    isReady: true,
    onRestore,
  })
}

const isSame = (one: Values, other: Values): boolean =>
  JSON.stringify([...one]) === JSON.stringify([...other])

export const useNewRecord = (entity: Entity, given: Given) => {
  const client = useQueryClient()
  const initial = () => new Map([...defaultsOf(entity), ...given])
  const [values, setValues] = useState<Values>(initial)
  // The same for every attempt whose answer did not come.
  const [key, setKey] = useState(newIdempotencyKey)
  const created = useRef<Values>(undefined)
  const isUnsaved = () => values !== created.current && !isSame(values, initial())
  const create = useMutation({
    mutationFn: (sent: Values) =>
      request<RecordRow>(`/${entity.key}`, {
        method: 'POST',
        headers: { 'Idempotency-Key': key },
        body: Object.fromEntries([...sent].filter(([, value]) => value !== null)),
      }),
    onSuccess: (_record, sent) => {
      created.current = sent
      void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] })
    },
    onError: (error) => {
      if (isRefusal(error)) setKey(newIdempotencyKey())
    },
  })
  const restart = (next: Values = initial(), nextKey = newIdempotencyKey()) => {
    setKey(nextKey)
    setValues(next)
  }
  const isRestored = useKeptValues(entity, given, {
    values,
    isUnsaved: isUnsaved(),
    idempotencyKey: key,
    onRestore: (kept) => restart(new Map(kept.values), kept.idempotencyKey),
  })
  return {
    values,
    create,
    isUnsaved,
    isRestored,
    setValue: (column: string, value: unknown) => setValues(new Map(values).set(column, value)),
    /** Begins with another record. */
    restart: () => restart(),
  }
}
