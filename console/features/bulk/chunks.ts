/** Many records in requests of as many as the service takes, one after the other. */
import type { BulkAnswer, Counts, Outcome, Target } from '../../api/bulk.ts'

export type Run = {
  readonly counts: Counts
  readonly outcomes: readonly Outcome[]
  /** The records that were not reached, because it was stopped or failed. */
  readonly left: readonly Target[]
  /** Why it ended early. */
  readonly error: Error | undefined
}

type Options = {
  readonly size: number
  readonly write: (chunk: readonly Target[]) => Promise<BulkAnswer>
  readonly isStopped: () => boolean
  /** Called with the number of records that have an answer. */
  readonly onProgress: (done: number) => void
}

export const nothingRun: Run = {
  counts: { done: 0, unchanged: 0, refused: 0 },
  outcomes: [],
  left: [],
  error: undefined,
}

const sum = (one: Counts, other: Counts): Counts => ({
  done: one.done + other.done,
  unchanged: one.unchanged + other.unchanged,
  refused: one.refused + other.refused,
})

/** Runs until all have an answer, it is stopped, or a request fails. */
export const runInChunks = async (
  targets: readonly Target[],
  { size, write, isStopped, onProgress }: Options,
): Promise<Run> => {
  let counts = nothingRun.counts
  const outcomes: Outcome[] = []
  let error: Error | undefined
  while (outcomes.length < targets.length && !isStopped()) {
    try {
      const answer = await write(targets.slice(outcomes.length, outcomes.length + size))
      counts = sum(counts, answer.counts)
      outcomes.push(...answer.data)
    } catch (thrown) {
      error = thrown instanceof Error ? thrown : new Error(String(thrown))
      break
    }
    onProgress(outcomes.length)
  }
  return { counts, outcomes, left: targets.slice(outcomes.length), error }
}

/** Both runs as one: what was refused by a check, and what became of the rest. */
export const joined = (one: Run, other: Run): Run => ({
  counts: sum(one.counts, other.counts),
  outcomes: [...one.outcomes, ...other.outcomes],
  left: [...one.left, ...other.left],
  error: one.error ?? other.error,
})

/** The part of a run that some statuses have. */
export const partOf = (run: Run, statuses: readonly Outcome['status'][]): Run => ({
  ...nothingRun,
  counts: {
    done: statuses.includes('done') ? run.counts.done : 0,
    unchanged: statuses.includes('unchanged') ? run.counts.unchanged : 0,
    refused: statuses.includes('refused') ? run.counts.refused : 0,
  },
  outcomes: run.outcomes.filter(({ status }) => statuses.includes(status)),
})
