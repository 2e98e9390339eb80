/** Compares the store with the database: both sides, and every byte. */
import { createHash, randomBytes } from 'node:crypto'
import { type Queryable, queryOnce, queryRow } from '../database/pool.ts'
import { int, type Sql, sql, text, texts } from '../database/sql.ts'
import { type BlobStore, MissingBlob } from './blob-store.ts'

/** `extra`: in the store, and unknown to the database. */
export type BlobFault = {
  readonly sha256: string
  readonly fault: 'missing' | 'damaged' | 'extra'
}

type Target = { readonly database: Queryable; readonly blobs: BlobStore }

/** How many there are, and their bytes. */
export type BlobCount = { readonly blobs: number; readonly bytes: number }

export const countBlobs = async (database: Queryable): Promise<BlobCount> => {
  const row = await queryRow<BlobCount>(
    database,
    sql`
      SELECT count(*) AS blobs, coalesce(sum(b.bytes), 0)::bigint AS bytes
      FROM docket.blob b
      WHERE b.state = 'stored'`,
  )
  return row ?? { blobs: 0, bytes: 0 }
}

/** Every fault; `onRead` gets the bytes that were read. */
export async function* checkBlobs(
  target: Target,
  onRead: (bytes: number) => void,
): AsyncGenerator<BlobFault> {
  for await (const { sha256 } of listBlobs(target.database)) {
    const fault = await faultOf(target.blobs, sha256, onRead)
    if (fault !== undefined && (await isStored(target.database, sha256))) yield { sha256, fault }
  }
  for await (const page of target.blobs.list()) {
    // The row of bytes is there before them, and goes after them.
    const unknown = await unknownOf(
      target.database,
      page.map(({ sha256 }) => sha256),
    )
    for (const sha256 of unknown) yield { sha256, fault: 'extra' }
  }
}

const pageRows = 1000

export type BlobRow = { readonly sha256: string; readonly bytes: number }

/** Bytes that are in the store, by the database. */
export async function* listBlobs(database: Queryable): AsyncGenerator<BlobRow> {
  let last = ''
  for (;;) {
    const rows = await queryOnce<BlobRow>(
      database,
      sql`
        SELECT b.sha256, b.bytes
        FROM docket.blob b
        WHERE b.state = 'stored' AND b.sha256 > ${text(last)}
        ORDER BY b.sha256
        LIMIT ${int(pageRows)}`,
    )
    yield* rows
    const end = rows.at(-1)
    if (!end) return
    last = end.sha256
  }
}

const faultOf = async (
  blobs: BlobStore,
  sha256: string,
  onRead: (bytes: number) => void,
): Promise<'missing' | 'damaged' | undefined> => {
  try {
    const hash = createHash('sha256')
    for await (const piece of (await blobs.open(sha256)) as AsyncIterable<Buffer>) {
      hash.update(piece)
      onRead(piece.length)
    }
    return hash.digest('hex') === sha256 ? undefined : 'damaged'
  } catch (error) {
    if (error instanceof MissingBlob) return 'missing'
    throw error
  }
}

/** It may have been removed meanwhile. */
const isStored = async (database: Queryable, sha256: string): Promise<boolean> => {
  const found = await queryOnce(
    database,
    sql`SELECT FROM docket.blob b WHERE b.state = 'stored' AND b.sha256 = ${text(sha256)}`,
  )
  return found.length > 0
}

const unknownOf = async (
  database: Queryable,
  found: readonly string[],
): Promise<readonly string[]> => {
  const rows = await queryOnce<{ sha256: string }>(
    database,
    sql`
      SELECT f.sha256
      FROM unnest(${texts(found)}) AS f (sha256)
      WHERE NOT EXISTS (SELECT FROM docket.blob b WHERE b.sha256 = f.sha256)`,
  )
  return rows.map(({ sha256 }) => sha256)
}

/** Of some bytes, those that are missing or have another size. */
export const sampleBlobs = async (
  { database, blobs }: Target,
  count: number,
): Promise<readonly string[]> => {
  const from = text(randomBytes(32).toString('hex'))
  const part = (condition: Sql) => sql`
    (
      SELECT b.sha256, b.bytes
      FROM docket.blob b
      WHERE b.state = 'stored' AND ${condition}
      ORDER BY b.sha256
      LIMIT ${int(count)}
    )`
  const rows = await queryOnce<BlobRow>(
    database,
    sql`
      ${part(sql`b.sha256 >= ${from}`)} UNION ALL ${part(sql`b.sha256 < ${from}`)}
      LIMIT ${int(count)}`,
  )
  const wrong: string[] = []
  for (const { sha256, bytes } of rows)
    if ((await blobs.sizeOf(sha256)) !== bytes) wrong.push(sha256)
  return wrong
}
