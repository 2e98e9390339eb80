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
