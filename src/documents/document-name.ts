/** The name that a PDF is saved under: its code and what the record is called. */

const maxCharacters = 100
// A folder has room for 255 in a name.
const maxBytes = 200

/** Letters, digits, `.`, `_` and `-` only, of any script: safe in a folder, a header and an e-mail. */
export const documentName = (code: string, title: unknown, id: number): string => {
  const called = typeof title === 'string' || typeof title === 'number' ? plain(String(title)) : ''
  const words = [plain(code) || 'document', called || String(id)]
  return `${trimmed(words.join('-'))}.pdf`
}

const plain = (text: string): string =>
  trimmed(text.normalize('NFC').replaceAll(/[^\p{L}\p{M}\p{N}._]+/gu, '-'))

const trimmed = (text: string): string =>
  whole(Buffer.from([...text].slice(0, maxCharacters).join('')).subarray(0, maxBytes))
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[-.]+|[-.]+$/g, '')

/** Without the half character at its end. */
const whole = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true })

/** `Content-Disposition` that shows the file, with its name for every client (RFC 6266). */
export const dispositionOf = (name: string): string => {
  const plainest = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\x20-\x7e]/g, '_')
  return plainest === name
    ? `inline; filename="${name}"`
    : `inline; filename="${plainest}"; filename*=UTF-8''${encodeURIComponent(name)}`
}
