/**
 * Reads and writes tar archives (POSIX ustar) with small entries, so that other programs can open a
 * backup.
 */
import { StartupError } from '../errors.ts'

export type Entry = { readonly path: string; readonly bytes: Buffer }

const blockBytes = 512
/** Larger entries are not ours. */
const maxEntryBytes = 64 * 1024 * 1024
const longestPath = 100

/** An entry as blocks: header, bytes, and padding. */
export const tarEntry = ({ path, bytes }: Entry): Buffer[] => {
  const padding = Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes)
  return [headOf(path, bytes.length), bytes, padding]
}

/** The end of an archive. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * blockBytes)

const headOf = (path: string, size: number): Buffer => {
  if (Buffer.byteLength(path) > longestPath) throw new Error(`${path} is too long for an archive.`)
  const head = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, length: number) =>
    head.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  head.write(path, 0, 'utf8')
  octal(0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(Math.floor(Date.now() / 1000), 136, 12)
  head.write('0', 156, 'latin1')
  head.write('ustar\x0000', 257, 'latin1')
  octal(checksumOf(head), 148, 7)
  head.write(' ', 155, 'latin1')
  return head
}

/** The checksum of a header, with its own field as spaces. */
const checksumOf = (head: Buffer): number =>
  head.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0)

/**
 * The entries of an archive in order, one in memory at a time; throws when it is not an archive,
 * truncated, or continues after its end.
 */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const reader = createReader(source)
  for (;;) {
    const head = await reader.take(blockBytes)
    if (head.every(isZero)) return reader.drain()
    const { path, size } = readHead(head)
    const bytes = await reader.take(size)
    await reader.take((blockBytes - (size % blockBytes)) % blockBytes)
    yield { path, bytes }
  }
}

const isZero = (byte: number): boolean => byte === 0

const readHead = (head: Buffer): { path: string; size: number } => {
  const text = (from: number, to: number) => head.toString('utf8', from, to).replace(/\0.*$/s, '')
  const number = (from: number, to: number) => Number.parseInt(text(from, to).trim(), 8)
  const size = number(124, 136)
  const isWhole = text(257, 262) === 'ustar' && number(148, 156) === checksumOf(head)
  if (!isWhole || !(size >= 0 && size <= maxEntryBytes))
    throw new StartupError('It is not an archive of a backup, or it is damaged.')
  return { path: text(0, longestPath), size }
}

const refuseMore = (bytes: Buffer): void => {
  if (!bytes.every(isZero)) throw new StartupError('It is damaged: it continues after its end.')
}

const createReader = (source: AsyncIterable<Buffer>) => {
  const iterator = source[Symbol.asyncIterator]()
  let parts: Buffer[] = []
  let length = 0
  return {
    take: async (count: number): Promise<Buffer> => {
      while (length < count) {
        const { done, value } = await iterator.next()
        if (done) throw new StartupError('It is truncated: a part of it is missing.')
        parts.push(value)
        length += value.length
      }
      const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      const rest = all.subarray(count)
      parts = rest.length > 0 ? [rest] : []
      length = rest.length
      return all.subarray(0, count)
    },
    /** Reads to the end of the source, so that the source can report an error. */
    drain: async (): Promise<void> => {
      parts.forEach(refuseMore)
      for (;;) {
        const { done, value } = await iterator.next()
        if (done) return
        refuseMore(value)
      }
    },
  }
}
