/** The values of a form, which the browser keeps until they are sent or discarded, also if the form is closed. */
import { useState } from 'react'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { forgetDraft } from '../../api/own/drafts.ts'
import { useSession } from '../session/session.ts'
import { useKeptDraft } from './use-kept-draft.ts'

const textOf = (value: unknown): string =>
  value === undefined || value === '' ? 'null' : JSON.stringify(value)

/** What differs from the values that a form begins with. */
const changesOf = (values: object, initial: object) => {
  const before = new Map<string, unknown>(Object.entries(initial))
  return Object.entries(values).filter(([key, value]) => textOf(value) !== textOf(before.get(key)))
}

/** What a form began with when these values were typed. */
const beforeOf = (changes: ReturnType<typeof changesOf>, initial: object) => {
  const first = new Map<string, unknown>(Object.entries(initial))
  return Object.fromEntries(changes.map(([key]) => [key, first.get(key) ?? null]))
}

/**
 * `name` is that of the form, whenever it is opened; `initial`: what it begins with; `onRestore`: is called with what
 * was kept, and what the form began with then.
 */
export const useKeptForm = <T extends object>(
  name: string,
  initial: T,
  onRestore?: (values: T, before: Readonly<Record<string, unknown>>) => void,
) => {
  const { id } = useSession().me
  const [values, setValues] = useState(initial)
  // The same for every attempt whose answer did not come.
  const [idempotencyKey, setKey] = useState(newIdempotencyKey)
  const changes = changesOf(values, initial)
  const isRestored = useKeptDraft({
    name,
    current:
      changes.length > 0
        ? { values: changes, before: beforeOf(changes, initial), idempotencyKey }
        : undefined,
    isReady: true,
    onRestore: (kept) => {
      const restored = { ...initial, ...Object.fromEntries(kept.values) }
      setValues(restored)
      onRestore?.(restored, kept.before)
      if (kept.idempotencyKey !== undefined) setKey(kept.idempotencyKey)
    },
  })
  return {
    values,
    idempotencyKey,
    isRestored,
    set: (changed: Partial<T>) => setValues({ ...values, ...changed }),
    /** What is sent next is not what was sent before. */
    renewKey: () => setKey(newIdempotencyKey()),
    discard: () => setValues(initial),
    /** It was sent. */
    forget: () => void forgetDraft(id, name),
  }
}

export type KeptForm = Pick<
  ReturnType<typeof useKeptForm<object>>,
  'isRestored' | 'discard' | 'forget'
>
