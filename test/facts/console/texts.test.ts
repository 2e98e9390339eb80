/** Texts of the console in every language: they say the same values as the English ones, and are typeset alike. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const folder = join(import.meta.dirname, '../../../console/texts')

type Texts = { readonly [key: string]: unknown }

/** The files of a language, and what each exports. */
const parts = {
  first: 'first',
  work: 'work',
  administration: 'administration',
  import: 'importing',
} as const

type Part = keyof typeof parts

const textsOf = async (part: Part, language: string): Promise<Texts> =>
  (await import(join(folder, language, `${part}.ts`)))[parts[part]]

const allParts = Object.keys(parts) as Part[]

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

type Typesetting = {
  /** What is quoted, and the marks that have a space before them. */
  readonly right: RegExp
  /** What is left without them is wrong. */
  readonly wrong: RegExp
}

const usual = /[„“”"]|\.\.\.|\S…|^\s|\s$|\s{2}|\s[,;:.!?](\s|$)/
const typesetting: Readonly<Record<string, Typesetting>> = {
  de: { right: /„[^“”]*“/g, wrong: usual },
  hr: { right: /„[^“”]*”/g, wrong: usual },
  // A narrow space that does not break stands before a high mark and inside of quotation marks; none before an ellipsis.
  fr: {
    right: /«\u202f[^«»]+\u202f»|\u202f[;:!?]|(?<=\d)\u202f(?=\d{3})/g,
    wrong: /[„“”"'«»\u202f\u00a0;:!?]|\.\.\.|\s…|^\s|\s$|\s{2}|\s[,.](\s|$)/,
  },
}

test('no file of texts is left out', () => {
  for (const language of readdirSync(folder).filter((name) => !name.endsWith('.ts')))
    assert.deepEqual(
      readdirSync(join(folder, language)).toSorted(),
      allParts.map((part) => `${part}.ts`).toSorted(),
    )
})

for (const [language, { right, wrong }] of Object.entries(typesetting)) {
  const spoken = async (part: Part) => spokenOf(await textsOf(part, language))

  test(`texts in ${language} contain the values that the English ones contain`, async () => {
    for (const part of allParts) {
      const english = new Map(spokenOf(await textsOf(part, 'en')))
      for (const [path, text] of await spoken(part))
        assert.deepEqual(valuesIn(text), valuesIn(english.get(path) ?? ''), `${part}: ${path}`)
    }
  })

  test(`texts in ${language} have its quotation marks and spaces, and one character for an ellipsis`, async () => {
    for (const part of allParts)
      for (const [path, text] of await spoken(part)) {
        assert.doesNotMatch(text.replaceAll(right, 'x'), wrong, `${part}: ${path}`)
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

test('nothing and one are singular in French', async () => {
  const { list } = (await textsOf('first', 'fr')) as { list: { rows: (count: number) => string } }
  const said = ['0 enregistrement', '1 enregistrement', '2 enregistrements']
  assert.deepEqual([0, 1, 2].map(list.rows), said)
  assert.equal(list.rows(1_000_000), '1\u202f000\u202f000 enregistrements')
})
