/** The file around every template: defaults that the template may override, and where marked texts of a check end. */
import { fontFamilies } from './fonts.ts'

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
