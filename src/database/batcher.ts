/** Batches concurrent calls into one statement, because the round trip is most of the cost of a small one. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { tracerInUse } from '../spans.ts'
import type { Pool } from './pool.ts'

/** Results in the order of the items. */
type Run<Item, Answer> = (items: readonly Item[], database: Pool) => Promise<readonly Answer[]>

/**
 * Runs one item. Calls with the same key use the same `run`: those made while others run are joined to
 * the next run. When a run of several items fails, each is run alone, so that no call fails because of
 * another.
 */
export type Batcher = <Item, Answer>(
  key: string,
  item: Item,
  run: Run<Item, Answer>,
) => Promise<Answer>

/** Statements about more rows are neither batched nor prepared. */
export const smallBatch = 320

// More would be no faster by much, and hold for longer what they lock.
const maxItems = 32

type Waiting = {
  /** Runs work in the asynchronous context of the call. */
  readonly enter: <T>(work: () => T) => T
  readonly item: unknown
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

const runHere: Waiting['enter'] = (work) => work()

/** Batches calls of this process; unused keys are removed. */
export const createBatcher = (database: Pool): Batcher => {
  const queues = new Map<string, Waiting[]>()
  const drain = async (key: string, queue: Waiting[], run: Run<unknown, unknown>) => {
    const runOn = (items: readonly unknown[]) => run(items, database)
    while (queue.length > 0) {
      // Collects further calls of the same turn of the event loop.
      await new Promise(setImmediate)
      const batch = queue.splice(0, maxItems)
      // A run belongs to the trace of its first call, not to that of the call which began to drain.
      await batch[0]?.enter(() => answer(batch, runOn))
    }
    queues.delete(key)
  }
  return <Item, Answer>(key: string, item: Item, run: Run<Item, Answer>) =>
    new Promise<Answer>((resolve, reject) => {
      const queue = queues.get(key) ?? []
      const enter = tracerInUse() ? AsyncLocalStorage.snapshot() : runHere
      queue.push({ enter, item, resolve, reject } as Waiting)
      if (queues.has(key)) return
      queues.set(key, queue)
      void drain(key, queue, run as Run<unknown, unknown>)
    })
}

/** Never throws: errors of a run reject its calls. */
const answer = async (
  batch: readonly Waiting[],
  run: (items: readonly unknown[]) => Promise<readonly unknown[]>,
): Promise<void> => {
  try {
    const answers = await run(batch.map(({ item }) => item))
    for (const [index, { resolve }] of batch.entries()) resolve(answers[index])
  } catch (error) {
    if (batch.length > 1) await Promise.all(batch.map((one) => answer([one], run)))
    else for (const { reject } of batch) reject(error)
  }
}
