/** What a file is: by its content, and by its name where several kinds of files begin alike. */
import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { endingOf } from '../definitions/values/media-types.ts'

const unknownType = 'application/octet-stream'
const textType = 'text/plain'

const office = 'application/vnd.openxmlformats-officedocument'
const openDocument = 'application/vnd.oasis.opendocument'

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
