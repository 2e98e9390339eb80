/** Texts of the console in every language: they say the same values as the English ones, and are typeset alike. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'

const folder = join(import.meta.dirname, '../../../console/texts')

type Texts = { readonly [key: string]: unknown }

const textsOf = async (part: string, language: string): Promise<Texts> =>
  (await import(join(folder, language, `${part}.ts`)))[part]

/** A value to insert: where a number is expected it is not one, and the text says so; a list has it alone. */
const inserted = (index: number) =>
  Object.assign(new String(`⟦${index}⟧`), { join: () => `⟦${index}⟧` })

const sayAll = (say: (...given: readonly unknown[]) => string): string =>
  say(...Array.from({ length: say.length }, (_, index) => inserted(index)))

/** Every text by its path, with inserted values marked. */
const spokenOf = (texts: Texts, path = ''): readonly (readonly [path: string, text: string])[] =>
  Object.entries(texts).flatMap(([key, value]) => {
    const at = path === '' ? key : `${path}.${key}`
    if (typeof value === 'string') return [[at, value] as const]
    if (typeof value === 'function') return [[at, sayAll(value as typeof String)] as const]
    return spokenOf(value as Texts, at)
  })

const valuesIn = (text: string): readonly string[] =>
  [...new Set(text.match(/⟦\d⟧|NaN/g) ?? [])].sort()

const quotationMarks: Readonly<Record<string, RegExp>> = { de: /„[^“”]*“/g, hr: /„[^“”]*”/g }

const parts = ['first', 'work', 'administration']

for (const [language, quoted] of Object.entries(quotationMarks)) {
  const spoken = async (part: string) => spokenOf(await textsOf(part, language))

  test(`texts in ${language} contain the values that the English ones contain`, async () => {
    for (const part of parts) {
      const english = new Map(spokenOf(await textsOf(part, 'en')))
      for (const [path, text] of await spoken(part))
        assert.deepEqual(valuesIn(text), valuesIn(english.get(path) ?? ''), `${part}: ${path}`)
    }
  })

  test(`texts in ${language} have its quotation marks, and one character for an ellipsis`, async () => {
    for (const part of parts)
      for (const [path, text] of await spoken(part)) {
        const unquoted = text.replaceAll(quoted, 'x')
        assert.doesNotMatch(
          unquoted,
          /[„“”"]|\.\.\.|\S…|^\s|\s$|\s{2}|\s[,;:.!?](\s|$)/,
          `${part}: ${path}`,
        )
      }
  })
}

test('a number of persons that is the least of more has its Croatian form', async () => {
  const { recipients } = (await textsOf('work', 'hr')) as {
    recipients: { moreThan: (count: number) => string }
  }
  const said = ['više od 1 osobe', 'više od 2 osobe', 'više od 5 osoba', 'više od 21 osobe']
  assert.deepEqual([1, 2, 5, 21].map(recipients.moreThan), said)
})
