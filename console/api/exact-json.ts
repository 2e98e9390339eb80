/** JSON whose numbers keep every digit: those of records may have more than a number of JavaScript can hold. */

declare global {
  // Of ECMAScript 2026, which the types of TypeScript do not know yet.
  interface JSON {
    rawJSON(text: string): unknown
  }
}

/** A number as it was written, such as `12345678901234567890` or `1.0`. */
class ExactNumber {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }

  /** Written into JSON as the digits that it was read from. */
  toJSON(): unknown {
    return JSON.rawJSON(this.#text)
  }
}

/** The value of a JSON text; numbers that JavaScript would write in another way are exact numbers. */
export const parseExact = (text: string): unknown =>
  JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
      ? new ExactNumber(context.source)
      : value,
  )
