/** How wide texts are on the screen, in the font of the page: languages and scripts differ more than their letters count. */

let context: CanvasRenderingContext2D | null | undefined

const widthOf = (text: string, font: string): number => {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return Infinity
  context.font = font
  return context.measureText(text).width
}

const styleOfPage = () => getComputedStyle(document.body)

/** The width of the widest of these texts in pixels. */
export const widestOf = (texts: readonly string[], weight = 400, size = 14): number => {
  const font = `${weight} ${size}px ${styleOfPage().fontFamily}`
  return Math.max(0, ...texts.map((text) => widthOf(text, font)))
}

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

/** Whether a text surely has room in so many pixels; known by its letters, far sooner than by measuring it. */
export const hasRoom = (text: string, room: number): boolean => {
  const { font, widths } = known ?? readFont()
  if (font === '' || !plainText.test(text)) return false
  let width = 0
  for (const letter of text) {
    const alike = digits.includes(letter) ? digits : [letter]
    const own = widths.get(letter) ?? Math.max(...alike.map((one) => widthOf(one, font)))
    widths.set(letter, own)
    width += own
    if (width > room) return false
  }
  return true
}
