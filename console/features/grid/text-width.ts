/** How wide texts are on the screen, in the font of the page. */

let context: CanvasRenderingContext2D | null | undefined

const measureIn = (font: string): ((text: string) => number) => {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return () => Infinity
  context.font = font
  const measured = context
  return (text) => measured.measureText(text).width
}

const styleOfPage = () => getComputedStyle(document.body)

/** The width of the widest of these texts in pixels. */
export const widestOf = (texts: readonly string[], weight = 400, size = 14): number =>
  Math.max(0, ...texts.map(measureIn(`${weight} ${size}px ${styleOfPage().fontFamily}`)))

// Letters whose widths add up, as they do not in every script: Latin, Greek and Cyrillic ones, digits, and common signs.
const plainText = /^[\u0020-\u024f\u0370-\u04ff\u2010-\u2026\u202f\u20a0-\u20bf]*$/

/** The font of the page, and the widths of its letters in pixels as far as they were measured. */
let page: { readonly font: string; readonly widths: Map<string, number> } | undefined

/** Reads the font again, because users may set another one. It is empty if they set more space between letters. */
export const readFont = () => {
  const { fontFamily, fontSize, letterSpacing, wordSpacing } = styleOfPage()
  const isUsual = letterSpacing === 'normal' && wordSpacing === '0px'
  const font = isUsual ? `${fontSize} ${fontFamily}` : ''
  if (page?.font !== font) page = { font, widths: new Map() }
  return page
}

// In tables, all digits are as wide as the widest of them.
const digits = [...'0123456789']

/** Measures a letter once. */
const measure = (letter: string, { font, widths }: NonNullable<typeof page>): number => {
  const alike = digits.includes(letter) ? digits : [letter]
  const width = Math.max(...alike.map(measureIn(font)))
  for (const one of alike) widths.set(one, width)
  return width
}

/** Whether a text surely fits into so many pixels, by its letters: that takes far less time than measuring the text. */
export const hasRoom = (text: string, room: number): boolean => {
  const measured = page ?? readFont()
  if (measured.font === '' || !plainText.test(text)) return false
  let width = 0
  for (const letter of text) {
    width += measured.widths.get(letter) ?? measure(letter, measured)
    if (width > room) return false
  }
  return true
}
