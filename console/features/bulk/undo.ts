/** Taking a bulk write back by a second write: values as they were, unless somebody has changed the record since. */
import {
  type BulkAnswer,
  chunkSizeOf,
  type Outcome,
  restoreOne,
  type Target,
  type Wanted,
  writeMany,
} from '../../api/bulk.ts'
import { ApiProblem } from '../../api/client.ts'
import { joined, nothingRun, type Run, runInChunks } from './chunks.ts'

type Written = {
  readonly entity: string
  readonly wanted: Wanted
  /** As they were before. */
  readonly targets: ReadonlyMap<number, Target>
  readonly outcomes: readonly Outcome[]
}

type Progress = (done: number) => void

/** How a write is taken back; undefined where no second write makes all of it as it was. */
export const undoOf = (written: Written): ((onProgress: Progress) => Promise<Run>) | undefined => {
  const { wanted } = written
  const done = written.outcomes.filter(({ status }) => status === 'done')
  if (done.length === 0) return undefined
  if ('change' in wanted)
    return (onProgress) => changeBack(written, Object.keys(wanted.change), done, onProgress)
  return 'remove' in wanted ? (onProgress) => restore(written, done, onProgress) : undefined
}

/** Records that had the same values are written together. */
const changeBack = async (
  { entity, targets }: Written,
  columns: readonly string[],
  done: readonly Outcome[],
  onProgress: Progress,
): Promise<Run> => {
  const versions = new Map(done.map(({ id, version }) => [id, version]))
  const before = ({ row }: Target) => Object.fromEntries(columns.map((one) => [one, row[one]]))
  const records = done.flatMap(({ id }) => targets.get(id) ?? [])
  let run = nothingRun
  for (const [, group] of Map.groupBy(records, (target) => JSON.stringify(before(target)))) {
    const [first] = group
    if (!first || run.error) break
    const wanted = { change: before(first) }
    const reached = run.outcomes.length
    const part = await runInChunks(group, {
      size: chunkSizeOf(wanted),
      write: (chunk) =>
        writeMany(entity, {
          ids: chunk.map(({ id }) => id),
          versions: Object.fromEntries(chunk.map(({ id }) => [id, versions.get(id)])),
          do: wanted,
        }),
      isStopped: () => false,
      onProgress: (count) => onProgress(reached + count),
    })
    run = joined(run, part)
  }
  const reached = new Set(run.outcomes.map(({ id }) => id))
  return { ...run, left: records.filter(({ id }) => !reached.has(id)) }
}

const restore = (
  { entity, targets }: Written,
  done: readonly Outcome[],
  onProgress: Progress,
): Promise<Run> =>
  runInChunks(
    done.flatMap(({ id }) => targets.get(id) ?? []),
    {
      size: 1,
      write: async ([target]) => (target ? restoreTarget(entity, target) : nothingDone),
      isStopped: () => false,
      onProgress,
    },
  )

const nothingDone: BulkAnswer = { counts: nothingRun.counts, data: [] }

/** One record is restored by a request of its own, which answers as a bulk write of one would. */
const restoreTarget = async (entity: string, { id }: Target): Promise<BulkAnswer> => {
  const rest = { id, version: null, code: null, detail: null, errors: [] }
  try {
    await restoreOne(entity, id)
    return { counts: { done: 1, unchanged: 0, refused: 0 }, data: [{ ...rest, status: 'done' }] }
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status === 0 || error.status >= 500) throw error
    const { code, message: detail, issues: errors } = error
    return {
      counts: { done: 0, unchanged: 0, refused: 1 },
      data: [{ ...rest, status: 'refused', code, detail, errors }],
    }
  }
}
