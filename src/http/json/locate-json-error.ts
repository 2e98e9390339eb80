/** Finds where JSON is malformed. `JSON.parse` reports an error, but not always its place. */

// What may come next.
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma' | 'nothing'

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /true|false|null/y
const space = /[\t\n\r ]*/y
const escaped = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y

/**
 * The place of the first invalid character; the length of the text if it is incomplete; undefined for valid
 * JSON.
 */
export const locateJsonError = (text: string): number | undefined => {
  const ends: ('}' | ']')[] = []
  let expected: Expected = 'value'
  let at = endOf(space, text, 0)
  while (at < text.length) {
    const character = text[at] ?? ''
    if (isEnd(character, expected, ends.at(-1))) {
      ends.pop()
      at += 1
    } else {
      const token = tokens[expected](text, at, character)
      if (token.errorAt !== undefined) return token.errorAt
      at = token.end
      if (character === '{' || character === '[') ends.push(character === '{' ? '}' : ']')
    }
    expected = nextOf(expected, character, ends.at(-1))
    at = endOf(space, text, at)
  }
  return expected === 'nothing' ? undefined : text.length
}

type Token = { readonly end: number; readonly errorAt?: number | undefined }

const isEnd = (character: string, expected: Expected, end: string | undefined): boolean =>
  character === end &&
  (expected === 'comma' ||
    (expected === 'first value' && end === ']') ||
    (expected === 'first name' && end === '}'))

const nextOf = (before: Expected, character: string, end: string | undefined): Expected => {
  const isOpening = before === 'value' || before === 'first value'
  if (isOpening && character === '{') return 'first name'
  if (isOpening && character === '[') return 'first value'
  if (before === 'name' || before === 'first name') return character === '}' ? behind(end) : 'colon'
  if (before === 'colon') return 'value'
  if (before === 'comma' && character === ',') return end === '}' ? 'name' : 'value'
  return behind(end)
}

/** What may come after a complete value. */
const behind = (end: string | undefined): Expected => (end === undefined ? 'nothing' : 'comma')

const takeValue = (text: string, at: number, character: string): Token => {
  if (character === '"') return takeString(text, at)
  if (character === '{' || character === '[') return { end: at + 1 }
  const end = Math.max(endOf(number, text, at), endOf(word, text, at))
  return end === at ? { end, errorAt: at } : { end }
}

const takeName = (text: string, at: number, character: string): Token =>
  character === '"' ? takeString(text, at) : { end: at, errorAt: at }

const takeOnly =
  (wanted: string) =>
  (_text: string, at: number, character: string): Token =>
    character === wanted ? { end: at + 1 } : { end: at, errorAt: at }

const tokens: Readonly<Record<Expected, (text: string, at: number, character: string) => Token>> = {
  value: takeValue,
  'first value': takeValue,
  name: takeName,
  'first name': takeName,
  colon: takeOnly(':'),
  comma: takeOnly(','),
  nothing: (_text, at) => ({ end: at, errorAt: at }),
}

const takeString = (text: string, from: number): Token => {
  let at = from + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 34) return { end: at + 1 }
    if (code < 32) return { end: at, errorAt: at }
    if (code === 92) {
      const end = endOf(escaped, text, at + 1)
      if (end === at + 1) return { end, errorAt: isCutOff(text, at) ? text.length : at + 1 }
      at = end
    } else at += 1
  }
  return { end: at, errorAt: at }
}

/** Whether the text ends within an escape that is valid so far. */
const isCutOff = (text: string, backslash: number): boolean =>
  text.length - backslash <= 5 && /^(?:u[0-9a-fA-F]{0,3})?$/.test(text.slice(backslash + 1))

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
