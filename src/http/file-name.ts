/** Names of the files that the service offers, and the header that contains them. */

const maxCharacters = 100
// File systems allow 255.
const maxBytes = 200

/** The name of a PDF: the document's code and the record's display name. */
export const documentName = (code: string, title: unknown, id: number): string => {
  const called = typeof title === 'string' || typeof title === 'number' ? plain(String(title)) : ''
  return fileName([plain(code) || 'document', called || String(id)], 'pdf')
}

/** Letters and digits of any script, `.`, `_` and `-`: safe in a folder, a header and an e-mail. */
export const fileName = (words: readonly string[], extension: string): string =>
  `${trimmed(words.map(plain).join('-'))}.${extension}`

const plain = (text: string): string =>
  trimmed(text.normalize('NFC').replaceAll(/[^\p{L}\p{M}\p{N}._]+/gu, '-'))

const trimmed = (text: string): string =>
  whole(Buffer.from([...text].slice(0, maxCharacters).join('')).subarray(0, maxBytes))
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[-.]+|[-.]+$/g, '')

/** Drops an incomplete character at the end. */
const whole = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true })

/** `Content-Disposition` to show or to save the file, with a name that every client understands (RFC 6266). */
export const dispositionOf = (kind: 'inline' | 'attachment', name: string): string => {
  const ascii = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\x20-\x7e]|["\\]/g, '_')
  if (ascii === name) return `${kind}; filename="${name}"`
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
