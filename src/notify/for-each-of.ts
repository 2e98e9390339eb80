/** Works on the items of a source as they come, a few at the same time. */

/**
 * Takes no further item while so many are worked on, or after an error; resolves when all work has ended, or rejects with the first
 * error then.
 */
export const forEachOf = async <Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const running = new Set<Promise<void>>()
  const errors: unknown[] = []
  const begin = (item: Item): void => {
    const one: Promise<void> = work(item)
      .catch((error: unknown) => void errors.push(error))
      .finally(() => running.delete(one))
    running.add(one)
  }
  try {
    for await (const item of items) {
      begin(item)
      if (running.size >= atOnce) await Promise.race(running)
      if (errors.length > 0) break
    }
  } finally {
    await Promise.all(running)
  }
  if (errors.length > 0) throw errors[0]
}
