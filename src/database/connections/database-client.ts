/**
 * A connection whose statements can be awaited without retaining their rows. The driver's own promises
 * form a chain that retains rows until the next full garbage collection, which takes a fifth of the time
 * of a busy service.
 */
import pg from 'pg'

type Query = (...words: unknown[]) => unknown

type Config = pg.ClientConfig & {
  /** False behind a pooler: the next statement may reach a session that has prepared others. */
  readonly preparesStatements?: boolean
}

/** The driver's client, with our own promises. */
export class DatabaseClient extends pg.Client {
  /** How to fail each statement that PostgreSQL has not answered. */
  readonly #unanswered = new Set<(error: Error) => void>()
  #left: Error | undefined
  #isIdle = true
  #hasEnded = false
  #becameIdle: (() => void) | undefined

  constructor(config: Config = {}) {
    super(config)
    const queryOfDriver = this.query.bind(this) as Query
    const queryWithCallback: Query =
      config.preparesStatements === false
        ? (statement, ...others) => queryOfDriver(withoutName(statement), ...others)
        : queryOfDriver
    const send: Query = (...words) => {
      this.#isIdle = false
      return queryWithCallback(...words)
    }
    const run: Query = (...words) =>
      takesCallback(words)
        ? send(...words)
        : new Promise((resolve, reject) => {
            if (this.#left) {
              reject(this.#left)
              return
            }
            this.#unanswered.add(reject)
            send(...words, (error: Error | null, result: unknown) => {
              this.#unanswered.delete(reject)
              if (error) reject(error)
              else resolve(result)
            })
          })
    this.query = run as pg.Client['query']
    const becomeIdle = () => {
      this.#isIdle = true
      this.#becameIdle?.()
    }
    this.on('drain', becomeIdle)
    this.on('end', () => {
      this.#hasEnded = true
      becomeIdle()
    })
  }

  /** Nobody waits for its statements any more: they fail with this error, and so do later ones, which are not sent. */
  leave(error: Error): void {
    this.#left = error
    for (const fail of this.#unanswered) fail(error)
  }

  /** Resolves when PostgreSQL has ended every statement, also a COPY, or the connection is lost. */
  async untilIdle(): Promise<void> {
    if (this.#isIdle || this.#hasEnded) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#becameIdle = resolve
    await promise
  }
}

/** A connection of a pool, as the pool has made it. */
export const clientOf = (connection: pg.PoolClient): DatabaseClient =>
  connection as unknown as DatabaseClient

/** Only the driver's own classes have methods, and none of these is prepared. */
const withoutName = (statement: unknown): unknown =>
  isNamed(statement) ? { ...statement, name: undefined } : statement

const isNamed = (statement: unknown): statement is { readonly name: string } =>
  typeof statement === 'object' && statement !== null && 'name' in statement

/** Whether the arguments of a query include a callback, so that nobody awaits it. */
export const takesCallback = (words: readonly unknown[]): boolean =>
  typeof words.at(-1) === 'function' || typeof (words[0] as pg.Submittable)?.submit === 'function'
