/**
 * The interface of an engine that renders PDFs: takes a template and data, returns a PDF or diagnostics for the
 * author. Also what surrounds every template, and the messages to the rendering thread.
 */
import { fontFamilies } from './fonts.ts'

/** A script, or a kind of signs, with some of its characters. */
export type UnprintedScript = { readonly script: string; readonly characters: readonly string[] }

/** As Unicode names them; a character of any other script is named by its number. */
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

/** Where a marked text stands; lengths in points. Undefined: the page is as long as its content. */
export type Mark = {
  readonly mark: string
  readonly page: number
  readonly x: number
  readonly y: number
  readonly width: number | null
  readonly height: number | null
}

/** Selects the places of marks. */
export const markSelector = '<docket-mark>'

/** A text that no value has by chance, and that templates print as it is, by its number up to 999. */
export const markOf = (number: number): string => `9000${String(number).padStart(3, '0')}9000`

// A line may break at an empty box, and unlike a blank without width it is nothing that a PDF has to be read without.
// Only in scripts whose letters stand alone: in others a break within a word is wrong, or is known to Typst.
const longWord = String.raw`[\p{Latin}\p{Greek}\p{Cyrillic}\p{M}\p{N}\p{P}\p{S}]{30,}`

const marked = `#show regex("9000\\\\d{3}9000"): it => {
  context {
    let at = here().position()
    let points(length) = if length == auto { none } else { length.pt() }
    [#metadata((
      mark: it.text, page: at.page, x: at.x.pt(), y: at.y.pt(),
      width: points(page.width), height: points(page.height),
    ))${markSelector}]
  }
  it
}
`

/** Words that are longer than most lines may break anywhere: what is too wide for its cell would be lost. */
export const wrapped = (path: string, locale: string, hasMarks: boolean): string => {
  const { language, region } = new Intl.Locale(locale)
  const families = fontFamilies.map((family) => JSON.stringify(family)).join(', ')
  const place = region === undefined ? 'none' : JSON.stringify(region)
  return `#set text(font: (${families}), lang: ${JSON.stringify(language)}, region: ${place})
#show regex(${JSON.stringify(longWord)}): word => word.text.clusters().join(box(width: 0pt))
${hasMarks ? marked : ''}#include ${JSON.stringify(path)}
`
}

/** The files of a template folder by path; the same object as long as none has changed. */
export type TemplateFiles = ReadonlyMap<string, Uint8Array>

export type Template = {
  /** Path of the template among its files, or a name for the given source. */
  readonly main: string
  /** The template's text, when it is not a file. */
  readonly source?: string
  /** Every file that it may read. */
  readonly files: TemplateFiles
}

export type TemplateData = {
  /** What the template reads: the text of one JSON object. */
  readonly json: string
  /** A BCP 47 tag, for hyphens, quotes and the direction of the text. */
  readonly locale: string
  readonly generatedAt: Date
  /** Of moments; that of the project unless given. */
  readonly timeZone?: string | undefined
  /** Of files of the record. */
  readonly pictures?: readonly Picture[] | undefined
  /** Whether its pages are wanted as a picture too. */
  readonly withPicture?: boolean
  /** Whether the places of marks are wanted, which texts of a check have. */
  readonly withMarks?: boolean
}

/** An error or a warning in a template; `line` and `column` count from 1. */
export type Diagnostic = {
  readonly severity: 'error' | 'warning'
  /** Path of the file; undefined when it has no place. */
  readonly file: string | undefined
  readonly line: number
  readonly column: number
  /** Column after its end, on the same line. */
  readonly endColumn: number
  readonly message: string
}

/** A picture has as many pages at most. */
export const maxPicturedPages = 20

export type Rendered =
  | {
      readonly pdf: Uint8Array
      readonly pages: number
      /** SVG of all pages, below each other; only if it was asked for. */
      readonly picture?: string | undefined
      /** Only if they were asked for. */
      readonly marks?: readonly Mark[] | undefined
      /** The scripts in whose place boxes are printed; they are among the diagnostics too. */
      readonly unprinted: readonly UnprintedScript[]
      readonly diagnostics: readonly Diagnostic[]
    }
  | { readonly diagnostics: readonly Diagnostic[] }

export type PdfEngine = {
  /** Throws a RenderError when it ends without a result. */
  readonly render: (template: Template, data: TemplateData) => Promise<Rendered>
  /** Running and waiting renderings fail. */
  readonly close: () => Promise<void>
}

export type RenderErrorReason =
  | 'timed-out'
  | 'out-of-memory'
  | 'crashed'
  | 'not-loaded'
  | 'saturated'
  | 'stopped'

/** A rendering that ended without a result; the message continues the name of the document. */
export class RenderError extends Error {
  override name = 'RenderError'
  readonly reason: RenderErrorReason

  constructor(reason: RenderErrorReason, text: string) {
    super(text)
    this.reason = reason
  }
}

export type PrintFile = { readonly path: string; readonly bytes: Uint8Array }

export type RenderRequest = {
  readonly main: string
  readonly source: string | undefined
  /** All files, when they differ from those of the last request. */
  readonly files: readonly PrintFile[] | undefined
  readonly json: string
  readonly locale: string
  /** Undefined: that of the project. */
  readonly timeZone: string | undefined
  readonly pictures: readonly Picture[]
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly withPicture: boolean
  readonly withMarks: boolean
  readonly timeoutMs: number
}

export type RenderResult =
  | Rendered
  | { readonly failure: { readonly reason: RenderErrorReason; readonly text: string } }

/** A picture of a file of the record, as the engine gets it. */
export type Picture =
  | { readonly id: number; readonly mimetype: string; readonly bytes: Uint8Array }
  /** Why it is not printed: an error of the template that does. */
  | { readonly id: number; readonly refusal: string }

/** The function of the local module that prints one: a template that does not name it gets none. */
export const pictureFunction = 'picture'

const formats: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** What Typst calls the format of a media type; undefined for what is not printed. */
export const formatOf = (mimetype: string): string | undefined =>
  Object.hasOwn(formats, mimetype) ? formats[mimetype] : undefined

/** Where the engine finds the bytes. No conflict: files of a template folder do not begin with a dot. */
export const picturePath = (id: number): string => `.pictures/${id}`
