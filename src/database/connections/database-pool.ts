/**
 * A pool that knows HTTP requests: it limits the connections of each caller, cancels the statements of
 * requests that end early, and closes broken connections.
 */
import pg from 'pg'
import { apiError } from '../../errors.ts'
import { settledWithin } from '../../within.ts'
import {
  isLastAfterWork,
  isLastOfConnection,
  isReadOnlyServer,
  RequestEnded,
} from '../database-errors.ts'
import { currentRequest, type RequestContext } from '../request-context.ts'
import { createSignaller, type Signaller } from '../signals.ts'
import { toStatement } from '../sql.ts'
import { type CallerLimit, createCallerLimit, type Slot } from './caller-limit.ts'
import { closeNow } from './cancel-query.ts'
import { DatabaseClient, takesCallback } from './database-client.ts'
import { endWithRequest, untilEnd } from './end-with-request.ts'

type ConnectCallback = Parameters<pg.Pool['connect']>[0]

type Options = pg.PoolConfig & {
  readonly max: number
  readonly connectionTimeoutMillis: number
  /** Without it the pool signals on a connection of its own. */
  readonly signaller?: Signaller | undefined
  /**
   * False: whoever asks for a connection by a callback gets none. graphile-worker asks so for the one that it
   * would listen on, and for no other (jobs/run-jobs.ts).
   */
  readonly answersCallbacks?: boolean
  /**
   * Behind a pooler that assigns a session per transaction: what each transaction begins with. Then every statement
   * is in a transaction, and none is prepared.
   */
  readonly transactionSettings?: string | undefined
  /** What each use of a connection begins with; an error of it fails the use. */
  readonly beforeUse?: ((connection: pg.PoolClient) => Promise<void>) | undefined
  /** Throws while the server is known to be away: nobody waits for it. */
  readonly assertUp?: (() => void) | undefined
}

const renewAfterMs = 1_000

export class DatabasePool extends pg.Pool {
  /** Signals what was committed on a connection of this pool. */
  readonly signaller: Signaller
  /** Throws while the server is known to be away. */
  readonly assertUp: () => void
  readonly #limit: CallerLimit
  readonly #most: number
  readonly #waitMs: number
  readonly #answersCallbacks: boolean
  readonly #transactionSettings: string | undefined
  readonly #beforeUse: Options['beforeUse']
  /** Each open connection with the time when it was opened. */
  readonly #open = new Map<pg.PoolClient, number>()
  readonly #inUse = new Set<pg.PoolClient>()
  /** How to fail each wait for a connection. */
  readonly #waits = new Set<(error: Error) => void>()
  #foundReadOnlyAt = Number.NEGATIVE_INFINITY
  #waitedMs = 0

