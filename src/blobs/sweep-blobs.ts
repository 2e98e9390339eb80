/** Removes uploads that nobody used in time, bytes that nothing refers to any more, and what interrupted uploads have left. */
import { execute, type Pool, queryOnce, queryRow } from '../database/pool.ts'
import { anyOf, int, raw, ref, type Sql, sql, text } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { leaseHours } from './blob-rows.ts'
import type { BlobStore } from './blob-store.ts'

/** A column that holds their SHA-256, of a table by its whole name; it has an index. */
type BlobReference = { readonly table: string; readonly column: string }

/** A table that refers to bytes is a row here. */
export const blobReferences: readonly BlobReference[] = [
  { table: 'docket.upload', column: 'sha256' },
  { table: 'docket.upload', column: 'placeless_sha256' },
  { table: 'docket.file', column: 'sha256' },
  { table: 'docket.attachment', column: 'sha256' },
]

type Options = {
  readonly pool: Pool
  readonly blobs: BlobStore
  /** Of bytes that a record has used. */
  readonly keepDays: number
  readonly references: readonly BlobReference[]
}

/** Whether anything refers to the bytes of a row `b`. */
const isReferenced = ({ references }: Options): Sql =>
  anyOf(
    references.map(
      ({ table, column }) =>
        sql`EXISTS (SELECT FROM ${raw(table)} r WHERE ${ref(column, 'r')} = b.sha256)`,
    ),
  )

/** Several processes may do so at once, while others upload and use uploads. */
export const sweepBlobs = async (options: Options, stopped?: AbortSignal): Promise<void> => {
  const { pool } = options
  await execute(pool, sql`DELETE FROM docket.upload u WHERE u.expires_at < now()`)
  await noteUse(options)
  await markUnused(options)
  for (const sha256 of await listDeleting(pool)) {
    if (stopped?.aborted) return
    await removeBlob(options, sha256)
  }
  await options.blobs.removeAbandoned()
}

/** Changes rows `b`. Those that others have locked are left for the next time, so that nobody waits in a circle. */
const change = async (pool: Pool, set: Sql, which: Sql): Promise<void> => {
  await execute(
    pool,
    sql`
      UPDATE docket.blob c
      SET ${set}
      FROM (SELECT b.sha256 FROM docket.blob b WHERE ${which} FOR NO KEY UPDATE SKIP LOCKED) f
      WHERE c.sha256 = f.sha256`,
  )
}

/** Since when nothing refers to them. */
const noteUse = async (options: Options): Promise<void> => {
  const { pool } = options
  const isUsed = isReferenced(options)
  const isUsedAgain = sql`b.unused_since IS NOT NULL AND b.state = 'stored' AND ${isUsed}`
  await change(pool, sql`unused_since = NULL`, isUsedAgain)
  await change(pool, sql`unused_since = now()`, sql`b.unused_since IS NULL AND NOT ${isUsed}`)
}

/**
 * From now on nothing may use them. An upload of the same bytes at the same time has changed `unused_since` before, which this
 * statement sees, or makes them stored again within its hour.
 */
const markUnused = async (options: Options): Promise<void> => {
  const { pool, keepDays } = options
  const isOld = sql`
    b.unused_since < now() - CASE WHEN b.is_adopted THEN make_interval(days => ${int(keepDays)})
      ELSE make_interval(hours => ${int(leaseHours)}) END`
  const isUnused = sql`b.state = 'stored' AND ${isOld} AND NOT ${isReferenced(options)}`
  await change(pool, sql`state = 'deleting'`, isUnused)
}

const isOver = sql`
  b.state = 'deleting' AND b.unused_since < now() - make_interval(hours => ${int(leaseHours)})`

const listDeleting = async (pool: Pool): Promise<readonly string[]> => {
  const rows = await queryOnce<{ sha256: string }>(
    pool,
    sql`SELECT b.sha256 FROM docket.blob b WHERE ${isOver} ORDER BY b.unused_since`,
  )
  return rows.map(({ sha256 }) => sha256)
}

/** The row is locked while its bytes go, and goes last: after an interruption they go again. An upload of the same bytes waits. */
const removeBlob = ({ pool, blobs }: Options, sha256: string): Promise<void> =>
  transaction(pool, async (connection) => {
    const mine = await queryRow(
      connection,
      sql`
        SELECT b.sha256
        FROM docket.blob b
        WHERE b.sha256 = ${text(sha256)} AND ${isOver}
        FOR UPDATE SKIP LOCKED`,
    )
    if (!mine) return
    await blobs.remove(sha256)
    await execute(connection, sql`DELETE FROM docket.blob b WHERE b.sha256 = ${text(sha256)}`)
  })
