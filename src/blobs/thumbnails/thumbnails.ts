/**
 * Thumbnails of pictures: each is made once, and kept with the row of the bytes that it is made of, which removes it when these go.
 * Who may see one is decided before, as of the picture itself.
 */
import { execute, type Pool, queryRow } from '../../database/pool.ts'
import { currentRequest, runOutsideRequest } from '../../database/request-context.ts'
import { int, sql, text } from '../../database/sql.ts'
import { apiError } from '../../errors.ts'
import { isPicture } from './load-sharp.ts'
import type { MadeThumbnail, MakeOptions, ThumbnailMaker } from './thumbnail-maker.ts'

/** Lengths of the longer side in pixels, for a row of a list, and for a page. */
export const thumbnailSizes = [160, 800] as const

export type ThumbnailSize = (typeof thumbnailSizes)[number]

/** A picture that the caller may read. */
type Source = {
  readonly sha256: string
  readonly mimetype: string
  readonly bytes: number
}

export type Thumbnails = {
  /** A WebP; throws file.no-thumbnail with the reason, and request.saturated. */
  readonly find: (source: Source, size: ThumbnailSize) => Promise<Buffer>
  readonly close: () => Promise<void>
}

type Options = { readonly pool: Pool; readonly maker: ThumbnailMaker }

type Kept = { readonly image: string | null; readonly fault: string | null }

/** One that is looked up or made, and how many requests still want it. */
type Running = { readonly found: Promise<Buffer>; readonly left: AbortController; count: number }

// A process that decodes holds the whole file in memory.
const maxBytes = 64 * 1_048_576

export const createThumbnails = ({ pool, maker }: Options): Thumbnails => {
  const running = new Map<string, Running>()
  const find = async ({ sha256 }: Source, size: ThumbnailSize, options: MakeOptions) => {
    const kept = (await findKept(pool, sha256, size)) ?? (await makeKept(sha256, size, options))
    if (kept.image === null) throw noThumbnail(kept.fault ?? '')
    return Buffer.from(kept.image, 'base64')
  }
  const makeKept = async (sha256: string, size: ThumbnailSize, options: MakeOptions) => {
    const made = await maker.make({ sha256, size }, options)
    if ('missing' in made) throw errorOfMissing(made)
    const image = 'image' in made ? Buffer.from(made.image).toString('base64') : null
    const kept = { image, fault: 'fault' in made ? made.fault : null }
    await keep(pool, sha256, size, kept)
    return kept
  }
  return {
    find: (source, size) => {
      const { sha256, mimetype, bytes } = source
      if (!isPicture(mimetype)) throw noThumbnail(`of ${mimetype} none are made`)
      if (bytes > maxBytes) throw noThumbnail(`it has more than ${maxBytes} bytes`)
      const key = `${sha256} ${size}`
      const request = currentRequest()
      const left = new AbortController()
      const options = { callerKey: request?.callerKey, signal: left.signal }
      // Several requests at once get the same one, which does not end with the first of them.
      const start = () => runOutsideRequest(() => find(source, size, options))
      const one = running.get(key) ?? { found: start(), left, count: 0 }
      running.set(key, one)
      const end = () => {
        if (running.get(key) === one) running.delete(key)
      }
      one.count += 1
      request?.onEnd(() => {
        one.count -= 1
        if (one.count > 0) return
        end()
        one.left.abort(new Error('Nobody waits for the thumbnail.'))
      })
      return one.found.finally(end)
    },
    close: maker.close,
  }
}

const noThumbnail = (reason: string) =>
  apiError('file.no-thumbnail', `There is no thumbnail of the file: ${reason}.`)

const errorOfMissing = (made: Extract<MadeThumbnail, { missing: unknown }>): Error =>
  made.missing === 'library'
    ? noThumbnail('the service has no library of pictures; its operator may install "sharp"')
    : new Error(`A picture could not be read: ${made.text}`)

const findKept = (pool: Pool, sha256: string, size: ThumbnailSize) =>
  queryRow<Kept>(
    pool,
    sql`
      SELECT encode(t.image, 'base64') AS image, t.fault
      FROM docket.thumbnail t
      WHERE t.sha256 = ${text(sha256)} AND t.size = ${int(size)}`,
  )

/** Nothing is kept of bytes that have gone meanwhile. */
const keep = async (
  pool: Pool,
  sha256: string,
  size: ThumbnailSize,
  { image, fault }: Kept,
): Promise<void> => {
  await execute(
    pool,
    sql`
      INSERT INTO docket.thumbnail (sha256, size, image, fault)
      SELECT b.sha256, ${int(size)}, decode(${text(image)}, 'base64'), ${text(fault)}
      FROM docket.blob b
      WHERE b.sha256 = ${text(sha256)}
      FOR KEY SHARE
      ON CONFLICT DO NOTHING`,
  )
}

/** So many stay as are looked at; what could not be made may be made by a later version, or while the machine has less to do. */
export const removeOldThumbnails = async (pool: Pool): Promise<void> => {
  await execute(
    pool,
    sql`
      DELETE FROM docket.thumbnail t
      WHERE t.made_at < now() - CASE WHEN t.image IS NULL THEN interval '1 day' ELSE interval '30 days' END`,
  )
}
