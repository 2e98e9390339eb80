/** A text with the words that were looked for. */
import { Fragment, type ReactNode } from 'react'
import './values.css'
import { baseLetters, isMark } from '../../../src/definitions/values/rules/accents.ts'

type MarkedProps = { readonly text: string; readonly words: string }

export const MarkedText = ({ text, words }: MarkedProps): ReactNode => (
  <span dir="auto">
    {markedParts(text, words).map(({ text: part, isMarked }, at) => {
      const Part = isMarked ? 'mark' : Fragment
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name
      return <Part key={at}>{part}</Part>
    })}
  </span>
)

export type Part = { readonly text: string; readonly isMarked: boolean }

// As `docket.folded` of the service.
const foldedLetters: Readonly<Record<string, string>> = {
  ...baseLetters,
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
}

const fold = (text: string): string =>
  [...text.toLowerCase().normalize('NFD')]
    .map((letter) => (isMark(letter) ? '' : (foldedLetters[letter] ?? letter)))
    .join('')

const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' }

/** How a word may be written in a text that was folded. */
const spellingsOf = (word: string): readonly string[] => {
  const small = word.toLowerCase().normalize('NFC')
  const spelt = [small, small.replaceAll(/[äöü]/g, (letter) => umlauts[letter] ?? letter)]
  const all = [...spelt, small.replaceAll(/([aou])e/g, '$1')].map(fold)
  return [...new Set(all)].filter((one) => one !== '')
}

/** The characters of a text, each with what it is folded to, and where that begins. */
const foldedCharacters = (text: string) => {
  let at = 0
  return [...text].map((character) => {
    const start = at
    at += fold(character).length
    return { character, start, end: at }
  })
}

const placesOf = (word: string, folded: string): readonly (readonly [number, number])[] =>
  spellingsOf(word).flatMap((spelling) => {
    const places: (readonly [number, number])[] = []
    let at = folded.indexOf(spelling)
    while (at >= 0) {
      places.push([at, at + spelling.length])
      at = folded.indexOf(spelling, at + spelling.length)
    }
    return places
  })

/** The text in parts, in its order. */
const markedParts = (text: string, words: string): readonly Part[] => {
  const folded = fold(text)
  const places = words.split(/\s+/).flatMap((word) => placesOf(word, folded))
  const parts: Part[] = []
  for (const { character, start, end } of foldedCharacters(text)) {
    const last = parts.at(-1)
    // A mark belongs to the letter before it.
    const isMarked =
      start === end
        ? (last?.isMarked ?? false)
        : places.some(([first, after]) => start < after && end > first)
    if (last?.isMarked === isMarked) parts.splice(-1, 1, { text: last.text + character, isMarked })
    else parts.push({ text: character, isMarked })
  }
  return parts
}
