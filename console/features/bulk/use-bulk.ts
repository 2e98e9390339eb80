/** A bulk write from its form to its result: first tried, then written, and taken back where that can be done. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { chunkSizeOf, type Target, type Wanted, writeMany } from '../../api/bulk.ts'
import { userKey } from '../../api/queries.ts'
import type { Entity } from '../../api/types.ts'
import { joined, partOf, type Run, runInChunks } from './chunks.ts'
import { changedColumns } from './operations.ts'
import { undoOf } from './undo.ts'

type Checked = {
  readonly wanted: Wanted
  readonly targets: ReadonlyMap<number, Target>
  readonly run: Run
}

export type Phase =
  | { readonly kind: 'form'; readonly error?: Error | undefined }
  | { readonly kind: 'checking'; readonly done: number; readonly total: number | undefined }
  | ({ readonly kind: 'checked' } & Checked)
  | {
      readonly kind: 'writing'
      readonly done: number
      readonly total: number
      readonly isStopping: boolean
    }
  | ({ readonly kind: 'done'; readonly isUndone: boolean } & Checked)

export type BulkOptions = {
  readonly entity: Entity
  /** The records that are meant, with these columns. */
  readonly readTargets: (columns: readonly string[], signal: AbortSignal) => Promise<Targets>
  /** Whether the form names each of them: if it is possible for all, they are written without another question. */
  readonly isEachNamed?: boolean
  /**
   * Called with what became of the records, also if the dialog was closed meanwhile, and with when the pages have
   * read them anew.
   */
  readonly onWritten: (run: Run, refreshed: Promise<unknown>) => Promise<void> | void
}

type Targets = readonly Target[]

// What comes sooner needs no sign that it is on its way.
const patienceMs = 300

type Show = (phase: Phase) => void

/** Does one thing at a time; its progress is shown once it takes longer than people notice. */
const usePhase = () => {
  const [phase, setPhase] = useState<Phase>({ kind: 'form' })
  const isBusy = useRef(false)
  const doing = async (first: Phase, work: (show: Show) => Promise<Phase>) => {
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
  return { phase, setPhase, doing }
}

export const useBulk = (options: BulkOptions) => {
  const { entity, isEachNamed = false, onWritten } = options
  const client = useQueryClient()
  const { phase, setPhase, doing } = usePhase()
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
  const writeChecked = async (checked: Checked, onPhase: Show): Promise<Phase> => {
    const run = await written({ entity, checked, onPhase, signal: begin() })
    await onWritten(run, refresh())
    return { ...checked, kind: 'done', isUndone: false, run }
  }
  const check = (wanted: Wanted) =>
    doing({ kind: 'checking', done: 0, total: undefined }, async (onPhase) => {
      const phase = await tried({ ...options, wanted, onPhase, signal: begin() })
      const isAsked =
        isEachNamed && phase.kind === 'checked' && phase.run.counts.done === phase.targets.size
      return isAsked ? writeChecked(phase, onPhase) : phase
    })
  const write = (checked: Checked) =>
    doing(writing(0, checked.run.counts.done), (onPhase) => writeChecked(checked, onPhase))
  const undo = (checked: Checked) =>
    doing(writing(0, checked.run.counts.done), async (onPhase) => {
      const run = await takenBack({ entity, checked, onPhase })
      void refresh()
      return { ...checked, kind: 'done', isUndone: true, run }
    })
  return {
    phase,
    check: (wanted: Wanted) => void check(wanted),
    write: (checked: Checked) => void write(checked),
    undo: (checked: Checked) => void undo(checked),
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

/** With the versions that were read, so that what others change meanwhile is not overwritten. */
const bodyOf = (wanted: Wanted, chunk: readonly Target[]) => ({
  ids: chunk.map(({ id }) => id),
  versions: Object.fromEntries(chunk.map(({ id, version }) => [id, version])),
  do: wanted,
})

type Trial = Pick<BulkOptions, 'entity' | 'readTargets'> & {
  readonly wanted: Wanted
  readonly signal: AbortSignal
  readonly onPhase: Show
}

/** Reads the records, and lets the service try the write on each without keeping it. */
const tried = async (trial: Trial): Promise<Phase> => {
  const { entity, wanted, signal, onPhase } = trial
  try {
    const read = await trial.readTargets(changedColumns(wanted), signal)
    const total = read.length
    const run = await runInChunks(read, {
      size: chunkSizeOf(wanted),
      write: (chunk) => writeMany(entity.key, { ...bodyOf(wanted, chunk), dryRun: true }),
      isStopped: () => signal.aborted,
      onProgress: (done) => onPhase({ kind: 'checking', done, total }),
    })
    if (run.error) return { kind: 'form', error: run.error }
    if (signal.aborted) return { kind: 'form' }
    const targets = new Map(read.map((target) => [target.id, target]))
    return { kind: 'checked', wanted, run, targets }
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown))
    return { kind: 'form', error: signal.aborted ? undefined : error }
  }
}

type Write = Pick<Trial, 'entity' | 'signal' | 'onPhase'> & { readonly checked: Checked }

/** Writes what the trial would have written; the result has the others too. */
const written = async ({ entity, checked, signal, onPhase }: Write): Promise<Run> => {
  const { wanted, targets, run: trial } = checked
  const accepted = partOf(trial, ['done']).outcomes.flatMap(({ id }) => targets.get(id) ?? [])
  const run = await runInChunks(accepted, {
    size: chunkSizeOf(wanted),
    write: (chunk) => writeMany(entity.key, bodyOf(wanted, chunk)),
    isStopped: () => signal.aborted,
    onProgress: (done) => onPhase(writing(done, accepted.length, signal.aborted)),
  })
  return joined(partOf(trial, ['refused', 'unchanged']), run)
}

const takenBack = async ({
  entity,
  checked: { wanted, targets, run },
  onPhase,
}: Omit<Write, 'signal'>): Promise<Run> => {
  const start = undoOf({ entity: entity.key, wanted, targets, outcomes: run.outcomes })
  return start ? start((done) => onPhase(writing(done, run.counts.done))) : run
}
