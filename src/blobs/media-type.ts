/**
 * What a file is: by its content, and by its name where several kinds of files begin alike. Of an image also its size, as its head says
 * it; nothing is decoded.
 */
import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { endingOf, office, openDocument } from '../definitions/values/media-types.ts'

const unknownType = 'application/octet-stream'
const textType = 'text/plain'

/** Kinds of files that are texts, archives or containers of a more general kind, by their ending. */
const finer: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [textType]: {
    css: 'text/css',
    csv: 'text/csv',
    eml: 'message/rfc822',
    htm: 'text/html',
    html: 'text/html',
    ics: 'text/calendar',
    js: 'text/javascript',
    json: 'application/json',
    md: 'text/markdown',
    svg: 'image/svg+xml',
    tsv: 'text/tab-separated-values',
    vcf: 'text/vcard',
    xhtml: 'application/xhtml+xml',
    xml: 'application/xml',
  },
  'application/xml': { svg: 'image/svg+xml', xhtml: 'application/xhtml+xml' },
  'application/zip': {
    docx: `${office}.wordprocessingml.document`,
    odp: `${openDocument}.presentation`,
    ods: `${openDocument}.spreadsheet`,
    odt: `${openDocument}.text`,
    pptx: `${office}.presentationml.presentation`,
    xlsx: `${office}.spreadsheetml.sheet`,
  },
  'application/x-cfb': {
    doc: 'application/msword',
    msg: 'application/vnd.ms-outlook',
    ppt: 'application/vnd.ms-powerpoint',
    xls: 'application/vnd.ms-excel',
  },
}

// What the library looks at, at most.
const sampleBytes = 4100

/** The media type of a file. What its name says counts only where the content allows it. */
export const mediaTypeOf = async (file: FileHandle, name: string): Promise<string> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0)
  const general = await generalType(buffer.subarray(0, bytesRead), bytesRead === sampleBytes)
  const kinds = finer[general] ?? {}
  const extension = endingOf(name)
  return (Object.hasOwn(kinds, extension) && kinds[extension]) || general
}

const generalType = async (sample: Buffer, isCut: boolean): Promise<string> => {
  const { fileTypeFromBuffer } = await import('file-type')
  // Of what is damaged, the library may throw.
  const found = await fileTypeFromBuffer(sample).catch(() => undefined)
  if (found) return found.mime.replace(/\s*;.*$/s, '')
  return isText(sample, isCut) ? textType : unknownType
}

/** UTF-8 without control characters; the last character of a sample may be incomplete. */
const isText = (sample: Buffer, isCut: boolean): boolean => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(sample.toString('latin1'))) return false
  const cuts = isCut ? [0, 1, 2, 3] : [0]
  return cuts.some((cut) => isUtf8(sample.subarray(0, sample.length - cut)))
}

type ImageSize = { readonly width: number; readonly height: number }

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
