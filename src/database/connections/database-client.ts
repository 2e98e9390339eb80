/**
 * A connection whose statements can be awaited without retaining their rows. The driver's own promises
 * form a chain that retains rows until the next full garbage collection, which takes a fifth of the time
 * of a busy service.
 */
import pg from 'pg'

type Query = (...words: unknown[]) => unknown

/** The driver's client, with our own promises. */
export class DatabaseClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    const queryWithCallback = this.query.bind(this) as Query
    const run: Query = (...words) =>
      takesCallback(words)
        ? queryWithCallback(...words)
        : new Promise((resolve, reject) => {
            queryWithCallback(...words, (error: Error | null, result: unknown) =>
              error ? reject(error) : resolve(result),
            )
          })
    this.query = run as pg.Client['query']
  }
}

/** Whether the arguments of a query include a callback, so that nobody awaits it. */
export const takesCallback = (words: readonly unknown[]): boolean =>
  typeof words.at(-1) === 'function' || typeof (words[0] as pg.Submittable)?.submit === 'function'
