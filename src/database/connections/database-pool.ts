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
import { currentRequest, type EndReason, type RequestContext } from '../request-context.ts'
import { createSignaller, type Signaller } from '../signals.ts'
import { toStatement } from '../sql.ts'
import {
  cancelQuery,
  clientOf,
  closeNow,
  DatabaseClient,
  takesCallback,
} from './database-client.ts'

type ConnectCallback = Parameters<pg.Pool['connect']>[0]

type Options = pg.PoolConfig & {
  readonly max: number
  readonly connectionTimeoutMillis: number
  /** Without it the pool signals on a connection of its own. */
  readonly signaller?: Signaller | undefined
  /**
   * Behind a pooler that assigns a session per transaction: what each transaction begins with. Then every statement
   * is in a transaction, and none is prepared.
   */
  readonly transactionSettings?: string | undefined
  /** What each use of a connection begins with; an error of it fails the use. */
  readonly beforeUse?: ((connection: pg.PoolClient) => Promise<void>) | undefined
  /** Throws while the server is known to be away, so that no request waits for it. */
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
  readonly #transactionSettings: string | undefined
  readonly #beforeUse: Options['beforeUse']
  /** Each open connection with the time when it was opened. */
  readonly #open = new Map<pg.PoolClient, number>()
  readonly #inUse = new Set<pg.PoolClient>()
  /** How to fail each wait for a connection. */
  readonly #waits = new Set<(error: Error) => void>()
  #foundReadOnlyAt = Number.NEGATIVE_INFINITY
  #waitedMs = 0

  constructor({ signaller, beforeUse, assertUp = () => undefined, ...settings }: Options) {
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
      super.connect(callback)
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
    const cutLater = setTimeout(() => [...this.#open.keys()].forEach(closeNow), ms)
    await settledWithin(ms, this.signaller.settled())
    await this.end()
    clearTimeout(cutLater)
  }

  /** The server is found away: fails every wait for a connection, and every statement that runs. */
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

/** A share of the connections of a caller; call `release` once. */
type Slot = { readonly release: () => void }

type Caller = { held: number; readonly waiting: Set<() => void> }

/** Calls back when the wait must end without a slot; returns how to unsubscribe. */
type GiveUpSignal = (giveUp: () => void) => () => void

type CallerLimit = {
  /** Resolves with a slot; undefined when the wait was given up. */
  readonly take: (callerKey: string, signal: GiveUpSignal) => Promise<Slot | undefined>
}

/**
 * Limits each caller to `max` slots, so that a caller with many requests waits for their own, and others find a free
 * connection. First come, first served; callers without a slot use no memory.
 */
const createCallerLimit = (max: number): CallerLimit => {
  const callers = new Map<string, Caller>()
  const release = (key: string, caller: Caller): void => {
    const [next] = caller.waiting
    if (next) {
      next()
      return
    }
    caller.held -= 1
    if (caller.held === 0) callers.delete(key)
  }
  return {
    take: async (key, signal) => {
      const caller = callers.get(key) ?? { held: 0, waiting: new Set() }
      const slot = { release: () => release(key, caller) }
      if (caller.held < max) {
        callers.set(key, caller)
        caller.held += 1
        return slot
      }
      return new Promise((resolve) => {
        const stopWaiting = (answer: Slot | undefined) => {
          caller.waiting.delete(take)
          ignoreSignal()
          resolve(answer)
        }
        const take = () => stopWaiting(slot)
        const ignoreSignal = signal(() => stopWaiting(undefined))
        caller.waiting.add(take)
      })
    },
  }
}

/** The promise's value, unless the request ends first; a connection that arrives later is released. */
const untilEnd = (
  request: RequestContext,
  connecting: Promise<pg.PoolClient>,
): Promise<pg.PoolClient> =>
  new Promise((resolve, reject) => {
    const ignore = request.onEnd((reason) => reject(new RequestEnded(reason)))
    connecting.then(
      (connection) => {
        ignore()
        if (request.endReason) connection.release()
        else resolve(connection)
      },
      (error) => {
        ignore()
        reject(error)
      },
    )
  })

/**
 * Ends the work on a connection when its request ends: what waits for it fails at once. A write loses its connection, a read is
 * cancelled. PostgreSQL may see
 * that late, or never within one long comparison; the connection and the slot of the caller are taken until it has answered, so
 * that a caller who disconnects repeatedly never has more statements running than they have slots. The connection is then
 * closed, because a late cancel could hit another caller's statement.
 */
const endWithRequest = (
  connection: pg.PoolClient,
  request: RequestContext,
  slot: Slot,
): pg.PoolClient => {
  const client = clientOf(connection)
  const ignore = request.onEnd((reason: EndReason) => {
    if (request.isReadOnly) {
      void cancelQuery(connection)
      client.leave(new RequestEnded(reason))
      // A write is never cancelled: its commit could be reported before a standby has it. It ends with its connection.
    } else closeNow(connection)
  })
  const { release } = connection
  const free = (error: Error | boolean | undefined) => {
    release(error)
    slot.release()
  }
  connection.release = (error) => {
    ignore()
    if (request.endReason) void client.untilIdle().then(() => free(true))
    else free(error)
  }
  return connection
}
