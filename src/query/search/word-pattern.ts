/**
 * The words of a search text, and how a word is found in texts: in upper or lower case, and with or without the accents of Latin letters. ä, ö and ü are also
 * found as ae, oe and ue, and ß, æ and œ as ss, ae and oe, each way.
 */
import { textIssue } from '../../definitions/values/check-text.ts'
import { kindOf } from '../../definitions/values/check-value.ts'
import { baseLetters, isMark, marks } from '../../definitions/values/rules/accents.ts'
import { criteriaLimits } from '../criteria/criteria-limits.ts'

export type WordPattern = {
  /** A regular expression of PostgreSQL, whatever the collation. */
  readonly regex: string
  /** For LIKE: what `docket.folded` makes of it is in what it makes of every text that the expression matches. */
  readonly folded: string
}

// Where Unicode has Latin letters with accents.
const latin: readonly (readonly [number, number])[] = [
  [0xc0, 0x24f],
  [0x1e00, 0x1eff],
]

/** The letter without accents, in lower case. */
const plain = (letter: string): string => {
  const small = letter.toLowerCase()
  const [first = small, ...rest] = [...(baseLetters[small] ?? small).normalize('NFD')]
  return /[a-z]/.test(first) && rest.every(isMark) ? first : small
}

/** Every letter with accents, in both cases, by the letter without. */
const accented: ReadonlyMap<string, string> = (() => {
  const letters = latin.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  )
  const groups = Map.groupBy(letters, plain)
  return new Map([...groups].map(([letter, all]) => [letter, all.join('')]))
})()

const isLetter = (text: string): boolean => /^[a-z]$/.test(text)

const literal = (text: string): string => text.replace(/[\\.[\](){}*+?^$|]/g, '\\$&')

/** A character, however it is written. */
const character = (source: string): string => {
  const letter = plain(source)
  if (isLetter(letter))
    return `[${letter}${letter.toUpperCase()}${accented.get(letter) ?? ''}]${marks}*`
  const cases = [...new Set([source, source.toLowerCase(), source.toUpperCase()])]
  const single = cases.filter((one) => [...one].length === 1)
  return single.length === 1 ? literal(source) : `[${single.join('')}]`
}

type Spelling = {
  readonly letters: string
  readonly sign: string
  /** What a text has in either spelling once it is folded. */
  readonly folded: string
}

/** Signs that are also written as two letters. */
const spellings: readonly Spelling[] = [
  { letters: 'ae', sign: 'ä', folded: 'a%' },
  { letters: 'oe', sign: 'ö', folded: 'o%' },
  { letters: 'ue', sign: 'ü', folded: 'u%' },
  { letters: 'ss', sign: 'ß', folded: 'ss' },
  { letters: 'ae', sign: 'æ', folded: 'a%' },
  { letters: 'oe', sign: 'œ', folded: 'o%' },
]

const bothCases = (sign: string): string => {
  const large = sign === 'ß' ? 'ẞ' : sign.toUpperCase()
  const parted = sign.normalize('NFD')
  const [first = '', mark = ''] = parted
  const withMark = parted === sign ? '' : `|[${first}${first.toUpperCase()}]${mark}`
  return `[${sign}${large}]${withMark}`
}

/** Two letters, or one of the signs that may stand for them. */
const spelt = (letters: string): string => {
  const signs = spellings.filter((one) => one.letters === letters).map(({ sign }) => sign)
  const written = [...letters].map(character).join('')
  return `(?:${[written, ...signs.map(bothCases)].join('|')})`
}

const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** The next part of a word: how many of its characters, and how they are found. */
const partAt = (characters: readonly string[], at: number) => {
  const [first = '', second = ''] = characters.slice(at, at + 2).map((one) => one.toLowerCase())
  const asSign = spellings.find(({ sign }) => sign === first)
  const asLetters = spellings.find(({ letters }) => letters === first + second)
  const found = asSign ?? asLetters
  if (!found) {
    const source = characters[at] ?? ''
    return { length: 1, regex: character(source), folded: likeLiteral(source) }
  }
  // A ü may also mean the letter with an accent.
  const single = asSign && isLetter(plain(first)) ? `|${character(first)}` : ''
  const regex = single === '' ? spelt(found.letters) : `(?:${spelt(found.letters)}${single})`
  return { length: asSign ? 1 : 2, regex, folded: found.folded }
}

/** The pattern of a word, which may stand anywhere in a text. */
export const patternOf = (word: string): WordPattern => {
  const letters = [...word.normalize('NFC')].filter((one) => !isMark(one))
  // A mark alone is looked for as it is.
  const characters = letters.length > 0 ? letters : [...word]
  let regex = ''
  let folded = ''
  for (let at = 0; at < characters.length; ) {
    const part = partAt(characters, at)
    regex += part.regex
    folded += part.folded
    at += part.length
  }
  return { regex, folded: `%${folded}%` }
}

/** The same for texts that begin with it. */
export const beginningOf = (text: string): WordPattern => {
  const { regex, folded } = patternOf(text)
  return { regex: `^${regex}`, folded: folded.slice(1) }
}

/** The same for texts that are nothing else. */
export const wholeOf = (text: string): WordPattern => {
  const { regex, folded } = patternOf(text)
  return { regex: `^${regex}$`, folded: folded.slice(1, -1) }
}

// Blanks and signs; classes such as [:alnum:] depend on the collation.
const beforeWords = '(?:^|[\\u0001-/:-@\\[-`{-\\u00bf\\u2000-\\u206f])'

/** The same for texts of which a word begins with it. */
export const wordBeginningOf = (word: string): WordPattern => {
  const { regex, folded } = patternOf(word)
  return { regex: `${beforeWords}${regex}`, folded }
}

/** The words of a text, which blanks separate, or the issue of the text. */
export const wordsOf = (value: unknown): { words: string[] } | { issue: string } => {
  const { searchText, words: most, word: longest } = criteriaLimits
  if (typeof value !== 'string') return { issue: `must be a string, not ${kindOf(value)}` }
  if (value.length > searchText)
    return { issue: `has ${value.length} characters, at most ${searchText} are allowed` }
  const wrong = textIssue(value)
  if (wrong !== undefined) return { issue: wrong }
  const words = value.split(/\s+/).filter((word) => word !== '')
  if (words.length > most)
    return { issue: `has ${words.length} words, at most ${most} are allowed` }
  return words.some((word) => word.length > longest)
    ? { issue: `contains a word of more than ${longest} characters` }
    : { words }
}
