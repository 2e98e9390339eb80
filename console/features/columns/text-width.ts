/** How wide texts are on the screen, in the font of the page: languages and scripts differ more than their letters count. */

let context: CanvasRenderingContext2D | null | undefined

const fontOf = (weight: number, size: number): string =>
  `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`

/** The width of the widest of these texts in pixels. */
export const widestOf = (texts: readonly string[], weight = 400, size = 14): number => {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return 0
  context.font = fontOf(weight, size)
  const measured = context
  return texts.reduce((width, text) => Math.max(width, measured.measureText(text).width), 0)
}

// Letters that stand beside each other as they stand alone: Latin, Greek and Cyrillic ones, digits, and common signs.
const plainText = /^[\u0020-\u024f\u0370-\u03ff\u0400-\u04ff\u2010-\u2026\u202f\u20a0-\u20bf]*$/

type Letters = {
  readonly font: string
  /** Pixels between two of them, beside what the font has. */
  readonly spacing: number
  /** In pixels, by their codes. */
  readonly widths: Map<number, number>
}

let letters: Letters | undefined

/** Reads the font of the page again: users may set another one, larger, or with more space between its letters. */
export const readFont = (): Letters => {
  const { fontFamily, fontSize, letterSpacing, wordSpacing } = getComputedStyle(document.body)
  const font = `400 ${fontSize} ${fontFamily}`
  const spacing = (Number.parseFloat(letterSpacing) || 0) + (Number.parseFloat(wordSpacing) || 0)
  const isSame = letters?.font === font && letters.spacing === spacing
  letters = isSame && letters ? letters : { font, spacing, widths: new Map() }
  return letters
}

// Below each other all are as wide as the widest of them.
const digits = '0123456789'

const letterWidth = (letter: string, { font, spacing }: Letters): number => {
  context ??= document.createElement('canvas').getContext('2d')
  if (!context) return Infinity
  context.font = font
  const measured = context
  const all = digits.includes(letter) ? [...digits] : [letter]
  return Math.max(...all.map((one) => measured.measureText(one).width)) + spacing
}

/** Whether a text surely has room in so many pixels; known by its letters, far sooner than by measuring it. */
export const hasRoom = (text: string, room: number): boolean => {
  if (!plainText.test(text)) return false
  const known = letters ?? readFont()
  let width = 0
  for (let at = 0; at < text.length && width <= room; at += 1) {
    const code = text.charCodeAt(at)
    const own = known.widths.get(code) ?? letterWidth(text.charAt(at), known)
    known.widths.set(code, own)
    width += own
  }
  return width <= room
}
