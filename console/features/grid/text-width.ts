/** How wide texts are on the screen, in the font of the page: languages and scripts differ more than their letters count. */

let context: CanvasRenderingContext2D | null | undefined

/** What measures texts of a font. */
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

// Letters that stand beside each other as they stand alone: Latin, Greek and Cyrillic ones, digits, and common signs.
const plainText = /^[\u0020-\u024f\u0370-\u04ff\u2010-\u2026\u202f\u20a0-\u20bf]*$/

/** The font of the page, and the widths of its letters in pixels. */
let known: { readonly font: string; readonly widths: Map<string, number> } | undefined

/** Reads the font again: users may set another one. Empty where they set more space between letters. */
export const readFont = () => {
  const { fontFamily, fontSize, letterSpacing, wordSpacing } = styleOfPage()
  const isUsual = letterSpacing === 'normal' && wordSpacing === '0px'
  const font = isUsual ? `${fontSize} ${fontFamily}` : ''
  if (known?.font !== font) known = { font, widths: new Map() }
  return known
}

// Below each other all are as wide as the widest of them.
const digits = [...'0123456789']

/** The width of a letter, which is known from then on. */
const measure = (letter: string, { font, widths }: NonNullable<typeof known>): number => {
  const alike = digits.includes(letter) ? digits : [letter]
  const width = Math.max(...alike.map(measureIn(font)))
  for (const one of alike) widths.set(one, width)
  return width
}

/** Whether a text surely has room in so many pixels; known by its letters, far sooner than by measuring it. */
export const hasRoom = (text: string, room: number): boolean => {
  const page = known ?? readFont()
  if (page.font === '' || !plainText.test(text)) return false
  let width = 0
  for (const letter of text) {
    width += page.widths.get(letter) ?? measure(letter, page)
    if (width > room) return false
  }
  return true
}
