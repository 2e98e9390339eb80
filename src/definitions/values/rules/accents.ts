/** Accents of Latin letters, which a search does not tell apart: the service finds by them, and the console marks what was found. */

// Marks that stand behind their letters, as Unicode takes letters apart.
const firstMark = 0x300
const lastMark = 0x36f

/** For a regular expression: one of these marks. */
export const marks = `[${String.fromCharCode(firstMark)}-${String.fromCharCode(lastMark)}]`

export const isMark = (letter: string): boolean => {
  const code = letter.codePointAt(0) ?? 0
  return code >= firstMark && code <= lastMark
}

/** Letters with a mark that Unicode does not take apart. */
export const baseLetters: Readonly<Record<string, string>> = { ø: 'o', đ: 'd', ł: 'l', ı: 'i' }
