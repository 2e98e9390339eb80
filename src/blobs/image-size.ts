/** The size of an image, as its head says it; nothing is decoded. */
import type { FileHandle } from 'node:fs/promises'

export type ImageSize = { readonly width: number; readonly height: number }

type Reader = (head: Buffer) => ImageSize | undefined

const png: Reader = (head) => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) })

const gif: Reader = (head) => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) })

/** The three kinds of WebP: lossy, lossless, and with further parts. */
const webp: Reader = (head) => {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** The parts before the first frame are passed over by their lengths. */
const jpeg: Reader = (head) => {
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff; ) {
    const marker = head[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) }
    at += 2 + head.readUInt16BE(at + 2)
  }
  return undefined
}

const readers: Readonly<Record<string, Reader>> = {
  'image/gif': gif,
  'image/jpeg': jpeg,
  'image/png': png,
  'image/webp': webp,
}

const isPossible = (pixels: number): boolean => pixels > 0 && pixels <= 2 ** 31 - 1

// The profile and the preview that a camera writes stand before the size of a JPEG.
const headBytes = 524_288

/** Undefined if it is no such image, or its head is damaged. */
export const imageSizeOf = async (
  file: FileHandle,
  mimetype: string,
): Promise<ImageSize | undefined> => {
  const read = Object.hasOwn(readers, mimetype) ? readers[mimetype] : undefined
  if (!read) return undefined
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
  try {
    const size = read(buffer.subarray(0, bytesRead))
    return size && isPossible(size.width) && isPossible(size.height) ? size : undefined
  } catch {
    return undefined
  }
}
