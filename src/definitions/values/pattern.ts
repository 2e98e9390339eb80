/**
 * Matches the pattern of a field in linear time with RE2, which has no back references, no look-around and no
 * backtracking (docs/decisions/0013-patterns-in-linear-time.md), after what JavaScript writes otherwise is translated.
 */
import { RE2JS } from 're2js'
import { errorText } from '../../errors.ts'

/** A pattern that requires backtracking. */
class NeedsBacktracking extends Error {}

/** The text for RE2; the pattern must be valid JavaScript. Throws NeedsBacktracking. */
const translatePattern = (pattern: string): string => {
  let text = ''
  let isInClass = false
  // Whether a dot matches line ends, for each open group.
  const takesAll = [false]
  for (let rest = pattern; rest !== ''; ) {
    const [token = ''] = tokenAt(rest, isInClass)
    rest = rest.slice(token.length)
    if (isInClass) text += inClass(token)
    else text += token === '.' && takesAll.at(-1) ? token : outsideClass(token)
    if (isInClass) isInClass = token !== ']'
    else if (token === '[') isInClass = true
    else if (token === ')') takesAll.pop()
    else if (token.startsWith('(')) takesAll.push(takesLineEnds(token, takesAll.at(-1) === true))
  }
  return text
}

const anywhere = /^(?:\\[pP]\{[^}]*\}|\\u\{[^}]*\}|(?:\\u[\dA-Fa-f]{4})+|\\[\s\S]|[\s\S])/u
const groups = /^\((?:\?(?:<?[=!]|<[^>]*>|[ims]*(?:-[ims]*)?:))?/

const tokenAt = (text: string, isInClass: boolean) =>
  (isInClass ? null : groups.exec(text)) ?? anywhere.exec(text) ?? [text]

const lineEnds = '\\n\\r\\x{2028}\\x{2029}'
const spaces =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'

const sets: Readonly<Record<string, string>> = {
  '.': `[^${lineEnds}]`,
  '\\s': `[${spaces}]`,
  '\\S': `[^${spaces}]`,
}

const inClass = (token: string): string => {
  if (token === '\\s') return spaces
  if (token === '\\S' || isUnknown(token)) return rangesOf(token)
  // Unescaped, `[:alpha:` is a class name in RE2.
  if (token === '[') return '\\['
  return token === '\\b' ? '\\x08' : plain(token)
}

const outsideClass = (token: string): string => {
  if (/^\(\?<?[=!]/.test(token)) throw new NeedsBacktracking(`look-around (\`${token}\`)`)
  if (/^\\[1-9k]/.test(token)) throw new NeedsBacktracking(`a back reference (\`${token}\`)`)
  return sets[token] ?? (isUnknown(token) ? `[${rangesOf(token)}]` : plain(token))
}

/** Whether a character property has a JavaScript name that RE2 does not know. */
const isUnknown = (token: string): boolean => {
  if (!/^\\p\{/i.test(token)) return false
  try {
    RE2JS.compile(token)
    return false
  } catch {
    return true
  }
}

/** Joins escapes of UTF-16 units to characters. */
const plain = (token: string): string => {
  if (!/^\\u/.test(token)) return token
  const characters = token.replaceAll(/\\u\{?([\dA-Fa-f]+)\}?/g, (_, digits: string) =>
    toText(digits),
  )
  return [...characters].map((character) => escaped(character.codePointAt(0) ?? 0)).join('')
}

const toText = (digits: string): string => {
  const code = Number.parseInt(digits, 16)
  return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code)
}

/** `(?s:` and `(?-s:` override the enclosing group. */
const takesLineEnds = (token: string, isSo: boolean): boolean => {
  const [, on = '', off = ''] = /^\(\?([ims]*)(?:-([ims]*))?:/.exec(token) ?? []
  return (isSo || on.includes('s')) && !off.includes('s')
}

const escaped = (code: number): string => `\\x{${code.toString(16)}}`

const known = new Map<string, string>()

/** The characters of a JavaScript set such as `\p{Script=Greek}`, as ranges of a class. */
const rangesOf = (set: string): string => {
  const before = known.get(set)
  if (before !== undefined) return before
  const runs = new RegExp(`${set}+`, 'gu')
  const ranges: (readonly [first: number, last: number])[] = []
  for (let start = 0; start <= lastCharacter; start += blockSize)
    // Texts contain no half surrogate pairs.
    if (start < 0xd800 || start > 0xdfff)
      for (const [run] of blockAt(start).matchAll(runs)) {
        const first = run.codePointAt(0) ?? start
        const before = ranges.at(-1)
        const isNext = before?.[1] === first - 1
        const last = first + [...run].length - 1
        if (isNext) ranges.pop()
        ranges.push([isNext ? before[0] : first, last])
      }
  const text = ranges.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join('')
  known.set(set, text)
  return text
}

// In blocks, to limit memory and stack.
const blockSize = 0x800

const blockAt = (start: number): string =>
  String.fromCodePoint(...Array.from({ length: blockSize }, (_, place) => start + place))

const lastCharacter = 0x10ffff

/** Maximum length of a value that is matched, in characters. */
export const maxMatchedLength = 10_000

const maxPatternLength = 1000

/** Why a pattern is not supported, or undefined. */
export const patternIssue = (pattern: string): string | undefined => {
  if (pattern.length > maxPatternLength)
    return `has ${pattern.length} characters, at most ${maxPatternLength} are allowed`
  // Compiled alone: between anchors, `a)|(b` would be valid too. Clients use JavaScript's syntax.
  if (!isRegularExpression(pattern)) return 'is not a regular expression'
  try {
    compile(pattern)
    return undefined
  } catch (error) {
    if (error instanceof NeedsBacktracking)
      return `has ${error.message}, which cannot be matched in linear time; remove it`
    const reason = errorText(error).replace('error parsing regexp: ', '')
    return `exceeds the limits of RE2, which matches it (${reason}); repeat counts are limited to 1000`
  }
}

/** Whether the whole text matches a valid pattern. */
export const matchesPattern = (pattern: string, text: string): boolean => {
  const known = compiled.get(pattern)
  const one = known ?? compile(pattern)
  if (!known) compiled.set(pattern, one)
  return one.testExact(text)
}

// Patterns come from the definitions only.
const compiled = new Map<string, RE2JS>()

const compile = (pattern: string): RE2JS =>
  RE2JS.compile(RE2JS.translateRegExp(translatePattern(pattern)))

const isRegularExpression = (pattern: string): boolean => {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
