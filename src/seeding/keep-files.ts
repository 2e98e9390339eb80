/**
 * Files of seeds become files of their records. One that a record has already, by its content and its name, stays what it is, so that
 * loading again makes none. Bytes are in the store before the transaction commits, as those of uploads are.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { adoptBlobs, announceBlob } from '../blobs/blob-rows.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { receiveFile } from '../blobs/received-file.ts'
import { execute, type Pool, type Queryable, queryOnce } from '../database/pool.ts'
import {
  allOf,
  anyOf,
  ints,
  join as joined,
  ref,
  type Sql,
  sql,
  table,
  text,
} from '../database/sql.ts'
import type { Column, Entity } from '../definitions/catalog.ts'
import { isFileColumn } from '../definitions/files.ts'
import { StartupError } from '../errors.ts'
import type { NamedFile, SeedFolder } from './files/named-files.ts'

/** A column of files, and the one of `seed_record` with its values. */
type Slot = { readonly column: Column; readonly name: string }

/** Those of the columns that hold files; the column `v0` of `seed_record` has the values of the first one, and so on. */
export const fileSlots = (columns: readonly Column[]): readonly Slot[] =>
  columns.flatMap((column, at) => (isFileColumn(column) ? [{ column, name: `v${at}` }] : []))

/** Lists the files of the rows in `seed_file`, and makes what records have of them the values of the rows. */
export const identifyFiles = async (
  connection: Queryable,
  entity: Entity,
  slots: readonly Slot[],
): Promise<void> => {
  const lists = slots.map((slot) => filesOf(entity, slot))
  await queryOnce(
    connection,
    sql`CREATE TEMP TABLE seed_file ON COMMIT DROP AS ${joined(lists, ' UNION ALL ')}`,
  )
  const values = slots.map(
    ({ column, name }) => sql`${ref(name)} = (
      SELECT jsonb_agg(jsonb_build_object(
        'id', f.id, 'filename', f.filename, 'mimetype', f.mimetype, 'bytes', f.bytes, 'width', f.width,
        'height', f.height
      ) ORDER BY f.place)
      FROM pg_temp.seed_file f
      WHERE f.n = v.n AND f.column_name = ${text(column.name)}
    )`,
  )
  await execute(connection, sql`UPDATE pg_temp.seed_record v SET ${joined(values, ', ')}`)
}

/** What is said of a file that a record has stays; one that the field has now comes before one that it had. */
const filesOf = (entity: Entity, { column, name }: Slot): Sql => sql`
  SELECT v.n, ${text(column.name)} AS column_name, f.place, f.path, f.sha256,
    coalesce(k.id, nextval('docket.file_id_seq'))::integer AS id, k.id IS NULL AS is_new, f.filename,
    coalesce(k.mimetype, f.mimetype) AS mimetype, f.bytes, coalesce(k.width, f.width) AS width,
    coalesce(k.height, f.height) AS height
  FROM pg_temp.seed_record v
  CROSS JOIN LATERAL ROWS FROM (
    jsonb_to_recordset(${ref(name, 'v')}) AS (
      path text, sha256 text, filename text, mimetype text, bytes bigint, width integer, height integer
    )
  ) WITH ORDINALITY AS f (path, sha256, filename, mimetype, bytes, width, height, place)
  LEFT JOIN ${table(entity)} t ON t.id = v.match
  LEFT JOIN LATERAL (
    SELECT d.*
    FROM docket.file d
    WHERE d.entity_key = ${text(entity.key)} AND d.entity_id = t.id AND d.column_name = ${text(column.name)}
      AND d.sha256 = f.sha256 AND d.filename = f.filename
    ORDER BY coalesce(${ref(column.name, 't')} @> jsonb_build_array(jsonb_build_object('id', d.id)), false) DESC,
      d.id DESC
    LIMIT 1
  ) k ON true`

type Options = {
  readonly pool: Pool
  readonly blobs: BlobStore
  readonly folder: SeedFolder
  /** Stores no bytes. */
  readonly isPlan: boolean
}

export type FileKeeper = {
  /** Makes the new files of rows that were inserted, or are among these ids and were updated. */
  readonly keep: (connection: Queryable, entity: Entity, ids: readonly number[]) => Promise<void>
  /** At the end, once for all: their bytes stay. */
  readonly adopt: (connection: Queryable) => Promise<void>
}

export const createFileKeeper = (options: Options): FileKeeper => {
  const { pool, isPlan } = options
  const stored = new Set<string>()
  const store = async (connection: Queryable, file: NamedFile): Promise<void> => {
    if (stored.has(file.sha256)) return
    // Of a plan, the row is gone with all others.
    await announceBlob(isPlan ? connection : pool, file)
    if (!isPlan) await putBytes(options, file)
    stored.add(file.sha256)
  }
  return {
    keep: async (connection, entity, ids) => {
      const isWritten = anyOf([
        sql`v.match IS NULL`,
        sql`(v.match = ANY (${ints(ids)}) AND NOT v.is_changed)`,
      ])
      const added = sql`
        FROM pg_temp.seed_file f
        JOIN pg_temp.seed_record v ON v.n = f.n
        JOIN ${table(entity)} t ON t.id = v.id
        WHERE ${allOf([sql`f.is_new`, isWritten])}`
      for (const file of await queryOnce<NamedFile>(connection, sql`SELECT f.* ${added}`))
        await store(connection, file)
      await execute(connection, sql`${insertFiles(entity)} ${added}`)
    },
    adopt: async (connection) => {
      if (isPlan || (await adoptBlobs(connection, [...stored]))) return
      throw new StartupError('Storing the files of the seeds took too long; load them again.')
    },
  }
}

/** Who has created the record has sent its files, too; 0 is nobody. */
const insertFiles = (entity: Entity): Sql => sql`
  INSERT INTO docket.file (
    id, entity_key, entity_id, column_name, sha256, filename, mimetype, bytes, width, height, user_id
  )
  SELECT f.id, ${text(entity.key)}, v.id, f.column_name, f.sha256, f.filename, f.mimetype, f.bytes, f.width,
    f.height, coalesce(t._created_by, 0)`

const putBytes = async ({ blobs, folder }: Options, { path, sha256 }: NamedFile): Promise<void> => {
  const hash = createHash('sha256')
  const blob = await blobs.create()
  try {
    await receiveFile(createReadStream(join(folder.path, path)), blob.file, {
      limitBytes: folder.maxBytes,
      onPiece: (piece) => hash.update(piece),
    })
    if (hash.digest('hex') !== sha256)
      throw new StartupError(`seed/${path} was changed while it was read; load the seeds again.`)
    await blob.keep(sha256)
  } finally {
    await blob.close()
  }
}
