/** The rows of a list that are pasted, from the trial to the write and its undo. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { type Outcome, writeMany } from '../../api/bulk.ts'
import { ApiProblem, searchRecords, statusOf } from '../../api/client.ts'
import { userKey } from '../../api/queries.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import type { ListColumn } from '../values/columns.ts'
import { bodyOfLines, type LineDraft, sentLines } from './line-drafts.ts'
import type { PastedList } from './pasted-list.ts'
import type { LinesForm } from './use-lines.ts'

type Pasting = PastedList & {
  readonly saved: readonly ListRow[]
  readonly typed: readonly ListColumn[]
}

type Phase = 'typing' | 'done' | 'undone'

/** Where the service says of a record what is wrong: as if the rows were lines of this name. */
const field = { key: 'rows' } as const

const placed = (error: unknown): Error => {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error : new Error(`${error}`)
  const { status, code, message: detail, issues } = error
  const errors = issues.map((issue) => ({ ...issue, path: `${field.key}.${issue.path}` }))
  return new ApiProblem(status, { code, detail, errors })
}

const bodyOf = (lines: readonly LineDraft[]): object =>
  Object.fromEntries(Object.entries(bodyOfLines(lines)).filter(([, some]) => some.length > 0))

/** What takes a write back: values as they were before it, and removals; undefined where the user may not remove what is new. */
const undoOf = (
  { permissions }: Entity,
  lines: readonly LineDraft[],
  outcomes: readonly Outcome[],
): object | undefined => {
  const { change, create } = sentLines(lines)
  if (create.length > 0 && permissions.delete === false) return undefined
  const known = ({ id, version }: Outcome) => ({ id, _version: version })
  const changed = change.flatMap(({ before }, at) => {
    const outcome = outcomes[at]
    return outcome?.status === 'done' ? [{ ...known(outcome), ...before }] : []
  })
  const created = outcomes.slice(change.length).map(known)
  if (changed.length + created.length === 0) return undefined
  return {
    ...(changed.length > 0 && { change: changed }),
    ...(created.length > 0 && { remove: created }),
  }
}

/** Rows as they are now, where others have changed some. */
const readAgain = async (
  { entity, list }: Pasting,
  saved: readonly ListRow[],
): Promise<readonly ListRow[]> => {
  const { $select } = list.criteria
  const $where = { id: { $in: saved.map(({ id }) => id) } }
  const { data } = await searchRecords(entity.key, { $where, $select }, { limit: saved.length })
  const byId = new Map(data.map((row) => [row.id, row]))
  return saved.map((row) => byId.get(row.id) ?? row)
}

export const usePastedRows = (pasting: Pasting) => {
  const { entity, typed } = pasting
  const { key, permissions } = entity
  const client = useQueryClient()
  const [saved, setSaved] = useState(pasting.saved)
  const [lines, setLines] = useState<readonly LineDraft[]>([])
  const { error, sent, isSaving, send, sendOnce } = useSending(lines)
  const [phase, setPhase] = useState<Phase>('typing')
  const [back, setBack] = useState<object>()
  const end = (next: Phase, undo?: object) => {
    setPhase(next)
    setBack(undo)
    for (const part of ['list', 'record', 'approvals'])
      void client.invalidateQueries({ queryKey: [userKey, part] })
  }
  const write = (more: object = {}) =>
    writeMany(key, { ...bodyOf(lines), ...more }).catch(async (refused: unknown) => {
      if (statusOf(refused) === 412) await readAgain(pasting, saved).then(setSaved, () => undefined)
      throw refused
    })
  const tryOut = useEffectEvent(() => send(() => write({ dryRun: true })))
  const hasLines = lines.length > 0
  useEffect(() => {
    if (hasLines) void tryOut()
  }, [hasLines])
  const form: LinesForm = {
    related: { child: entity, typed, field },
    rights: {
      mayCreate: permissions.create,
      mayChange: permissions.update !== false,
      mayRemove: false,
    },
    saved,
    lines,
    onLines: setLines,
    error,
    sent,
    isSaving,
  }
  return {
    form,
    phase,
    written: lines.length,
    save: () => sendOnce(async () => end('done', undoOf(entity, lines, await write()))),
    undo:
      back &&
      (() =>
        sendOnce(async () => {
          await writeMany(key, back)
          end('undone')
        })),
  }
}

/** One request after the other, so that a write waits for the trial; with the error of the last and the lines that it had. */
const useSending = (lines: readonly LineDraft[]) => {
  const [sent, setSent] = useState<readonly LineDraft[]>([])
  const [error, setError] = useState<Error | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const last = useRef(Promise.resolve())
  const isWriting = useRef(false)
  const run = async (work: () => Promise<unknown>) => {
    setIsSaving(true)
    setSent(lines)
    try {
      await work()
      setError(null)
    } catch (thrown) {
      setError(placed(thrown))
    }
    setIsSaving(false)
  }
  const send = (work: () => Promise<unknown>) => {
    last.current = last.current.then(() => run(work))
    return last.current
  }
  /** Not for a second click. */
  const sendOnce = (work: () => Promise<unknown>) => {
    if (isWriting.current) return
    isWriting.current = true
    void send(work).finally(() => {
      isWriting.current = false
    })
  }
  return { error, sent, isSaving, send, sendOnce }
}
