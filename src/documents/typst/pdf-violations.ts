/** Reads why a document is no PDF/A: the engine names every character without a font, and what else the standard forbids. */
import { scriptsOf, type UnprintedScript } from './unprinted.ts'

const maxReasons = 3

const withoutFont = /^the text `"(.+)"` could not be displayed with font/s

/** From the text of its error, which is debugging output of Rust. */
export const violationsIn = (
  text: string | undefined,
): { readonly unprinted: readonly UnprintedScript[]; readonly reasons: readonly string[] } => {
  if (text === undefined) return { unprinted: [], reasons: [] }
  const messages = [...text.matchAll(/message: "(?:PDF\/A-2b error: )?((?:[^"\\]|\\.)*)"/gs)].map(
    ([, message = '']) => unescaped(message),
  )
  const characters = messages.flatMap((one) => {
    const [, found] = withoutFont.exec(one) ?? []
    return found === undefined ? [] : [unescaped(found)]
  })
  const others = messages.filter((one) => !withoutFont.test(one))
  const reasons = messages.length === 0 ? ['it violates a rule of the standard'] : others
  return {
    unprinted: scriptsOf(characters),
    reasons: [...new Set(reasons)].slice(0, maxReasons),
  }
}

/** A text as it was before Rust quoted it. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\(?:u\{([0-9a-f]+)\}|(.))/gs, (_, code, other) =>
    code === undefined ? other : String.fromCodePoint(Number.parseInt(code, 16)),
  )
