/**
 * The rows of stored bytes and of uploads. A row of bytes is there before them, so that what a crash leaves in the store is known:
 *
 * 1. `announceBlob`: the row, in the state of bytes that nothing may use. For an hour nothing removes them.
 * 2. The store gets the bytes.
 * 3. `storeUpload`: the row is `stored`, and an upload refers to it.
 * 4. `takeUploads`, in the transaction of a record: its file refers to the bytes, and the upload is gone.
 */
import { randomBytes } from 'node:crypto'
import { execute, type Queryable, queryRow, queryRows, queryValue } from '../database/pool.ts'
import { bigint, int, sql, text, texts } from '../database/sql.ts'

/** A file as it was sent, by what was found in it. */
export type ReceivedUpload = {
  readonly sha256: string
  readonly bytes: number
  readonly filename: string
  readonly mimetype: string
  /** Of an image, in pixels. */
  readonly width: number | null
  readonly height: number | null
  /**
   * Of its bytes without the location where a picture was taken, in the column `placeless_sha256`; its own where there is none, null
   * where that is not known.
   */
  readonly sha256WithoutLocation: string | null
}

/** For so long bytes stay that nothing has used yet: longer than any upload takes. */
export const leaseHours = 1

/** Says that the bytes come. Of bytes that are there already it is the same. */
export const announceBlob = async (
  database: Queryable,
  { sha256, bytes }: Pick<ReceivedUpload, 'sha256' | 'bytes'>,
): Promise<void> => {
  await execute(
    database,
    sql`
      INSERT INTO docket.blob (sha256, bytes)
      VALUES (${text(sha256)}, ${bigint(bytes)})
      ON CONFLICT (sha256) DO UPDATE SET unused_since = now()`,
  )
}

/** The id of an upload of bytes that are in the store now; undefined if this took so long that they may be gone. */
export const storeUpload = async (
  database: Queryable,
  userId: number,
  { sha256, sha256WithoutLocation, ...file }: ReceivedUpload,
): Promise<string | undefined> => {
  const hashes = [...new Set([sha256, sha256WithoutLocation ?? sha256])]
  const id = `up_${randomBytes(24).toString('base64url')}`
  const size = sql`${bigint(file.bytes)}, ${int(file.width)}, ${int(file.height)}`
  return queryValue<string>(
    database,
    sql`
      WITH found AS (
        UPDATE docket.blob b
        SET state = 'stored'
        WHERE b.sha256 = ANY (${texts(hashes)})
          AND (b.state = 'stored' OR b.unused_since > now() - make_interval(hours => ${int(leaseHours)}))
        RETURNING b.sha256
      )
      INSERT INTO docket.upload (
        id, sha256, placeless_sha256, user_id, filename, mimetype, bytes, width, height
      )
      SELECT ${text(id)}, ${text(sha256)}, ${text(sha256WithoutLocation)}, ${int(userId)},
        ${text(file.filename)}, ${text(file.mimetype)}, ${size}
      WHERE (SELECT count(*) FROM found) = ${int(hashes.length)}
      RETURNING id`,
  )
}

/** An upload that a record has taken. */
export type TakenUpload = Omit<ReceivedUpload, 'sha256' | 'sha256WithoutLocation'> & {
  readonly id: string
  /** Null where the bytes without a location are not known. */
  readonly sha256: string | null
}

/** What is wrong with an id of which `takeUploads` returns nothing; it does not distinguish uploads of others from none. */
export const unknownUpload =
  'is no upload of yours that waits: an upload is used once, by its user, within 24 hours; send the file again'

/**
 * Takes uploads of a user out of those that wait, by id: the record refers to their bytes from now on, in the same transaction. Those
 * that are unknown, of another user, used or too old are missing in the result. One statement sees either the upload or the file that
 * has taken it, so bytes are never without a reference in between. What else takes or removes an upload waits for the transaction.
 */
export const takeUploads = async (
  database: Queryable,
  userId: number,
  ids: readonly string[],
  /** Those that are taken without the location where they were taken. */
  withoutLocation: readonly string[] = [],
): Promise<ReadonlyMap<string, TakenUpload>> => {
  const rows = await queryRows<TakenUpload>(
    database,
    sql`
      WITH found AS (
        DELETE FROM docket.upload u
        WHERE u.id = ANY (${texts(ids)}) AND u.user_id = ${int(userId)} AND u.expires_at > now()
        RETURNING u.id, u.bytes, u.filename, u.mimetype, u.width, u.height,
          CASE WHEN u.id = ANY (${texts(withoutLocation)}) THEN u.placeless_sha256 ELSE u.sha256 END AS sha256
      ), first_use AS (
        -- In one order, so that two users of the same bytes do not wait for each other.
        SELECT b.sha256
        FROM docket.blob b
        WHERE b.sha256 IN (SELECT f.sha256 FROM found f) AND NOT b.is_adopted
        ORDER BY b.sha256
        FOR NO KEY UPDATE
      ), adopted AS (
        UPDATE docket.blob b
        SET is_adopted = true
        FROM first_use u
        WHERE b.sha256 = u.sha256
      )
      SELECT f.id, f.sha256, f.bytes, f.filename, f.mimetype, f.width, f.height
      FROM found f`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Announced bytes that are in the store now stay, because files of the same transaction refer to them; whether all are there still. */
export const adoptBlobs = async (
  database: Queryable,
  sha256s: readonly string[],
): Promise<boolean> => {
  const isThere = sql`
    (b.state = 'stored' OR b.unused_since > clock_timestamp() - make_interval(hours => ${int(leaseHours)}))`
  const adopted = await execute(
    database,
    sql`
      UPDATE docket.blob c
      SET state = 'stored', is_adopted = true
      FROM (
        SELECT b.sha256
        FROM docket.blob b
        WHERE b.sha256 = ANY (${texts(sha256s)}) AND ${isThere}
        ORDER BY b.sha256
        FOR NO KEY UPDATE
      ) f
      WHERE c.sha256 = f.sha256`,
  )
  return adopted === sha256s.length
}

/** Removes an upload of a user; whether there was one. */
export const removeUpload = async (
  database: Queryable,
  userId: number,
  id: string,
): Promise<boolean> =>
  (await execute(
    database,
    sql`DELETE FROM docket.upload u WHERE u.id = ${text(id)} AND u.user_id = ${int(userId)}`,
  )) > 0

/** Bytes that no record has used. */
type WaitingBytes = { readonly ofCaller: number; readonly ofAll: number }

export const countWaitingBytes = async (
  database: Queryable,
  userId: number,
): Promise<WaitingBytes> => {
  const row = await queryRow<WaitingBytes>(
    database,
    sql`
      SELECT
        (
          SELECT coalesce(sum(u.bytes), 0)::bigint
          FROM docket.upload u
          WHERE u.user_id = ${int(userId)} AND u.expires_at > now()
        ) AS "ofCaller",
        (SELECT coalesce(sum(b.bytes), 0)::bigint FROM docket.blob b WHERE NOT b.is_adopted) AS "ofAll"`,
  )
  return row ?? { ofCaller: 0, ofAll: 0 }
}
