/** Joins calls that come at the same time into one statement: most of a small one's cost is its round trip. */
import type { Pool } from './pool.ts'

/** Answers in the order of the items; an answer that is still to come holds up no next run. */
type Run<Item, Answer> = (
  items: readonly Item[],
  database: Pool,
) => Promise<readonly (Answer | Promise<Answer>)[]>

/**
 * Asks for one item. Calls with the same key mean the same by `run`: those that come while others are
 * under way are answered by one next run. Where a run of several fails, each is run alone, so that
 * nobody fails by what others asked. `size` is the part of a run that the item takes: 1 is run alone.
 */
export type Batcher = <Item, Answer>(
  key: string,
  item: Item,
  run: Run<Item, Answer>,
  size?: number,
) => Promise<Answer>

/** Statements about more rows than these are neither batched nor kept prepared. */
export const smallBatch = 160

// More would be no faster by much, and hold for longer what they lock.
const smallest = 1 / 32

type Waiting = {
  readonly item: unknown
  readonly size: number
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: unknown) => void
}

/** Joins the calls of this process; keys that nobody waits for are forgotten. */
export const createBatcher = (database: Pool): Batcher => {
  const queues = new Map<string, Waiting[]>()
  const drain = async (key: string, queue: Waiting[], run: Run<unknown, unknown>) => {
    const runOn = (items: readonly unknown[]) => run(items, database)
    while (queue.length > 0) {
      // Others of the same turn come along.
      await new Promise(setImmediate)
      await answer(queue.splice(0, countOfRun(queue)), runOn)
    }
    queues.delete(key)
  }
  return <Item, Answer>(key: string, item: Item, run: Run<Item, Answer>, size = smallest) =>
    new Promise<Answer>((resolve, reject) => {
      const queue = queues.get(key) ?? []
      queue.push({ item, size: Math.max(size, smallest), resolve, reject } as Waiting)
      if (queues.has(key)) return
      queues.set(key, queue)
      void drain(key, queue, run as Run<unknown, unknown>)
    })
}

/** How many of a queue, one at least, a run has room for. */
const countOfRun = (queue: readonly Waiting[]): number => {
  let taken = 0
  const over = queue.findIndex(({ size }) => {
    taken += size
    return taken > 1
  })
  return over === -1 ? queue.length : Math.max(1, over)
}

/** Never throws: what a run throws is told to those who asked. */
const answer = async (
  asked: readonly Waiting[],
  run: (items: readonly unknown[]) => Promise<readonly unknown[]>,
): Promise<void> => {
  try {
    const answers = await run(asked.map(({ item }) => item))
    for (const [index, { resolve }] of asked.entries()) resolve(answers[index])
  } catch (error) {
    if (asked.length > 1) await Promise.all(asked.map((one) => answer([one], run)))
    else for (const { reject } of asked) reject(error)
  }
}
