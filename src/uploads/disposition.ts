/** The name of a file in `Content-Disposition` (RFC 6266), also as careless clients write it. */
import { isUtf8 } from 'node:buffer'
import { keptFileName } from '../blobs/file-name.ts'
import type { Parameter } from '../http/endpoint/parameters.ts'

const issue = {
  issue: `must name the file, such as attachment; filename="offer.pdf", or for other characters filename*=UTF-8''%C5%A0ibenik.pdf`,
}

// A value with quotes has its own escapes; one without ends at the next semicolon.
const parameter = /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/g

/** The name as it is kept. `filename*` is preferred, if it can be read. */
export const contentDisposition: Parameter<string> = {
  description:
    'The name of the file, as in RFC 6266. Folders and control characters in it are left out.',
  schema: { type: 'string', examples: ['attachment; filename="offer.pdf"'] },
  absent: undefined,
  isRequired: true,
  read: (header) => {
    const values = new Map(
      [...header.matchAll(parameter)].map(([, name = '', quoted, plain = '']) => [
        name.toLowerCase(),
        quoted?.replaceAll(/\\(.)/gs, '$1') ?? plain.trim(),
      ]),
    )
    const name = extended(values.get('filename*')) ?? asSent(values.get('filename'))
    return name === undefined || name === '' ? issue : keptFileName(name)
  },
}

/** `UTF-8''na%C3%AFve.txt` (RFC 8187); undefined if it is nothing of that kind. */
const extended = (value: string | undefined): string | undefined => {
  const encoded = /^utf-8'[^']*'(.*)$/is.exec(value ?? '')?.[1]
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/** Node.js reads headers as Latin-1; many clients send UTF-8. */
const asSent = (value: string | undefined): string | undefined => {
  if (value === undefined) return undefined
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}
