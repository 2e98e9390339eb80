/**
 * The pictures of files of a record that a document prints: which files its data has, and their bytes within what one document,
 * and all documents of this thread together, may take.
 */
import { buffer } from 'node:stream/consumers'
import type { BlobStore } from '../blobs/blob-store.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { ints, sql } from '../database/sql.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import type { ShownFile } from '../definitions/field-types/files.ts'
import { fileColumns } from '../definitions/files.ts'
import { isObject } from '../definitions/values/check-value.ts'
import { apiError } from '../errors.ts'
import { formatOf, type Picture } from './typst/engine.ts'

const mebibyte = 1_048_576
const million = 1_000_000

/** Of one document. */
const maxBytes = 64 * mebibyte
/** The engine holds three bytes for each, or more. */
const maxPixels = 250 * million
/** Of all documents that are rendered or wait for it. */
const maxHeldBytes = 4 * maxBytes

type Names = ReadonlySet<string>

/** The ids of files in the data of a document, in fields that its template names, of its links and lists too. */
export const fileIdsIn = (
  catalog: Catalog,
  entity: Entity,
  record: unknown,
  names: Names,
): readonly number[] => {
  if (!isObject(record)) return []
  const own = fileColumns(entity)
    .filter(({ name }) => names.has(name))
    .flatMap(({ name }) => idsOf(record[name]))
  const inside = (name: string, key: string | undefined) => {
    const target = catalog.entities.get(key ?? '')
    if (!target) return []
    return [record[name]].flat().flatMap((one) => fileIdsIn(catalog, target, one, names))
  }
  const linked = [...entity.associations].flatMap(([key, { target }]) =>
    inside(key.replace(/^_/, ''), target),
  )
  const listed = [...entity.oneToMany.values()].flatMap((field) => inside(field.key, field.entity))
  return [...new Set([...own, ...linked, ...listed])]
}

const idsOf = (value: unknown): readonly number[] =>
  value === null || value === undefined
    ? []
    : [value as ShownFile | ShownFile[]].flat().map(({ id }) => id)

type StoredPicture = {
  readonly id: number
  readonly sha256: string
  readonly mimetype: string
  readonly bytes: number
  readonly width: number
  readonly height: number
}

type Deps = { readonly pool: Queryable; readonly blobs: BlobStore }

/** Those of the files that are pictures, with their bytes while they are used; throws request.saturated. */
export const withPictures = async <T>(
  deps: Deps,
  fileIds: readonly number[],
  use: (pictures: readonly Picture[]) => Promise<T>,
): Promise<T> => {
  if (fileIds.length === 0) return use([])
  const chosen = withinLimits(await findPictures(deps.pool, fileIds))
  const bytes = chosen.reduce((sum, one) => sum + ('refusal' in one ? 0 : one.bytes), 0)
  hold(bytes)
  try {
    const pictures: Picture[] = []
    for (const one of chosen) pictures.push(await pictureOf(deps.blobs, one))
    return await use(pictures)
  } finally {
    held -= bytes
  }
}

// Of this thread: documents that wait hold the bytes of their pictures.
let held = 0

const hold = (bytes: number): void => {
  if (held + bytes > maxHeldBytes)
    throw apiError('request.saturated', 'Other documents print too many pictures at this moment.', {
      headers: { 'Retry-After': '5' },
    })
  held += bytes
}

/** In the order of the data. One whose size in pixels is not known has no head that the engine could read. */
const findPictures = async (
  database: Queryable,
  fileIds: readonly number[],
): Promise<readonly StoredPicture[]> => {
  const rows = await queryRows<StoredPicture>(
    database,
    sql`
      SELECT f.id, f.sha256, f.mimetype, f.bytes, f.width, f.height
      FROM docket.file f
      JOIN unnest(${ints(fileIds)}) WITH ORDINALITY AS asked(id, place) ON asked.id = f.id
      WHERE f.width IS NOT NULL AND f.height IS NOT NULL
      ORDER BY asked.place`,
  )
  return rows.filter(({ mimetype }) => formatOf(mimetype) !== undefined)
}

type Chosen = StoredPicture | { readonly id: number; readonly refusal: string }

/** One beyond the limits is an error where the template prints it, so that no document lacks a picture silently. */
const withinLimits = (pictures: readonly StoredPicture[]): readonly Chosen[] => {
  let [bytes, pixels] = [maxBytes, maxPixels]
  return pictures.map((one) => {
    const { id, width, height } = one
    if (one.bytes > bytes)
      return { id, refusal: `a document has at most ${maxBytes / mebibyte} MiB of pictures` }
    if (width * height > pixels)
      return { id, refusal: `a document has pictures of at most ${maxPixels / million} megapixels` }
    bytes -= one.bytes
    pixels -= width * height
    return one
  })
}

const pictureOf = async (blobs: BlobStore, one: Chosen): Promise<Picture> =>
  'refusal' in one
    ? one
    : { id: one.id, mimetype: one.mimetype, bytes: await buffer(await blobs.open(one.sha256)) }
