/**
 * Filters of Liquid that search a text in another one. JavaScript's own search takes time that grows with
 * the product of both lengths; here it grows with their sum. The results are the same.
 */
import { type Context, defaultOperators, type Liquid, type Operators, toValueSync } from 'liquidjs'

// Up to this length JavaScript's own search is always fast.
const shortNeedle = 32

type Which = 'all' | 'first' | 'last'
const filters: Readonly<Record<string, Which>> = {
  replace: 'all',
  replace_first: 'first',
  replace_last: 'last',
  remove: 'all',
  remove_first: 'first',
  remove_last: 'last',
  split: 'all',
}

type Filter = (this: { readonly context: Context }, ...values: unknown[]) => unknown

/** Replaces the searching filters of an engine. */
export const registerSearchFilters = (engine: Liquid): void => {
  for (const [name, which] of Object.entries(filters)) {
    const usual = engine.filters[name] as Filter
    const filter: Filter = function (value, searched, ...others) {
      const needle = textOf(searched)
      if (needle.length <= shortNeedle) return usual.call(this, value, searched, ...others)
      const text = textOf(value)
      const pieces = cutAt(text, needle, which)
      if (name === 'split') return withoutEmptyEnd(pieces)
      const replacement = name.startsWith('replace') ? textOf(others[0]) : ''
      this.context.memoryLimit.use(text.length + (pieces.length - 1) * replacement.length)
      return pieces.join(replacement)
    }
    engine.registerFilter(name, filter)
  }
}

/** The operators, with our search for `contains`. */
export const linearOperators: Operators = {
  ...defaultOperators,
  contains: (left, right, context) => {
    const [text, searched] = [toValueSync(left), toValueSync(right)]
    const isLong = typeof text === 'string' && String(searched).length > shortNeedle
    return isLong ? hasPlace(text, String(searched)) : defaultContains(left, right, context)
  },
}

const defaultContains = defaultOperators.contains as NonNullable<Operators[string]>

const hasPlace = (text: string, needle: string): boolean => !placesOf(text, needle).next().done

// As Liquid reads a value as text.
const textOf = (input: unknown): string => {
  const value = toValueSync(input)
  if (Array.isArray(value)) return value.map(textOf).join('')
  return value === undefined || value === null ? '' : String(value)
}

/** Splits a text at every place of a needle. */
const cutAt = (text: string, needle: string, which: Which): string[] => {
  const pieces: string[] = []
  let end = 0
  let last: number | undefined
  for (const place of placesOf(text, needle)) {
    last = place
    if (which === 'last' || place < end) continue
    pieces.push(text.slice(end, place))
    end = place + needle.length
    if (which === 'first') break
  }
  if (which !== 'last' || last === undefined) return [...pieces, text.slice(end)]
  return [text.slice(0, last), text.slice(last + needle.length)]
}

/** Every place of a needle, including overlapping ones, by the algorithm of Knuth, Morris and Pratt. */
function* placesOf(text: string, needle: string): Generator<number> {
  const borders = bordersOf(needle)
  let matched = 0
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    while (matched > 0 && unit !== needle.charCodeAt(matched)) matched = borders[matched - 1] ?? 0
    if (unit === needle.charCodeAt(matched)) matched++
    if (matched < needle.length) continue
    yield index - needle.length + 1
    matched = borders[matched - 1] ?? 0
  }
}

/** For each prefix of a needle, the length of its longest proper prefix that is also a suffix. */
const bordersOf = (needle: string): Uint32Array => {
  const borders = new Uint32Array(needle.length)
  let length = 0
  for (let index = 1; index < needle.length; index++) {
    const unit = needle.charCodeAt(index)
    while (length > 0 && unit !== needle.charCodeAt(length)) length = borders[length - 1] ?? 0
    if (unit === needle.charCodeAt(length)) length++
    borders[index] = length
  }
  return borders
}

const withoutEmptyEnd = (pieces: readonly string[]): string[] =>
  pieces.slice(0, pieces.findLastIndex((piece) => piece !== '') + 1)
