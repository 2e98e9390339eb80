/** Names of files that are sent: what they are kept as, whatever was given. */

const maxBytes = 255

/** Control characters, those that change the direction of what follows, and line ends of other scripts. */
const unfit = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\p{Cs}]/gu

/** A name without folders, control and direction characters, and dots at its end, in one form, of at most 255 bytes; `file` if nothing is left. */
export const keptFileName = (given: string): string => {
  const [last = ''] = given.normalize('NFC').split(/[/\\]/).slice(-1)
  // Windows leaves out dots and spaces at the end: `page.html.` would become `page.html`.
  const name =
    last
      .replaceAll(unfit, '')
      .trim()
      .replace(/(?<![.\s])[.\s]+$/, '') || 'file'
  const [extension = ''] = /\.[^.]{1,20}$/u.exec(name) ?? []
  const rest = maxBytes - Buffer.byteLength(extension)
  return wholeCharacters(name.slice(0, name.length - extension.length), rest) + extension
}

/** The beginning of a text that has at most so many bytes. */
const wholeCharacters = (text: string, bytes: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, bytes), {
    stream: true,
  })
