/** What is typed into a form: the browser keeps it until it is saved or discarded, and offers it again. */
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { newIdempotencyKey } from '../../api/client.ts'
import { forgetDraft, type KeptDraft, keepDraft, readDraft } from '../../api/own/drafts.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { discardFiles } from '../files/discard-files.ts'
import { useSession } from '../session/session.ts'
import './forms.css'

type Options = {
  /** The name of the form; the same when it is opened again. */
  readonly name: string
  /** What is typed now; undefined if everything is saved. */
  readonly current: KeptDraft | undefined
  /** Whether the form can take a stored draft. */
  readonly isReady: boolean
  readonly onRestore: (draft: KeptDraft) => void
}

/** Stores the current values, and restores stored ones once; true while the form shows restored values. */
export const useKeptDraft = ({ name, current, isReady, onRestore }: Options): boolean => {
  const { id } = useSession().me
  const [isRead, setIsRead] = useState(false)
  const [isRestored, setIsRestored] = useState(false)
  const restore = useEffectEvent((kept: KeptDraft | undefined) => {
    setIsRead(true)
    if (!kept || current) return
    setIsRestored(true)
    onRestore(kept)
  })
  useEffect(() => {
    if (!isReady) return
    let isCurrent = true
    void readDraft(id, name).then((kept) => isCurrent && restore(kept))
    return () => {
      isCurrent = false
    }
  }, [id, name, isReady])
  const text = current && JSON.stringify(current)
  useEffect(() => {
    if (!isRead) return
    if (text !== undefined) void keepDraft(id, name, text)
    else {
      setIsRestored(false)
      void forgetDraft(id, name)
    }
  }, [id, name, text, isRead])
  return isRestored && current !== undefined
}

const textOf = (value: unknown): string =>
  value === undefined || value === '' ? 'null' : JSON.stringify(value)

/** The values that differ from those that the form begins with. */
const changesOf = (values: object, initial: object) => {
  const before = new Map<string, unknown>(Object.entries(initial))
  return Object.entries(values).filter(([key, value]) => textOf(value) !== textOf(before.get(key)))
}

/** The initial values of the changed fields. */
const beforeOf = (changes: ReturnType<typeof changesOf>, initial: object) => {
  const first = new Map<string, unknown>(Object.entries(initial))
  return Object.fromEntries(changes.map(([key]) => [key, first.get(key) ?? null]))
}

/**
 * The values of a form, which begin as `initial`. `name` is the same whenever the form is opened; `onRestore` is called with
 * restored values and the initial values of that time.
 */
export const useKeptForm = <T extends object>(
  name: string,
  initial: T,
  onRestore?: (values: T, before: Readonly<Record<string, unknown>>) => void,
) => {
  const { id } = useSession().me
  const [values, setValues] = useState(initial)
  // It stays the same until an answer comes.
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
    /** The next request differs from the last one. */
    renewKey: () => setKey(newIdempotencyKey()),
    discard: () => {
      discardFiles(Object.values(values))
      setValues(initial)
    },
    /** The form was sent. */
    forget: () => void forgetDraft(id, name),
  }
}

export type KeptForm = Pick<
  ReturnType<typeof useKeptForm<object>>,
  'isRestored' | 'discard' | 'forget'
>

type NoteProps = { readonly kept: KeptForm }

/** Says that the form shows restored values, and discards them. */
export const RestoredNote = ({ kept }: NoteProps): ReactNode => {
  const { drafts, record } = useWorkTexts()
  return (
    <div role="status" className="restored-note" hidden={!kept.isRestored}>
      {kept.isRestored && (
        <>
          <span>{drafts.restored}</span>
          <Button look="quiet" onClick={kept.discard}>
            {record.discard}
          </Button>
        </>
      )}
    </div>
  )
}
