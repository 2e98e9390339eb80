/** Bulk writes in requests of as many records as the service takes: trying, writing and undoing them. */
import type { QueryClient } from '@tanstack/react-query'
import {
  chunkSizeOf,
  type Instruction,
  type Outcome,
  type Target,
  writeMany,
} from '../../api/bulk.ts'
import { ApiProblem } from '../../api/client.ts'
import { sendUndo, undoOfRemoval } from '../forms/undo.ts'
import { changedColumns } from './operations.ts'

export type Run = {
  readonly counts: Readonly<Record<Outcome['status'], number>>
  readonly outcomes: readonly Outcome[]
  /** The records that were not reached, because the run was stopped or failed. */
  readonly left: readonly Target[]
  /** Why it ended early. */
  readonly error: Error | undefined
}

/** A write, the records as they were before, and what became of them. */
export type Written = {
  readonly instruction: Instruction
  readonly targets: ReadonlyMap<number, Target>
  readonly run: Run
}

type Options = {
  readonly signal?: AbortSignal
  /** Called with the number of records that have an answer. */
  readonly onProgress: (done: number) => void
}

const runOf = (outcomes: readonly Outcome[], left: readonly Target[], error?: Error): Run => {
  const count = (status: Outcome['status']) =>
    outcomes.filter((one) => one.status === status).length
  const counts = {
    done: count('done'),
    unchanged: count('unchanged'),
    refused: count('refused'),
  }
  return { counts, outcomes, left, error }
}

export const doneIds = ({ outcomes }: Run): readonly number[] =>
  outcomes.filter(({ status }) => status === 'done').map(({ id }) => id)

type Chunk = readonly Target[]

/** Runs until all records have an answer, it is stopped, or a request fails. */
const runInChunks = async (
  targets: readonly Target[],
  size: number,
  write: (chunk: Chunk) => Promise<readonly Outcome[]>,
  { signal, onProgress }: Options,
): Promise<Run> => {
  const outcomes: Outcome[] = []
  while (outcomes.length < targets.length && !signal?.aborted) {
    try {
      outcomes.push(...(await write(targets.slice(outcomes.length, outcomes.length + size))))
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      return runOf(outcomes, targets.slice(outcomes.length), error)
    }
    onProgress(outcomes.length)
  }
  return runOf(outcomes, targets.slice(outcomes.length))
}

/** With the versions of the records, so that the write does not overwrite what others have changed since. */
const runWrite = (
  entity: string,
  instruction: Instruction,
  targets: readonly Target[],
  { isTrial = false, ...options }: Options & { readonly isTrial?: boolean },
): Promise<Run> =>
  runInChunks(
    targets,
    chunkSizeOf(instruction),
    (chunk) =>
      writeMany(entity, {
        ids: chunk.map(({ id }) => id),
        versions: Object.fromEntries(chunk.map(({ id, version }) => [id, version])),
        do: instruction,
        ...(isTrial && { dryRun: true }),
      }),
    options,
  )

/** Lets the service try a write on each record without keeping it. */
export const tryWrite = (
  entity: string,
  instruction: Instruction,
  targets: readonly Target[],
  options: Options,
): Promise<Run> => runWrite(entity, instruction, targets, { ...options, isTrial: true })

/** Writes the records that a trial has accepted; the result has the others too. */
export const writeAccepted = async (
  entity: string,
  { instruction, targets, run: trial }: Written,
  options: Options,
): Promise<Run> => {
  const accepted = doneIds(trial).flatMap((id) => targets.get(id) ?? [])
  const run = await runWrite(entity, instruction, accepted, options)
  const others = trial.outcomes.filter(({ status }) => status !== 'done')
  return runOf([...others, ...run.outcomes], run.left, run.error)
}

/** Whether a second write restores all that was written. */
export const isUndoable = ({ instruction, run }: Written): boolean =>
  run.counts.done > 0 && ('change' in instruction || 'remove' in instruction)

/** Undoes a write by a second one; a record that was changed since is refused. */
export const undoWrite = (
  client: QueryClient,
  entity: string,
  { instruction, targets, run: { outcomes } }: Written,
  options: Options,
): Promise<Run> => {
  const written = outcomes.flatMap(({ id, status, version }) => {
    const target = status === 'done' ? targets.get(id) : undefined
    return target ? [{ ...target, version: version ?? target.version }] : []
  })
  if ('change' in instruction)
    return changeBack(entity, changedColumns(instruction), written, options)
  return restoreMany(client, entity, written, options)
}

/** Restores removed records; one that cannot be restored is refused, with the reason. */
export const restoreMany = (
  client: QueryClient,
  entity: string,
  removed: readonly Target[],
  options: Options,
): Promise<Run> => {
  const restore = (chunk: Chunk) =>
    Promise.all(chunk.map(({ id }) => restoreOne(client, entity, id)))
  return runInChunks(removed, 1, restore, options)
}

/** Records that had the same values are written together. */
const changeBack = async (
  entity: string,
  columns: readonly string[],
  written: readonly Target[],
  { onProgress }: Options,
): Promise<Run> => {
  const before = ({ row }: Target) => Object.fromEntries(columns.map((one) => [one, row[one]]))
  const groups = Map.groupBy(written, (target) => JSON.stringify(before(target)))
  const outcomes: Outcome[] = []
  let error: Error | undefined
  for (const group of groups.values()) {
    const [first] = group
    if (!first) continue
    const reached = outcomes.length
    const run = await runWrite(entity, { change: before(first) }, group, {
      onProgress: (done) => onProgress(reached + done),
    })
    outcomes.push(...run.outcomes)
    error = run.error
    if (error) break
  }
  const answered = new Set(outcomes.map(({ id }) => id))
  const left = written.filter(({ id }) => !answered.has(id))
  return runOf(outcomes, left, error)
}

/** A restored record has a request of its own, whose answer becomes that of a bulk write. */
const restoreOne = async (client: QueryClient, entity: string, id: number): Promise<Outcome> => {
  const outcome = { id, version: null, code: null, detail: null, errors: [] }
  try {
    await sendUndo(client, undoOfRemoval(entity, id))
    return { ...outcome, status: 'done' }
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status === 0 || error.status >= 500) throw error
    const { code, message: detail, issues: errors } = error
    return { ...outcome, status: 'refused', code, detail, errors }
  }
}
