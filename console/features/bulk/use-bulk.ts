/** A bulk write from its form to its result: first tried, then written, and undone where that is possible. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Instruction, Target } from '../../api/bulk.ts'
import { userKey } from '../../api/queries.ts'
import type { Entity } from '../../api/types.ts'
import { type Run, tryWrite, undoWrite, type Written, writeAccepted } from './bulk-write.ts'
import { changedColumns } from './operations.ts'

export type Phase =
  | { readonly kind: 'form'; readonly error?: Error | undefined }
  | { readonly kind: 'checking'; readonly done: number; readonly total: number | undefined }
  | ({ readonly kind: 'checked' } & Written)
  | {
      readonly kind: 'writing'
      readonly done: number
      readonly total: number
      readonly isStopping: boolean
    }
  | ({ readonly kind: 'done'; readonly isUndone: boolean } & Written)

export type BulkOptions = {
  readonly entity: Entity
  /** Reads the records of the write with these columns. */
  readonly readTargets: (
    columns: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly Target[]>
  /** Whether the form names each record: if the write is possible for all, it follows without a confirmation. */
  readonly isEachNamed?: boolean
  /**
   * Called with the result, also if the dialog was closed meanwhile; `refreshed` resolves when the pages have read the
   * records again.
   */
  readonly onWritten: (run: Run, refreshed: Promise<unknown>) => Promise<void> | void
}

// Work that ends sooner shows no progress.
const patienceMs = 300

type Show = (phase: Phase) => void

/** Runs one work at a time, and shows its progress if it takes longer than users notice. */
const usePhase = () => {
  const [phase, setPhase] = useState<Phase>({ kind: 'form' })
  const isBusy = useRef(false)
  const run = async (first: Phase, work: (show: Show) => Promise<Phase>) => {
    if (isBusy.current) return
    isBusy.current = true
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      setPhase(first)
    }, patienceMs)
    const next = await work((shown) => isLate && setPhase(shown)).finally(() => {
      clearTimeout(timer)
      isBusy.current = false
    })
    setPhase(next)
  }
  return { phase, setPhase, run }
}

export const useBulk = (options: BulkOptions) => {
  const { entity, isEachNamed = false, onWritten } = options
  const client = useQueryClient()
  const { phase, setPhase, run } = usePhase()
  const stopped = useRef(new AbortController())
  useEffect(() => () => stopped.current.abort(), [])
  const begin = () => {
    stopped.current = new AbortController()
    return stopped.current.signal
  }
  const refresh = () =>
    Promise.all(
      ['list', 'record', 'approvals'].map((part) =>
        client.invalidateQueries({ queryKey: [userKey, part] }),
      ),
    )
  const writeChecked = async (checked: Written, show: Show): Promise<Phase> => {
    const signal = begin()
    const total = checked.run.counts.done
    const written = await writeAccepted(entity.key, checked, {
      signal,
      onProgress: (done) => show(writing(done, total, signal.aborted)),
    })
    await onWritten(written, refresh())
    return { ...checked, kind: 'done', isUndone: false, run: written }
  }
  const check = (instruction: Instruction) =>
    run({ kind: 'checking', done: 0, total: undefined }, async (show) => {
      const phase = await tryAll(options, { instruction, signal: begin(), show })
      const isConfirmed =
        isEachNamed && phase.kind === 'checked' && phase.run.counts.done === phase.targets.size
      return isConfirmed ? writeChecked(phase, show) : phase
    })
  const write = (checked: Written) =>
    run(writing(0, checked.run.counts.done), (show) => writeChecked(checked, show))
  const undo = (written: Written) => {
    const total = written.run.counts.done
    return run(writing(0, total), async (show) => {
      const onProgress = (done: number) => show(writing(done, total))
      const undone = await undoWrite(client, entity.key, written, { onProgress })
      void refresh()
      return { ...written, kind: 'done', isUndone: true, run: undone }
    })
  }
  return {
    phase,
    check: (instruction: Instruction) => void check(instruction),
    write: (checked: Written) => void write(checked),
    undo: (written: Written) => void undo(written),
    back: () => setPhase({ kind: 'form' }),
    stop: () => {
      stopped.current.abort()
      setPhase((now) => (now.kind === 'writing' ? { ...now, isStopping: true } : now))
    },
  }
}

const writing = (done: number, total: number, isStopping = false): Phase => ({
  kind: 'writing',
  done,
  total,
  isStopping,
})

type Trial = {
  readonly instruction: Instruction
  readonly signal: AbortSignal
  readonly show: Show
}

/** Reads the records, and lets the service try the write on each of them. */
const tryAll = async (
  { entity, readTargets }: BulkOptions,
  { instruction, signal, show }: Trial,
): Promise<Phase> => {
  try {
    const read = await readTargets(changedColumns(instruction), signal)
    const run = await tryWrite(entity.key, instruction, read, {
      signal,
      onProgress: (done) => show({ kind: 'checking', done, total: read.length }),
    })
    if (run.error) return { kind: 'form', error: run.error }
    if (signal.aborted) return { kind: 'form' }
    const targets = new Map(read.map((target) => [target.id, target]))
    return { kind: 'checked', instruction, run, targets }
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return { kind: 'form', error: signal.aborted ? undefined : error }
  }
}
