/**
 * A connection whose statements can be awaited without retaining their rows, and cancelled. The promises of the driver
 * form a chain that retains rows until the next full garbage collection, which takes a fifth of the time
 * of a busy service.
 */
import { connect, type Socket } from 'node:net'
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

  /** Fails its statements with this error although they may still run; later ones are not sent. */
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

/** What the driver knows of its session, and its types leave out. */
type Session = {
  readonly host: string
  readonly port: number
  readonly processID: number | null
  readonly secretKey: number | null
  readonly connection: { readonly stream: Socket }
}

const sessionOf = (connection: pg.PoolClient): Session => connection as unknown as Session

const cancelRequestCode = 80_877_102
const messageBytes = 16
const connectWithinMs = 5_000

/**
 * Asks PostgreSQL to cancel the statement of a connection (CancelRequest, PostgreSQL protocol 3.0, 55.2.9), on a
 * connection of its own; PostgreSQL never confirms it. Resolves when that connection is closed.
 */
export const cancelQuery = async (connection: pg.PoolClient): Promise<void> => {
  const { host, port, processID, secretKey } = sessionOf(connection)
  if (processID === null || secretKey === null) return
  const closed = Promise.withResolvers<void>()
  const message = Buffer.alloc(messageBytes)
  message.writeInt32BE(messageBytes, 0)
  message.writeInt32BE(cancelRequestCode, 4)
  message.writeInt32BE(processID, 8)
  message.writeInt32BE(secretKey, 12)
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  const destroy = () => socket.destroy()
  socket.setTimeout(connectWithinMs, destroy)
  socket.on('error', destroy)
  socket.on('close', () => closed.resolve())
  // Kept open until the other side closes it: PgBouncer forgets the request of a client that has gone.
  socket.write(message)
  socket.resume()
  socket.unref()
  await closed.promise
}

/**
 * Cancels the statement, and closes the connection when PostgreSQL has ended it: until then the connection is taken, so that there
 * are never more statements than connections. A pooler finds the session of the statement by its client.
 */
export const releaseCancelled = async (connection: pg.PoolClient): Promise<void> => {
  void cancelQuery(connection)
  await clientOf(connection).untilIdle()
  connection.release(true)
}

/** Closes a connection immediately; a running statement fails in the driver. */
export const closeNow = (connection: pg.PoolClient): void => {
  sessionOf(connection).connection.stream.destroy()
}