  constructor({
    signaller,
    answersCallbacks = true,
    beforeUse,
    assertUp = () => undefined,
    ...settings
  }: Options) {
    const { transactionSettings, ...options } = settings
    // The driver hands it to each client, though its types do not name it.
    const forClients = { preparesStatements: transactionSettings === undefined }
    super({ ...options, ...forClients, Client: DatabaseClient })
    this.#transactionSettings = transactionSettings
    this.#beforeUse = beforeUse
    this.assertUp = assertUp
    this.signaller = signaller ?? createSignaller((statement) => this.query(toStatement(statement)))
    this.#most = Math.max(1, Math.floor(options.max / 2))
    this.#limit = createCallerLimit(this.#most)
    this.#waitMs = options.connectionTimeoutMillis
    this.#answersCallbacks = answersCallbacks
    this.on('connect', (connection) => this.#open.set(connection, performance.now()))
    this.on('remove', (connection) => this.#open.delete(connection))
    this.on('acquire', (connection) => this.#inUse.add(connection))
    this.on('release', (error, connection) => {
      this.#inUse.delete(connection)
      if (isReadOnlyServer(error)) this.#foundReadOnlyAt = performance.now()
    })
    // The driver's own method bypasses the limits, and closes a connection after every error.
    const queryWithCallback = this.query.bind(this) as (...words: unknown[]) => unknown
    this.query = ((...words: unknown[]) =>
      takesCallback(words) ? queryWithCallback(...words) : this.#run(words)) as pg.Pool['query']
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    if (callback) {
      if (this.#answersCallbacks) super.connect(callback)
      return undefined
    }
    const request = currentRequest()
    return request ? this.#connectFor(request) : this.#connectUsable()
  }

  /** Begins a transaction on a connection of this pool, with the snapshot of that name if there is one. */
  async begin(connection: pg.PoolClient, mode: string, snapshot?: string): Promise<void> {
    const set =
      snapshot === undefined ? '' : `; SET TRANSACTION SNAPSHOT ${pg.escapeLiteral(snapshot)}`
    await connection.query(`BEGIN ISOLATION LEVEL ${mode}${set}${this.#transactionSettings ?? ''}`)
  }

  /** How long work has waited for a connection, or for a new one to open, in all. */
  get waitedMs(): number {
    return this.#waitedMs
  }

  /** Closes every connection; those still in use after the time are cut. */
  async endWithin(ms: number): Promise<void> {
    const late = setTimeout(() => [...this.#open.keys()].forEach(closeNow), ms)
    await settledWithin(ms, this.signaller.settled())
    await this.end()
    clearTimeout(late)
  }

  /** The server is found away: fails whoever waits for a connection, and every statement that runs. */
  cut(error: Error): void {
    for (const fail of this.#waits) fail(error)
    for (const connection of this.#inUse) closeNow(connection)
  }

  async #connectFor(request: RequestContext): Promise<pg.PoolClient> {
    request.startDeadline()
    const slot = await this.#takeSlot(request)
    try {
      const connection = await untilEnd(request, this.#connectUsable())
      return endWithRequest(connection, request, slot)
    } catch (error) {
      slot.release()
      throw error
    }
  }

  async #takeSlot(request: RequestContext): Promise<Slot> {
    if (request.endReason) throw new RequestEnded(request.endReason)
    const slot = await this.#limit.take(request.callerKey, (giveUp) => {
      const timer = setTimeout(giveUp, this.#waitMs).unref()
      const ignore = request.onEnd(giveUp)
      return () => {
        clearTimeout(timer)
        ignore()
      }
    })
    if (slot) return slot
    if (request.endReason) throw new RequestEnded(request.endReason)
    throw apiError(
      'request.saturated',
      `Your requests use ${this.#most} connections to the database, the maximum of one caller.`,
      { headers: { 'Retry-After': '2' } },
    )
  }

  /** Runs one statement on a connection of the pool. */
  async #run(words: readonly unknown[]): Promise<unknown> {
    const connection = await this.connect()
    let failure: unknown
    const query = () =>
      (connection as { query: (...words: unknown[]) => Promise<unknown> }).query(...words)
    try {
      const isAlone = this.#transactionSettings === undefined
      return await (isAlone ? query() : this.#inTransaction(connection, query))
    } catch (error) {
      failure = error
      throw error
    } finally {
      releaseAfter(connection, failure)
    }
  }

  async #inTransaction<T>(connection: pg.PoolClient, query: () => Promise<T>): Promise<T> {
    try {
      await this.begin(connection, 'READ COMMITTED')
      const answer = await query()
      await connection.query('COMMIT')
      return answer
    } catch (error) {
      // A connection returns to the pool only after a successful rollback; that of a request that has ended does not.
      await connection.query('ROLLBACK').catch(() => {
        if (!currentRequest()?.endReason) closeNow(connection)
      })
      throw error
    }
  }

  async #connectUsable(): Promise<pg.PoolClient> {
    this.assertUp()
    const begun = performance.now()
    try {
      for (;;) {
        const connection = await this.#unlessCut(super.connect())
        if (this.#mayBeReadOnly(connection)) connection.release(true)
        else return this.#beforeUse ? await this.#checked(connection) : connection
      }
    } finally {
      this.#waitedMs += performance.now() - begun
    }
  }

  /** A connection that comes after the pool was cut is closed. */
  #unlessCut(connecting: Promise<pg.PoolClient>): Promise<pg.PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
    let isCut = false
    const fail = (error: Error) => {
      isCut = true
      reject(error)
    }
    this.#waits.add(fail)
    connecting
      .then((connection) => (isCut ? connection.release(true) : resolve(connection)), reject)
      .finally(() => this.#waits.delete(fail))
    return promise
  }

  async #checked(connection: pg.PoolClient): Promise<pg.PoolClient> {
    try {
      await this.#beforeUse?.(connection)
      return connection
    } catch (error) {
      connection.release(isLastAfterWork(error))
      throw error
    }
  }

  /**
   * A connection stays read-only when its server no longer is; recently opened ones are kept for a
   * moment.
   */
  #mayBeReadOnly(connection: pg.PoolClient): boolean {
    const openedAt = this.#open.get(connection) ?? 0
    return openedAt <= this.#foundReadOnlyAt && performance.now() - openedAt > renewAfterMs
  }
}

/** Releases a connection, or closes it when the failure shows that it is broken. */
const releaseAfter = (connection: pg.PoolClient, failure: unknown): void =>
  connection.release(isLastOfConnection(failure) ? (failure as Error) : undefined)
