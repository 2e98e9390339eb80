/** Characters that no font of a document has, by their scripts: boxes stand in their place. */

/** A script, or a kind of signs, with some of its characters. */
export type UnprintedScript = { readonly script: string; readonly characters: readonly string[] }

/** As Unicode names them; a character of any other script is told by its number. */
const scripts: readonly string[] = `
Adlam Arabic Armenian Balinese Bamum Bengali Bopomofo Buginese Canadian_Aboriginal Chakma Cham Cherokee Coptic Cyrillic
Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Javanese Kannada Katakana Kayah_Li Khmer
Lao Latin Lepcha Limbu Lisu Malayalam Meetei_Mayek Mongolian Myanmar New_Tai_Lue Nko Ol_Chiki Oriya Samaritan Saurashtra
Sinhala Sundanese Syriac Tagalog Tai_Le Tai_Tham Tai_Viet Tamil Telugu Thaana Thai Tibetan Tifinagh Vai Yi`
  .trim()
  .split(/\s+/)

const named: readonly (readonly [name: string, RegExp])[] = [
  ...scripts.map(
    (name) => [name.replaceAll('_', ' '), new RegExp(`\\p{Script=${name}}`, 'u')] as const,
  ),
  ['emoji', /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\p{Regional_Indicator}/u],
  ['signs', /\p{Script=Common}|\p{Script=Inherited}/u],
]

const maxScripts = 20
const maxCharacters = 5

/** The scripts in the order of their first characters. Joiners and the like have no picture of their own. */
export const scriptsOf = (texts: Iterable<string>): readonly UnprintedScript[] => {
  const found = new Map<string, Set<string>>()
  for (const character of new Set([...texts].join(''))) {
    if (/\p{Default_Ignorable_Code_Point}/u.test(character)) continue
    const script = named.find(([, pattern]) => pattern.test(character))?.[0] ?? 'other scripts'
    if (!found.has(script) && found.size === maxScripts) continue
    found.set(script, (found.get(script) ?? new Set()).add(character))
  }
  return [...found].map(([script, characters]) => ({ script, characters: [...characters] }))
}

/** `Thai (ไ, ท, …), emoji (😀)`. */
const listed = (unprinted: readonly UnprintedScript[]): string =>
  unprinted
    .map(({ script, characters }) => {
      const more = characters.length > maxCharacters ? ', …' : ''
      return `${script} (${characters.slice(0, maxCharacters).map(shown).join(', ')}${more})`
    })
    .join(', ')

const shown = (character: string): string =>
  /[\p{L}\p{S}\p{Nd}]/u.test(character)
    ? character
    : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** What happens to these characters, and what its author can do. */
export const unprintedText = (unprinted: readonly UnprintedScript[]): string =>
  `no font of the document has ${listed(unprinted)}: boxes are printed instead, so it is plain PDF, not PDF/A; put a font that has them (.ttf, .otf) into printable-documents/`
