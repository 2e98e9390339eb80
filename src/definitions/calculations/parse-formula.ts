/**
 * Parses the formula of a field, such as `quantity * unit_price * (1 - discount / 100)`: numbers, names of fields, `+ - * /`,
 * parentheses and functions. It reads each character once.
 */

/** A parsed formula; `at` is the place of a part in the text. */
export type Expression =
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'field'; readonly name: string; readonly at: number }
  | { readonly kind: 'negation'; readonly of: Expression }
  | {
      readonly kind: 'operation'
      readonly operator: Operator
      readonly left: Expression
      readonly right: Expression
      readonly at: number
    }
  | {
      readonly kind: 'call'
      readonly name: string
      readonly given: readonly Expression[]
      readonly at: number
    }

export type Operator = '+' | '-' | '*' | '/'

/** What is wrong with a formula, and where. */
export class FormulaError extends Error {
  override readonly name = 'FormulaError'

  constructor(message: string, at: number) {
    super(`${message}, at character ${at + 1}`)
  }
}

type Token = { readonly text: string; readonly at: number }

export const maxFormulaLength = 1000

/** The expression, or a FormulaError. */
export const parseFormula = (text: string): Expression => {
  const reader = createReader(tokensOf(text), text.length)
  const expression = readSum(reader)
  const rest = reader.next()
  if (rest) throw new FormulaError(`"${rest.text}" is not expected here`, rest.at)
  return expression
}

const token = /\s*(?:(\d+(?:\.\d+)?|[a-zA-Z_][a-zA-Z0-9_]*|[-+*/(),])|(\S))/y

const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = []
  for (const [all, known, unknown] of text.matchAll(new RegExp(token, 'gy'))) {
    const { length } = known ?? unknown ?? ''
    const at = (tokens.at(-1)?.at ?? 0) + (tokens.at(-1)?.text.length ?? 0) + all.length - length
    if (unknown !== undefined)
      throw new FormulaError(`"${unknown}" has no meaning in a formula`, at)
    tokens.push({ text: known ?? '', at })
  }
  return tokens
}

type Reader = {
  /** The next token if it is one of these, or any token. */
  readonly next: (...texts: readonly string[]) => Token | undefined
  readonly fail: (expected: string) => never
}

const createReader = (tokens: readonly Token[], end: number): Reader => {
  let place = 0
  return {
    next: (...texts) => {
      const found = tokens[place]
      if (!found || (texts.length > 0 && !texts.includes(found.text))) return undefined
      place += 1
      return found
    },
    fail: (expected) => {
      const { text = 'the end', at = end } = tokens[place] ?? {}
      throw new FormulaError(
        `${expected} is expected, not ${text === 'the end' ? text : `"${text}"`}`,
        at,
      )
    },
  }
}

/** Operations of the same rank, from left to right. */
const readOperations =
  (operators: readonly Operator[], readPart: (reader: Reader) => Expression) =>
  (reader: Reader): Expression => {
    let left = readPart(reader)
    for (let found = reader.next(...operators); found; found = reader.next(...operators)) {
      const operator = found.text as Operator
      left = { kind: 'operation', operator, left, right: readPart(reader), at: found.at }
    }
    return left
  }

const readFactor = (reader: Reader): Expression => {
  if (reader.next('-')) return { kind: 'negation', of: readFactor(reader) }
  if (reader.next('(')) {
    const inner = readSum(reader)
    if (!reader.next(')')) reader.fail('")"')
    return inner
  }
  return readName(reader)
}

const readProduct = readOperations(['*', '/'], readFactor)
const readSum = readOperations(['+', '-'], readProduct)

const readName = (reader: Reader): Expression => {
  if (reader.next('+', '*', '/', ')', ',')) return reader.fail('a field, a number or "("')
  const found = reader.next()
  if (!found) return reader.fail('a field, a number or "("')
  const { text, at } = found
  if (/^\d/.test(text)) return { kind: 'number', digits: text }
  return reader.next('(')
    ? { kind: 'call', name: text, given: readGiven(reader), at }
    : { kind: 'field', name: text, at }
}

const readGiven = (reader: Reader): readonly Expression[] => {
  if (reader.next(')')) return []
  const given = [readSum(reader)]
  while (reader.next(',')) given.push(readSum(reader))
  if (!reader.next(')')) reader.fail('"," or ")"')
  return given
}
