/**
 * Copies an export on one connection or several, and returns its rows in their order. The first connection copies range
 * after range. Others see its snapshot and are taken for a range at a time, if there are any: an export never waits for
 * them.
 */
import type { Readable } from 'node:stream'
import { releaseCancelled } from '../database/connections/database-client.ts'
import { type Batch, copyOut, type RowTerminator } from '../database/copy.ts'
import { type Connection, type Pool, queryOnce } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { ExportTask } from './export-task.ts'
import { type KeyRange, type KeyRanges, rangeCopy, setLocal } from './key-ranges.ts'

const mode = 'REPEATABLE READ READ ONLY'

export const takeSnapshot = (pool: Pool, connection: Connection): Promise<void> =>
  pool.begin(connection, mode)

/** The name of the transaction's snapshot, by which others see it while the transaction lasts. */
export const nameSnapshot = async (connection: Connection): Promise<string> => {
  const [row] = await queryOnce<{ name: string }>(
    connection,
    sql`SELECT pg_export_snapshot() AS name`,
  )
  if (!row) throw new Error('PostgreSQL named no snapshot.')
  return row.name
}

/** A connection with a transaction that sees the snapshot of that name. */
const beginSnapshot = async (pool: Pool, name: string): Promise<Connection> => {
  const connection = await pool.connect()
  try {
    await pool.begin(connection, mode, name)
    return connection
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/**
 * Returns the connection to the pool after the last row. Before it, the query is cancelled, and the connection
 * closed when it has ended.
 */
const releaseSnapshot = async (connection: Connection, isWhole: boolean): Promise<void> => {
  if (isWhole)
    await connection.query('COMMIT').then(
      () => connection.release(),
      () => connection.release(true),
    )
  else await releaseCancelled(connection)
}

// More than a range usually has, so that it can end before its turn.
const mostHeldBytes = 8_388_608

/**
 * The COPY of one range. While the ranges before it are sent, it fills its part of the memory and then waits, and
 * PostgreSQL with it; when its turn comes, its rows are read as they arrive.
 */
class RangeCopy {
  /** Resolves when its connection is idle again; rejects when the COPY fails or is stopped. */
  readonly ended: Promise<void>
  readonly #copying: Readable
  readonly #batches: AsyncIterator<Batch>
  readonly #held: Batch[] = []
  #heldBytes = 0
  #bytes = 0
  #isTurn = false
  #isOver = false
  #filling: Promise<void> | undefined

  constructor(copying: Readable) {
    this.#copying = copying
    this.#batches = copying[Symbol.asyncIterator]()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.ended = promise
    this.ended.catch(() => undefined)
    copying.once('error', reject)
    copying.once('close', () =>
      copying.readableEnded ? resolve() : reject(new Error('The export was stopped.')),
    )
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Begins to read before its turn. */
  hold(): void {
    this.#filling = this.#fill()
    // Its reader gets the error.
    this.#filling.catch(() => undefined)
  }

  /** Its turn: all its rows. */
  async *read(): AsyncGenerator<Batch> {
    this.#isTurn = true
    yield* this.#release()
    await this.#filling
    yield* this.#release()
    while (!this.#isOver) {
      const batch = await this.#next()
      if (batch) yield batch
    }
  }

  stop(error?: Error): void {
    this.#copying.destroy(error)
  }

  async #fill(): Promise<void> {
    while (!this.#isOver && !this.#isTurn && this.#heldBytes < mostHeldBytes) {
      const batch = await this.#next()
      if (!batch) return
      this.#held.push(batch)
      this.#heldBytes += batch.bytes.length
    }
  }

  *#release(): Generator<Batch> {
    for (let batch = this.#held.shift(); batch; batch = this.#held.shift()) yield batch
  }

  async #next(): Promise<Batch | undefined> {
    const { value, done } = await this.#batches.next()
    this.#isOver = done === true
    if (this.#isOver) return undefined
    this.#bytes += value.bytes.length
    return value
  }
}

/** What connections besides its first an export may take. */
export type Sharing = {
  /** With the first. */
  readonly connectionsEach: number
  /** Whether it may take another one now. */
  readonly mayTakeMore: () => boolean
  readonly timeoutMs: number
}

export type Division = {
  readonly ranges: KeyRanges
  readonly snapshot: string
  readonly sharing: Sharing
  /** When its time is over, as `performance.now()`. */
  readonly endsAt: number
}

type Options = {
  readonly pool: Pool
  /** In a transaction; it is released at the end. */
  readonly first: Connection
  readonly task: ExportTask
  readonly rowTerminator: RowTerminator
  /** Undefined: all rows are one range. */
  readonly division: Division | undefined
}

const whole: KeyRange = { kind: 'all' }

export class CopyInRanges {
  readonly #options: Options
  /** Begun ranges whose rows are not all read, in their order. */
  readonly #copies: RangeCopy[] = []
  /** Ranges that are about to begin. */
  #coming = 0
  #hasBegunAll = false
  #failure: Error | undefined
  /** Ranges begin one after the other. */
  #beginning: Promise<unknown> = Promise.resolve()
  #changed = Promise.withResolvers<void>()
  readonly #stopped = Promise.withResolvers<never>()
  readonly #done: Promise<unknown>

  constructor(options: Options) {
    this.#options = options
    const { first, division } = options
    const others = (division?.sharing.connectionsEach ?? 1) - 1
    const copying = [this.#copyOnFirst(), ...Array.from({ length: others }, () => this.#help())]
    this.#done = Promise.race([this.#stopped.promise, Promise.all(copying)])
    this.#done.then(
      () => releaseSnapshot(first, true),
      (error) => {
        this.stop(error)
        return releaseSnapshot(first, false)
      },
    )
  }

  /** All rows; fails with the first error on any connection. */
  async *batches(): AsyncGenerator<Batch> {
    const { separator } = this.#options.rowTerminator
    let hasRows = false
    for (;;) {
      await this.#until(() => this.#copies.length > 0 || this.#hasBegunAll)
      const [copy] = this.#copies
      if (!copy) break
      let isFirst = hasRows && separator !== ''
      for await (const batch of this.#readOf(copy)) {
        if (isFirst) yield { bytes: Buffer.from(separator), rows: 0 }
        isFirst = false
        hasRows = true
        yield batch
      }
      this.#copies.shift()
      this.#change()
    }
    await this.#done
  }

  stop(error: Error = new Error('The export was stopped.')): void {
    if (this.#failure) return
    this.#failure = error
    this.#stopped.reject(error)
    for (const copy of this.#copies) copy.stop()
    this.#change()
  }

  async *#readOf(copy: RangeCopy): AsyncGenerator<Batch> {
    try {
      yield* copy.read()
    } catch (error) {
      // The others are stopped because of it.
      throw this.#failure ?? error
    }
  }

  async #copyOnFirst(): Promise<void> {
    for (;;) {
      await this.#until(() => this.#hasBegunAll || this.#hasRoom())
      this.#coming += 1
      const copy = await this.#begin(this.#options.first)
      if (!copy) return
      await copy.ended
    }
  }

  /** Each range on a connection of its own, so that others may have it in between. */
  async #help(): Promise<void> {
    const { pool, division } = this.#options
    if (!division) return
    const { snapshot, sharing } = division
    for (;;) {
      await this.#until(() => this.#hasBegunAll || (this.#hasRoom() && sharing.mayTakeMore()))
      if (this.#hasBegunAll) return
      this.#coming += 1
      // There may be no free connection, or one to another server behind a pooler: then fewer copy.
      const connection = await beginSnapshot(pool, snapshot).catch(() => undefined)
      if (!connection) {
        this.#coming -= 1
        return
      }
      let isWhole = false
      try {
        const copy = await this.#begin(connection)
        await copy?.ended
        isWhole = true
      } finally {
        await releaseSnapshot(connection, isWhole)
      }
    }
  }

  #hasRoom(): boolean {
    const { division } = this.#options
    const most = division ? division.sharing.connectionsEach + 1 : 1
    return this.#copies.length + this.#coming < most
  }

  async #begin(connection: Connection): Promise<RangeCopy | undefined> {
    const begun = this.#beginning.then(() => this.#beginNext(connection))
    this.#beginning = begun.catch(() => undefined)
    try {
      return await begun
    } finally {
      this.#coming -= 1
      this.#change()
    }
  }

  async #beginNext(connection: Connection): Promise<RangeCopy | undefined> {
    const { task, rowTerminator, division } = this.#options
    const range = this.#hasBegunAll ? undefined : await this.#nextRange(connection)
    if (this.#failure) throw this.#failure
    this.#hasBegunAll = range === undefined || division === undefined
    if (!range) return undefined
    const text = rangeCopy(task.copy, task.rangeKey, range)
    const copy = new RangeCopy(copyOut(connection, text, rowTerminator))
    copy.ended.then(
      () => division?.ranges.learn(range, copy.bytes),
      () => undefined,
    )
    if (this.#copies.length > 0) copy.hold()
    this.#copies.push(copy)
    return copy
  }

  /** The time limit of the export is that of its statements together. */
  async #nextRange(connection: Connection): Promise<KeyRange | undefined> {
    const { division } = this.#options
    if (!division) return whole
    const { ranges, sharing, endsAt } = division
    const leftMs = Math.max(1, Math.round(endsAt - performance.now()))
    // A range may wait for its turn as long as the reader of the export takes.
    await setLocal(connection, {
      ...ranges.plannedAs,
      statement_timeout: leftMs,
      idle_in_transaction_session_timeout: sharing.timeoutMs,
      tcp_user_timeout: sharing.timeoutMs,
    })
    return ranges.next(connection)
  }

  async #until(isSo: () => boolean): Promise<void> {
    for (;;) {
      if (this.#failure) throw this.#failure
      if (isSo()) return
      await this.#changed.promise
    }
  }

  #change(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers()
    resolve()
  }
}
