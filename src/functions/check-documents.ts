/** Checks the answer of a document function before its documents are used. */
import { types } from 'node:util'
import { counted } from '../counted.ts'
import { isObject } from '../definitions/values/check-value.ts'
import type { FunctionDocument } from './function-context.ts'

const maxNameBytes = 255
const token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+"
// RFC 9110, 8.3.1; limited to the length of a header line.
const mediaType = new RegExp(
  `^(?=.{1,255}$)${token}/${token}(?:[ \\t]*;[ \\t]*${token}=(?:${token}|"[^"\\\\\\p{Cc}]*"))*$`,
  'u',
)
// Control characters, line separators, and bidirectional controls, which make a name look like another
// one.
const unprintable = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u

/** The documents without other properties of the answer; or one message with every issue. */
export const checkDocuments = (
  answer: unknown,
  maxBytes: number,
): { readonly documents: readonly FunctionDocument[] } | { readonly issue: string } => {
  const documents = isObject(answer) ? answer.documents : undefined
  if (!Array.isArray(documents))
    return { issue: `returned ${shown(answer)} instead of { documents: [...] }` }
  const issues = documents.flatMap((one: unknown, index) =>
    issuesOf(one).map((issue) => `documents[${index}]${issue}`),
  )
  if (issues.length > 0) return { issue: `returned an invalid result: ${issues.join('; ')}` }
  const checked = (documents as FunctionDocument[]).map(({ filename, mimetype, data }) => ({
    filename,
    mimetype,
    data: types.isArrayBuffer(data) ? new Uint8Array(data) : data,
  }))
  const bytes = checked.reduce((sum, { data }) => sum + data.byteLength, 0)
  if (bytes > maxBytes)
    return { issue: `returned ${bytes} bytes of documents instead of at most ${maxBytes}` }
  return { documents: checked }
}

const issuesOf = (one: unknown): string[] => {
  if (!isObject(one)) return [` is ${shown(one)} instead of { filename, mimetype, data }`]
  const issues = [
    nameIssue(one.filename),
    typeof one.mimetype === 'string' && mediaType.test(one.mimetype)
      ? undefined
      : `.mimetype is ${shown(one.mimetype)} instead of a media type such as "text/csv"`,
    dataIssue(one.data),
  ]
  return issues.filter((issue) => issue !== undefined)
}

const nameIssue = (name: unknown): string | undefined => {
  const is = `.filename is ${shown(name)}`
  if (typeof name !== 'string' || name.trim() === '') return `${is} instead of the name of a file`
  if (/[/\\]/.test(name) || name === '.' || name === '..')
    return `${is}: a path instead of the name of a file`
  if (unprintable.test(name) || !name.isWellFormed())
    return `${is}, with control characters or half characters`
  const bytes = Buffer.byteLength(name)
  return bytes > maxNameBytes
    ? `.filename has ${bytes} bytes instead of at most ${maxNameBytes}`
    : undefined
}

const dataIssue = (data: unknown): string | undefined => {
  if (!types.isUint8Array(data) && !types.isArrayBuffer(data))
    return `.data is ${shown(data)} instead of a Buffer, Uint8Array or ArrayBuffer`
  // The data of an answer is transferred to the service, so the function cannot use it again.
  const held = types.isUint8Array(data) ? data.buffer : data
  return types.isArrayBuffer(held) && held.detached
    ? '.data was transferred with an earlier answer; return a copy, such as Buffer.from(data)'
    : undefined
}

/** Describes a value without showing it: it may be data of a record, and errors are stored and logged. */
const shown = (value: unknown): string => {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return `a text of ${counted(value.length, 'character')}`
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (types.isTypedArray(value)) return `a ${value[Symbol.toStringTag]}`
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
