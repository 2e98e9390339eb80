/** What is wrong with a text that is no JSON, and where: browsers say it in English, and some without the place. */

type Kind =
  | 'value'
  | 'name'
  | 'colon'
  | 'comma'
  | 'spare'
  | 'text'
  | 'character'
  | 'number'
  | 'word'
  | 'end'

class Fault extends Error {
  readonly kind: Kind
  readonly at: number

  constructor(kind: Kind, at: number) {
    super(kind)
    this.kind = kind
    this.at = at
  }
}

const space = /[ \t\n\r]*/y
const characters = /(?:[ !#-[\]-\u{10FFFF}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*/uy
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /[^\s[\]{}",:]+/y

/** Where the part of a text ends that a pattern matches from a place. */
const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

const afterSpace = (text: string, at: number): number => endOf(space, text, at)

/** Each returns where what it reads ends, or throws a Fault. */
const readText = (text: string, start: number): number => {
  const end = endOf(characters, text, start + 1)
  if (text[end] === '"') return end + 1
  const isOpen = end === text.length || text[end] === '\n'
  throw new Fault(isOpen ? 'text' : 'character', isOpen ? start : end)
}

const readWord = (text: string, start: number): number => {
  const end = endOf(word, text, start)
  if (end === start) throw new Fault('value', start)
  const found = text.slice(start, end)
  if (['true', 'false', 'null'].includes(found) || endOf(number, text, start) === end) return end
  throw new Fault(/^[-+.\d]/.test(found) ? 'number' : 'word', start)
}

const readValue = (text: string, start: number): number => {
  const at = afterSpace(text, start)
  if (text[at] === '"') return readText(text, at)
  if (text[at] === '{') return readEntries(text, at, '}', readNamed)
  return text[at] === '[' ? readEntries(text, at, ']', readValue) : readWord(text, at)
}

const readNamed = (text: string, start: number): number => {
  const at = afterSpace(text, start)
  if (text[at] !== '"') throw new Fault('name', at)
  const end = readText(text, at)
  const colon = afterSpace(text, end)
  if (text[colon] !== ':') throw new Fault('colon', end)
  return readValue(text, colon + 1)
}

type Read = (text: string, start: number) => number

const readEntries = (text: string, start: number, close: string, read: Read): number => {
  let at = afterSpace(text, start + 1)
  if (text[at] === close) return at + 1
  for (;;) {
    const end = read(text, at)
    at = afterSpace(text, end)
    if (text[at] === close) return at + 1
    // Said of the line that it is missing at the end of.
    if (text[at] !== ',') throw new Fault('comma', end - 1)
    const comma = at
    at = afterSpace(text, comma + 1)
    if (text[at] === close) throw new Fault('spare', comma)
  }
}

/** Undefined for every text that is JSON. */
export const findFault = (text: string): Fault | undefined => {
  try {
    const end = afterSpace(text, readValue(text, 0))
    return end < text.length ? new Fault('end', end) : undefined
  } catch (error) {
    return error instanceof Fault ? error : undefined
  }
}
